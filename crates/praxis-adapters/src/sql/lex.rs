//! Splits SQL as the database would: strings, names, comments and placeholders.
//!
//! - in: SQL as it was written
//! - out: the SQL without comments and with the placeholders of the dialect, and the argument of each
//! - never: guesses; SQL that two parsers could tokenize differently is rejected

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

/// The argument that a placeholder takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentRef {
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
    /// Arguments in the order of the placeholders.
    pub(super) slots: Vec<ArgumentRef>,
    /// Number of quoted strings and names.
    pub(super) quoted: usize,
    /// Names of placeholders inside quotes: they are text, not arguments.
    pub(super) quoted_placeholders: Vec<String>,
}

struct SqlLexer<'a> {
    dialect: SqlDialect,
    rest: &'a str,
    /// The character before `rest`; `'` after any quoted token.
    before: char,
    /// Number of positional placeholders so far.
    positional_count: usize,
    /// True after the closing semicolon.
    ended: bool,
    out: RebuiltSql,
}

/// Splits SQL by the rules of the dialect.
pub(super) fn lex(sql: &str, dialect: SqlDialect) -> Result<RebuiltSql, SqlRefused> {
    let (out, ended) = (RebuiltSql::default(), false);
    let mut lexer = SqlLexer { dialect, rest: sql, before: ' ', positional_count: 0, ended, out };
    while let Some(next) = lexer.rest.chars().next() {
        lexer.step(next)?;
    }
    let mut out = lexer.out;
    out.text = out.text.trim().to_owned();
    Ok(out)
}

impl SqlLexer<'_> {
    fn step(&mut self, next: char) -> Result<(), SqlRefused> {
        if let Some(length) = self.comment(next)? {
            self.emit(' ', length);
            return Ok(());
        }
        if self.ended && !next.is_ascii_whitespace() {
            return Err(SqlRefused::multiple_statements());
        }
        if let Some((open, close)) = self.quote(next)? {
            return self.quoted(&open, &close);
        }
        if let Some((slot, length)) = self.slot(next) {
            self.skip(length);
            self.emit_placeholder(slot);
            return Ok(());
        }
        if next == ';' {
            self.ended = true;
            self.skip(1);
            return Ok(());
        }
        // The tokenizer of `sqlparser` treats a hex literal as quoted.
        let is_hex = self.rest.starts_with("0x") && !is_word(self.before);
        self.out.quoted += usize::from(is_hex);
        let doubled = next == ':' && self.rest.starts_with("::");
        self.check_unquoted(next)?;
        if doubled {
            self.emit(':', 1);
        }
        self.emit(next, next.len_utf8());
        Ok(())
    }

    fn emit(&mut self, character: char, length: usize) {
        self.out.text.push(character);
        self.before = character;
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Refuses a character that may not occur outside quotes.
    fn check_unquoted(&self, next: char) -> Result<(), SqlRefused> {
        let is_space = matches!(next, ' ' | '\t' | '\n' | '\r');
        let is_code = next.is_ascii_graphic() || (!next.is_ascii() && next.is_alphanumeric());
        let is_barred = match self.dialect {
            // Variables, client commands, assignments, and `--` not followed by a space, which is not a
            // comment in MySQL.
            SqlDialect::Mysql => {
                matches!(next, '@' | '\\' | '$')
                    || self.rest.starts_with(":=")
                    || self.rest.starts_with("--")
            }
            SqlDialect::Sqlite => matches!(next, '@' | '$' | '#' | '\\'),
            SqlDialect::Postgres => matches!(next, '\\' | '`' | '$'),
        };
        if is_barred || !(is_space || is_code) {
            return Err(SqlRefused::character(next));
        }
        Ok(())
    }

    /// Returns the length of the comment that begins here, if any.
    fn comment(&self, next: char) -> Result<Option<usize>, SqlRefused> {
        let dashes = self.rest.strip_prefix("--").is_some_and(|after| {
            self.dialect != SqlDialect::Mysql
                || after.chars().next().is_none_or(|c| c.is_ascii_whitespace())
        });
        if dashes || (next == '#' && self.dialect == SqlDialect::Mysql) {
            // Databases disagree if a carriage return alone ends a line, so a comment may not contain one.
            let line = self.rest.find('\n').unwrap_or(self.rest.len());
            let comment = self.rest.get(..line).unwrap_or_default();
            if comment.trim_end_matches('\r').contains('\r') {
                return Err(SqlRefused::character('\r'));
            }
            return Ok(Some(line));
        }
        if !self.rest.starts_with("/*") {
            return Ok(None);
        }
        if self.rest.starts_with("/*!") || self.rest.starts_with("/*M!") {
            return Err(SqlRefused::executable_comment());
        }
        let length = block(self.rest, self.dialect == SqlDialect::Postgres);
        length.map(Some).ok_or_else(|| SqlRefused::unclosed("/*"))
    }

    /// Returns the opening and closing delimiter of the quoted token that begins here, if any.
    fn quote(&self, next: char) -> Result<Option<(String, String)>, SqlRefused> {
        let both = |delimiter: char| Some((delimiter.to_string(), delimiter.to_string()));
        let unicode = self.rest.get(..3).is_some_and(|three| {
            matches!(three, "U&'" | "u&'" | "U&\"" | "u&\"") && !is_word(self.before)
        });
        if unicode && self.dialect == SqlDialect::Postgres {
            return Err(SqlRefused::unicode_escape());
        }
        Ok(match (next, self.dialect) {
            ('\'' | '"', _) => both(next),
            ('`', SqlDialect::Mysql | SqlDialect::Sqlite) => both(next),
            ('[', SqlDialect::Sqlite) => Some(("[".to_owned(), "]".to_owned())),
            ('$', SqlDialect::Postgres) if !is_word(self.before) => {
                dollar_tag(self.rest).map(|tag| (tag.to_owned(), tag.to_owned()))
            }
            _ => None,
        })
    }

    /// Copies a quoted token as it is.
    fn quoted(&mut self, open: &str, close: &str) -> Result<(), SqlRefused> {
        let body = self.rest.get(open.len()..).unwrap_or_default();
        let length = self.length(body, close).ok_or_else(|| SqlRefused::unclosed(open))?;
        let whole = self.rest.get(..open.len() + length).unwrap_or_default();
        if whole.contains('\0') {
            return Err(SqlRefused::character('\0'));
        }
        self.out.quoted_placeholders.extend(braced(whole));
        self.out.text.push_str(whole);
        self.out.quoted += 1;
        self.before = '\'';
        self.skip(whole.len());
        Ok(())
    }

    /// Returns the length of a quoted token's body with its closing delimiter. A doubled delimiter is one character.
    fn length(&self, body: &str, close: &str) -> Option<usize> {
        let delimiter = close.chars().next()?;
        if close.len() > 1 || delimiter == ']' || delimiter == '$' {
            return body.find(close).map(|at| at + close.len());
        }
        let escapes = match self.dialect {
            SqlDialect::Mysql => delimiter != '`',
            // `E'…'`, unless the letter ends a longer word.
            SqlDialect::Postgres => delimiter == '\'' && self.is_escape_string(),
            SqlDialect::Sqlite => false,
        };
        let mut characters = body.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            if c == '\\' && escapes {
                characters.next();
            } else if c == delimiter && characters.peek().is_none_or(|(_, next)| *next != delimiter)
            {
                return Some(at + delimiter.len_utf8());
            } else if c == delimiter {
                characters.next();
            }
        }
        None
    }

    fn is_escape_string(&self) -> bool {
        let mut before = self.out.text.chars().rev();
        matches!(before.next(), Some('e' | 'E')) && !before.next().is_some_and(is_word)
    }

    /// Returns the argument of the placeholder that begins here, and the length of the placeholder.
    fn slot(&self, next: char) -> Option<(ArgumentRef, usize)> {
        let after = self.rest.get(next.len_utf8()..)?;
        let named =
            |name: &str, more: usize| (ArgumentRef::Named(name.to_owned()), name.len() + more);
        match (next, self.dialect) {
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
                Some((ArgumentRef::Position(self.positional_count), 1))
            }
            ('$', SqlDialect::Postgres) if !is_word(self.before) => {
                let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                let place: usize = after.get(..end)?.parse().ok()?;
                Some((ArgumentRef::Position(place.checked_sub(1)?), end + 1))
            }
            _ => None,
        }
    }

    /// Writes the placeholder of the dialect.
    fn emit_placeholder(&mut self, slot: ArgumentRef) {
        self.positional_count += usize::from(matches!(slot, ArgumentRef::Position(_)));
        let known = self.out.slots.iter().position(|known| *known == slot);
        let known = known.filter(|_| self.dialect != SqlDialect::Mysql);
        let place = known.unwrap_or_else(|| {
            self.out.slots.push(slot);
            self.out.slots.len() - 1
        });
        let written = match self.dialect {
            SqlDialect::Postgres => format!(" ${} ", place + 1),
            SqlDialect::Mysql => " ? ".to_owned(),
            SqlDialect::Sqlite => format!(" ?{} ", place + 1),
        };
        self.out.text.push_str(&written);
        self.before = ' ';
    }
}
