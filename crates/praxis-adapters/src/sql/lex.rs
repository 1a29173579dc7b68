//! Splits SQL as the engine would: strings, names, comments and placeholders.
//!
//! - in: SQL as it was written
//! - out: the SQL without comments and with the engine's own placeholders, and the argument of each
//! - never: guesses: SQL that two readers could split differently is refused

use super::guard::SqlRefused;
use super::marks::{block, braced, dollar_tag, is_name, is_word};

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlDialect {
    /// PostgreSQL.
    Postgres,
    /// MySQL or MariaDB.
    Mysql,
    /// SQLite.
    Sqlite,
}

/// Argument of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundSlot {
    /// The argument with this name.
    Named(String),
    /// The argument at this position, from 0.
    Position(usize),
}

/// SQL after it was split and rebuilt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RebuiltSql {
    /// The SQL without comments and closing semicolon.
    pub(super) text: String,
    /// Arguments in the order of the engine's placeholders.
    pub(super) slots: Vec<BoundSlot>,
    /// Number of quoted strings and names.
    pub(super) quoted: usize,
    /// Names in braces inside quotes: they are not arguments.
    pub(super) inert: Vec<String>,
}

struct Cutter<'a> {
    engine: SqlDialect,
    rest: &'a str,
    /// The character before `rest`; `'` after any quotation.
    before: char,
    asked: usize,
    ended: bool,
    cut: RebuiltSql,
}

/// Splits SQL by the rules of the engine.
pub(super) fn cut(sql: &str, engine: SqlDialect) -> Result<RebuiltSql, SqlRefused> {
    let (cut, ended) = (RebuiltSql::default(), false);
    let mut cutter = Cutter { engine, rest: sql, before: ' ', asked: 0, ended, cut };
    while let Some(next) = cutter.rest.chars().next() {
        cutter.step(next)?;
    }
    let mut cut = cutter.cut;
    cut.text = cut.text.trim().to_owned();
    Ok(cut)
}

impl Cutter<'_> {
    fn step(&mut self, next: char) -> Result<(), SqlRefused> {
        if let Some(length) = self.comment(next)? {
            self.code(' ', length);
            return Ok(());
        }
        if self.ended && !next.is_ascii_whitespace() {
            return Err(SqlRefused::many());
        }
        if let Some((open, close)) = self.quote(next)? {
            return self.quoted(&open, &close);
        }
        if let Some((slot, length)) = self.slot(next) {
            self.skip(length);
            self.put(slot);
            return Ok(());
        }
        if next == ';' {
            self.ended = true;
            self.skip(1);
            return Ok(());
        }
        // The tokenizer of `sqlparser` treats a hex literal as quoted.
        let is_hex = self.rest.starts_with("0x") && !is_word(self.before);
        self.cut.quoted += usize::from(is_hex);
        let doubled = next == ':' && self.rest.starts_with("::");
        self.plain(next)?;
        if doubled {
            self.code(':', 1);
        }
        self.code(next, next.len_utf8());
        Ok(())
    }

    fn code(&mut self, put: char, length: usize) {
        self.cut.text.push(put);
        self.before = put;
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Refuses a character that may not occur outside quotes.
    fn plain(&self, next: char) -> Result<(), SqlRefused> {
        let is_space = matches!(next, ' ' | '\t' | '\n' | '\r');
        let is_code = next.is_ascii_graphic() || (!next.is_ascii() && next.is_alphanumeric());
        let is_barred = match self.engine {
            // Variables, client commands, assignments, and `--` without a blank, which is no comment in MySQL.
            SqlDialect::Mysql => {
                matches!(next, '@' | '\\' | '$')
                    || self.rest.starts_with(":=")
                    || self.rest.starts_with("--")
            }
            SqlDialect::Sqlite => matches!(next, '@' | '$' | '#' | '\\'),
            SqlDialect::Postgres => matches!(next, '\\' | '`' | '$'),
        };
        if is_barred || !(is_space || is_code) {
            return Err(SqlRefused::sign(next));
        }
        Ok(())
    }

    /// Returns the length of the comment that begins here, if any.
    fn comment(&self, next: char) -> Result<Option<usize>, SqlRefused> {
        let dashes = self.rest.strip_prefix("--").is_some_and(|after| {
            self.engine != SqlDialect::Mysql
                || after.chars().next().is_none_or(|c| c.is_ascii_whitespace())
        });
        if dashes || (next == '#' && self.engine == SqlDialect::Mysql) {
            // Engines disagree if a carriage return alone ends a line, so a comment may not contain one.
            let line = self.rest.find('\n').unwrap_or(self.rest.len());
            let comment = self.rest.get(..line).unwrap_or_default();
            if comment.trim_end_matches('\r').contains('\r') {
                return Err(SqlRefused::sign('\r'));
            }
            return Ok(Some(line));
        }
        if !self.rest.starts_with("/*") {
            return Ok(None);
        }
        if self.rest.starts_with("/*!") || self.rest.starts_with("/*M!") {
            return Err(SqlRefused::live_comment());
        }
        let length = block(self.rest, self.engine == SqlDialect::Postgres);
        length.map(Some).ok_or_else(|| SqlRefused::unclosed("/*"))
    }

    /// Returns the opening and closing mark of the quotation that begins here, if any.
    fn quote(&self, next: char) -> Result<Option<(String, String)>, SqlRefused> {
        let both = |sign: char| Some((sign.to_string(), sign.to_string()));
        let unicode = self.rest.get(..3).is_some_and(|three| {
            matches!(three, "U&'" | "u&'" | "U&\"" | "u&\"") && !is_word(self.before)
        });
        if unicode && self.engine == SqlDialect::Postgres {
            return Err(SqlRefused::unicode_escape());
        }
        Ok(match (next, self.engine) {
            ('\'' | '"', _) => both(next),
            ('`', SqlDialect::Mysql | SqlDialect::Sqlite) => both(next),
            ('[', SqlDialect::Sqlite) => Some(("[".to_owned(), "]".to_owned())),
            ('$', SqlDialect::Postgres) if !is_word(self.before) => {
                dollar_tag(self.rest).map(|tag| (tag.to_owned(), tag.to_owned()))
            }
            _ => None,
        })
    }

    /// Copies a quotation as it is.
    fn quoted(&mut self, open: &str, close: &str) -> Result<(), SqlRefused> {
        let body = self.rest.get(open.len()..).unwrap_or_default();
        let length = self.length(body, close).ok_or_else(|| SqlRefused::unclosed(open))?;
        let whole = self.rest.get(..open.len() + length).unwrap_or_default();
        if whole.contains('\0') {
            return Err(SqlRefused::sign('\0'));
        }
        self.cut.inert.extend(braced(whole));
        self.cut.text.push_str(whole);
        self.cut.quoted += 1;
        self.before = '\'';
        self.skip(whole.len());
        Ok(())
    }

    /// Returns the length of a quotation's body with its closing mark. A doubled mark stands for itself.
    fn length(&self, body: &str, close: &str) -> Option<usize> {
        let sign = close.chars().next()?;
        if close.len() > 1 || sign == ']' || sign == '$' {
            return body.find(close).map(|at| at + close.len());
        }
        let escapes = match self.engine {
            SqlDialect::Mysql => sign != '`',
            // `E'…'`, unless the letter ends a longer word.
            SqlDialect::Postgres => sign == '\'' && self.is_escape_string(),
            SqlDialect::Sqlite => false,
        };
        let mut signs = body.char_indices().peekable();
        while let Some((at, c)) = signs.next() {
            if c == '\\' && escapes {
                signs.next();
            } else if c == sign && signs.peek().is_none_or(|(_, next)| *next != sign) {
                return Some(at + sign.len_utf8());
            } else if c == sign {
                signs.next();
            }
        }
        None
    }

    fn is_escape_string(&self) -> bool {
        let mut before = self.cut.text.chars().rev();
        matches!(before.next(), Some('e' | 'E')) && !before.next().is_some_and(is_word)
    }

    /// Returns the argument of the placeholder that begins here, and the length of the placeholder.
    fn slot(&self, next: char) -> Option<(BoundSlot, usize)> {
        let after = self.rest.get(next.len_utf8()..)?;
        let named =
            |name: &str, more: usize| (BoundSlot::Named(name.to_owned()), name.len() + more);
        match (next, self.engine) {
            (':', _) if self.before != ':' => {
                let end = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
                let name = after.get(..end)?;
                let begins = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
                begins.then(|| named(name, 1))
            }
            ('{', _) => {
                let (name, _) = after.split_once('}')?;
                is_name(name).then(|| named(name, 2))
            }
            ('?', SqlDialect::Mysql | SqlDialect::Sqlite) => {
                Some((BoundSlot::Position(self.asked), 1))
            }
            ('$', SqlDialect::Postgres) if !is_word(self.before) => {
                let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                let place: usize = after.get(..end)?.parse().ok()?;
                Some((BoundSlot::Position(place.checked_sub(1)?), end + 1))
            }
            _ => None,
        }
    }

    /// Writes the engine's placeholder.
    fn put(&mut self, slot: BoundSlot) {
        self.asked += usize::from(matches!(slot, BoundSlot::Position(_)));
        let known = self.cut.slots.iter().position(|known| *known == slot);
        let known = known.filter(|_| self.engine != SqlDialect::Mysql);
        let place = known.unwrap_or_else(|| {
            self.cut.slots.push(slot);
            self.cut.slots.len() - 1
        });
        let written = match self.engine {
            SqlDialect::Postgres => format!(" ${} ", place + 1),
            SqlDialect::Mysql => " ? ".to_owned(),
            SqlDialect::Sqlite => format!(" ?{} ", place + 1),
        };
        self.cut.text.push_str(&written);
        self.before = ' ';
    }
}
