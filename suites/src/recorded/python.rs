//! Reads Python literals and calls. Written for the suites alone: it shares no code with the parsers that it is
//! compared with.

use serde_json::{Map, Number, Value};

/// A literal, or a call with literal arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PythonNode {
    /// A literal.
    Value(Value),
    /// A call: its name and its arguments, each with its keyword if it has one.
    Call(String, Vec<(Option<String>, PythonNode)>),
}

/// The bare words that are accepted as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PythonLiterals {
    /// `True`, `None`, `true`, `null` and the like.
    Literal,
    /// Any word; an unknown one is `null`.
    Any,
}

/// A parser at a position in a text.
pub(super) struct Python<'a> {
    text: &'a str,
    /// The current byte offset.
    pub(super) at: usize,
    words: PythonLiterals,
    depth: usize,
}

const DEEPEST: usize = 60;

impl<'a> Python<'a> {
    /// Starts a parser at a byte offset.
    pub(super) fn at(text: &'a str, at: usize, words: PythonLiterals) -> Self {
        Self { text, at, words, depth: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips whitespace and returns the next character.
    fn next(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        (self.next()? == wanted).then(|| self.at += wanted.len_utf8())
    }

    /// Reads a literal or a call.
    pub(super) fn node(&mut self) -> Option<PythonNode> {
        self.depth += 1;
        let node = match self.next()? {
            _ if self.depth > DEEPEST => None,
            '{' => self.braces(),
            '[' => self.items('[', ']').map(|items| PythonNode::Value(Value::Array(items))),
            '(' => self.items('(', ')').map(|items| PythonNode::Value(Value::Array(items))),
            '"' | '\'' => self.strings().map(|text| PythonNode::Value(Value::String(text))),
            '+' | '-' | '.' | '0'..='9' => self.number().map(PythonNode::Value),
            c if c.is_alphabetic() || c == '_' => self.word(),
            _ => None,
        };
        self.depth -= 1;
        node
    }

    /// Reads a literal.
    pub(super) fn value(&mut self) -> Option<Value> {
        match self.node()? {
            PythonNode::Value(value) => Some(value),
            // A call counts as a value only with `PythonLiterals::Any`; its `()` field marks it as a call.
            PythonNode::Call(name, given) => {
                (self.words == PythonLiterals::Any).then(|| as_object(name, given))
            }
        }
    }

    fn items(&mut self, open: char, close: char) -> Option<Vec<Value>> {
        self.take(open)?;
        let mut items = Vec::new();
        while self.next()? != close {
            items.push(self.value()?);
            if self.take(',').is_none() {
                break;
            }
        }
        self.take(close)?;
        Some(items)
    }

    /// Reads a dictionary or a set.
    fn braces(&mut self) -> Option<PythonNode> {
        self.take('{')?;
        let (mut map, mut set) = (Map::new(), Vec::new());
        while self.next()? != '}' {
            let key = self.value()?;
            if self.take(':').is_some() {
                let value = self.value()?;
                map.insert(key.as_str().map_or_else(|| key.to_string(), str::to_owned), value);
            } else {
                set.push(key);
            }
            if self.take(',').is_none() {
                break;
            }
        }
        self.take('}')?;
        // Lists and dictionaries are not hashable, so Python does not allow them in a set.
        if set.iter().any(|item| item.is_array() || item.is_object()) {
            return None;
        }
        match (map.is_empty(), set.is_empty()) {
            (_, true) => Some(PythonNode::Value(Value::Object(map))),
            (true, false) => Some(PythonNode::Value(Value::Array(set))),
            (false, false) => None,
        }
    }

    /// Reads adjacent string literals, which Python concatenates.
    fn strings(&mut self) -> Option<String> {
        let mut all = self.string(false)?;
        while let Some('"' | '\'') = self.next() {
            all.push_str(&self.string(false)?);
        }
        Some(all)
    }

    fn string(&mut self, is_raw: bool) -> Option<String> {
        let quote = self.rest().chars().next()?;
        let thrice: String = std::iter::repeat_n(quote, 3).collect();
        let end = if self.rest().starts_with(&thrice) { thrice } else { quote.to_string() };
        self.at += end.len();
        let mut out = String::new();
        loop {
            let rest = self.rest();
            if rest.starts_with(&end) {
                self.at += end.len();
                return Some(out);
            }
            let c = rest.chars().next()?;
            self.at += c.len_utf8();
            match c {
                '\n' if end.len() == 1 => return None,
                '\\' if !is_raw => self.escape(&mut out)?,
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        let plain = match c {
            '\n' => return Some(()),
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            '\\' | '\'' | '"' => c,
            'x' => self.hexadecimal(2)?,
            'u' => self.hexadecimal(4)?,
            'U' => self.hexadecimal(8)?,
            '0'..='7' => char::from_digit(c.to_digit(8)?, 8).map(|_| '\0').filter(|_| c == '0')?,
            other => {
                out.push('\\');
                other
            }
        };
        out.push(plain);
        Some(())
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<char> {
        let written = self.rest().get(..digits)?;
        self.at += digits;
        char::from_u32(u32::from_str_radix(written, 16).ok()?)
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let written = rest.get(..length)?.replace('_', "");
        let written = written.strip_prefix('+').unwrap_or(&written);
        self.at += length;
        let is_whole = written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let has_zeros = is_whole && written.len() > 1 && written.starts_with('0');
        if is_whole && !has_zeros {
            return written.parse::<i64>().ok().map(Value::from);
        }
        let starts = written.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
        let float = written.parse::<f64>().ok().filter(|_| starts && !has_zeros)?;
        Number::from_f64(float).map(Value::Number)
    }

    fn word(&mut self) -> Option<PythonNode> {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        self.at += length;
        if after.starts_with('(') {
            return self.given().map(|given| PythonNode::Call(word.to_owned(), given));
        }
        if after.starts_with(['"', '\'']) {
            let is_raw = match word.to_ascii_lowercase().as_str() {
                "r" => true,
                "u" => false,
                _ => return None,
            };
            return self.string(is_raw).map(|text| PythonNode::Value(Value::String(text)));
        }
        let value = match word {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" => Value::Null,
            _ if self.words == PythonLiterals::Any => Value::Null,
            _ => return None,
        };
        Some(PythonNode::Value(value))
    }

    /// Reads the arguments of a call.
    fn given(&mut self) -> Option<Vec<(Option<String>, PythonNode)>> {
        self.take('(')?;
        let mut given = Vec::new();
        while self.next()? != ')' {
            let name = self.name();
            let node = self.node()?;
            if self.words == PythonLiterals::Literal && matches!(node, PythonNode::Call(..)) {
                return None;
            }
            given.push((name, node));
            if self.take(',').is_none() {
                break;
            }
        }
        self.take(')')?;
        Some(given)
    }

    /// Reads the keyword `name=`, if there is one.
    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (word, after) = rest.split_at(rest.find(|c| !is_part(c))?);
        let after = after.trim_start().strip_prefix('=').filter(|after| !after.starts_with('='))?;
        let named = (!word.is_empty()).then(|| word.to_owned())?;
        self.at = self.text.len() - after.len();
        Some(named)
    }
}

/// Converts a call to an object: its arguments by keyword or index, and its name as `()`.
fn as_object(name: String, given: Vec<(Option<String>, PythonNode)>) -> Value {
    let mut map = Map::from_iter([("()".to_owned(), Value::String(name))]);
    for (index, (name, node)) in given.into_iter().enumerate() {
        let value = match node {
            PythonNode::Value(value) => value,
            PythonNode::Call(name, given) => as_object(name, given),
        };
        map.insert(name.unwrap_or_else(|| index.to_string()), value);
    }
    Value::Object(map)
}

/// Reads a whole text; returns `None` if something is left over.
pub(super) fn whole(text: &str, words: PythonLiterals) -> Option<Value> {
    let mut python = Python::at(text, 0, words);
    let value = python.value()?;
    python.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn literals_are_read_as_python_reads_them() {
        let text =
            r#"{'a': [1, -2.5, 'it\'s', "b" 'c'], 3: (True, None), 'r': r'\d', 'e': '\d\x41'}"#;
        let read =
            json!({"a": [1, -2.5, "it's", "bc"], "3": [true, null], "r": "\\d", "e": "\\dA"});
        assert_eq!(whole(text, PythonLiterals::Literal), Some(read));
        for text in ["{'a': b}", "['a'", "'a\nb'", "[1] 2", "007", "f'x'", "{'a': 1, 2}", "1_0x"] {
            assert_eq!(whole(text, PythonLiterals::Literal), None, "{text}");
        }
    }

    #[test]
    fn a_transcript_with_calls_and_names_is_read() {
        let text =
            "{'output': 'x', 'steps': [(Action(tool='a.b', log='l'), nan, Timestamp('2023'))]}";
        let read = whole(text, PythonLiterals::Any).unwrap();
        assert_eq!(read["steps"][0][0], json!({"()": "Action", "tool": "a.b", "log": "l"}));
        assert_eq!(read["steps"][0][1], Value::Null);
    }
}
