//! Reads quoted strings as models write them: raw line feeds, odd escapes, unescaped inner quotes.

use super::json_repair::{JsonRepairer, QuotedRole, literal};
use super::reply::ReplyRepair;

/// Maximum length of a bare word in a lookahead.
const LONGEST_WORD: usize = 64;

impl JsonRepairer<'_> {
    /// Reads a quoted string; `None` if the text ends first.
    pub(super) fn string(&mut self, role: QuotedRole) -> Option<String> {
        let quote = self.text.as_bytes().get(self.at).copied()?;
        if quote != b'"' {
            self.repairs.insert(ReplyRepair::Syntax);
        }
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..)?;
            let special = |byte: u8| byte == quote || byte == b'\\' || byte < b' ';
            let Some(length) = rest.bytes().position(special) else {
                self.at = self.text.len();
                return None;
            };
            let (plain, from) = rest.split_at(length);
            out.push_str(plain);
            self.at += length;
            let byte = from.bytes().next()?;
            if byte == b'\\' {
                self.escape(&mut out)?;
                continue;
            }
            self.at += 1;
            if byte == quote && self.closes(role) {
                return Some(out);
            }
            self.repairs.insert(if byte == quote {
                ReplyRepair::InnerQuotes
            } else {
                ReplyRepair::Syntax
            });
            out.push(char::from(byte));
        }
    }

    /// Returns true if the text after a quote can follow a string that ends with it.
    fn closes(&self, role: QuotedRole) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default().trim_start();
        let (next, after) = (rest.bytes().next(), rest.get(1..).unwrap_or_default());
        match (next, role) {
            (None | Some(b'#'), _) => true,
            (Some(b'/'), _) => after.starts_with(['/', '*']),
            (Some(b':'), QuotedRole::Key)
            | (Some(b'}'), QuotedRole::Field)
            | (Some(b']'), QuotedRole::Item) => true,
            (Some(b','), QuotedRole::Field) => begins_field(after.trim_start()),
            (Some(b','), QuotedRole::Item) => begins_item(after.trim_start()),
            (Some(b')'), QuotedRole::Argument) => true,
            (Some(b','), QuotedRole::Argument) => begins_argument(after.trim_start()),
            (Some(_), _) => false,
        }
    }

    /// Reads an escape sequence; `None` if the text ends inside it.
    fn escape(&mut self, out: &mut String) -> Option<()> {
        let escaped = self.text.as_bytes().get(self.at + 1).copied();
        let meant = match escaped? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            mark @ (b'"' | b'\\' | b'/') => char::from(mark),
            b'u' => return self.unicode(out),
            b'\'' => {
                self.repairs.insert(ReplyRepair::Syntax);
                '\''
            }
            _ => {
                self.repairs.insert(ReplyRepair::Syntax);
                self.at += 1;
                out.push('\\');
                return Some(());
            }
        };
        self.at += 2;
        out.push(meant);
        Some(())
    }

    fn unicode(&mut self, out: &mut String) -> Option<()> {
        if self.text.len() < self.at + 6 {
            self.at = self.text.len();
            return None;
        }
        let Some(first) = self.unit(self.at) else {
            self.repairs.insert(ReplyRepair::Syntax);
            self.at += 2;
            out.push_str("\\u");
            return Some(());
        };
        self.at += 6;
        let second = self.unit(self.at).filter(|unit| (0xdc00..0xe000).contains(unit));
        let second = second.filter(|_| (0xd800..0xdc00).contains(&first));
        self.at += if second.is_some() { 6 } else { 0 };
        let units = [Some(first), second].into_iter().flatten();
        for unit in char::decode_utf16(units) {
            if unit.is_err() {
                self.repairs.insert(ReplyRepair::Syntax);
            }
            out.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Some(())
    }

    /// Returns the UTF-16 code unit of `\uXXXX`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hexadecimal.then(|| u16::from_str_radix(digits, 16).ok())?
    }
}

/// Returns true if a field of an object, or the end of the object, can begin with `rest`.
fn begins_field(rest: &str) -> bool {
    match rest.bytes().next() {
        None | Some(b'"' | b'\'' | b'}' | b'/' | b'#') => true,
        Some(_) => word(rest).1.trim_start().starts_with(':'),
    }
}

/// Returns true if an item of an array, or the end of the array, can begin with `rest`.
fn begins_item(rest: &str) -> bool {
    match rest.bytes().next() {
        None | Some(b'"' | b'\'' | b']' | b'[' | b'{' | b'/' | b'#' | b'-' | b'+' | b'.') => true,
        Some(byte) => byte.is_ascii_digit() || literal(word(rest).0).is_some(),
    }
}

/// Returns true if an argument of a call, or the end of the call, can begin with `rest`.
fn begins_argument(rest: &str) -> bool {
    match rest.bytes().next() {
        None | Some(b')' | b'#') => true,
        Some(_) => word(rest).1.trim_start().starts_with('='),
    }
}

/// Splits a text after its leading bare word.
fn word(rest: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
    let end = rest.char_indices().take(LONGEST_WORD).find(|(_, c)| !is_part(*c));
    rest.split_at(end.map_or(0, |(at, _)| at))
}
