//! Reads a table of a TOML file key by key, and collects its problems.
//!
//! - in: a table and the lines of its keys
//! - out: typed values; a problem for each value of the wrong type and for each unknown key
//! - never: stops at the first problem, or repeats a value that may be a secret

use praxis_core::ask::price::TokenPrice;
use praxis_core::lang::type_zh;
use praxis_core::near::near;
use praxis_core::problem::{Bilingual, Problem};
use praxis_core::time::parse_span_ms;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// The line numbers of the keys in a file.
pub(super) struct KeyLines {
    file: String,
    lines: BTreeMap<String, usize>,
}

impl KeyLines {
    pub(super) fn of(file: &str, text: &str) -> Self {
        let mut lines = BTreeMap::new();
        if let Ok(table) = DeTable::parse(text) {
            note(text, "", table.get_ref(), &mut lines);
        }
        Self { file: file.to_owned(), lines }
    }

    /// Returns the file and line of a key; of the table if the key is missing in it.
    pub(super) fn at(&self, path: &str) -> String {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path) {
                return format!("{} line {line}", self.file);
            }
            let Some((above, _)) = path.rsplit_once('.') else { return self.file.clone() };
            path = above;
        }
    }
}

fn note(text: &str, above: &str, table: &DeTable<'_>, lines: &mut BTreeMap<String, usize>) {
    for (key, value) in table {
        let path = join(above, key.get_ref());
        lines.insert(path.clone(), line_at(text, key.span().start));
        if let DeValue::Table(inner) = value.get_ref() {
            note(text, &path, inner, lines);
        }
    }
}

/// Returns the line number of a byte, counted from 1.
pub(super) fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

fn join(above: &str, key: &str) -> String {
    match (above, key) {
        ("", key) => key.to_owned(),
        (above, "") => above.to_owned(),
        (above, key) => format!("{above}.{key}"),
    }
}

/// Parses `08:30` as minutes since midnight.
fn clock(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u16>().ok())?
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// A table that is being read.
pub(super) struct TableFields<'a> {
    table: Table,
    path: String,
    lines: &'a KeyLines,
    problems: &'a mut Vec<Problem>,
    known: Vec<&'static str>,
}

impl<'a> TableFields<'a> {
    pub(super) fn new(
        table: Table,
        path: &str,
        lines: &'a KeyLines,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        Self { table, path: path.to_owned(), lines, problems, known: Vec::new() }
    }

    /// Adds a `bad_model` problem for a key.
    pub(super) fn wrong(&mut self, key: &str, words: impl Into<Bilingual>) {
        let Bilingual { en, zh } = words.into();
        let path = join(&self.path, key);
        let words = (format!("`{path}`: {en}"), format!("`{path}`：{zh}"));
        self.add(key, |at| Problem::new("bad_model", at, words));
    }

    /// Adds any problem for a key.
    pub(super) fn add(&mut self, key: &str, problem: impl FnOnce(&str) -> Problem) {
        self.problems.push(problem(&self.place(key)));
    }

    /// Returns the file and line of the table itself.
    pub(super) fn at(&self) -> String {
        self.lines.at(&self.path)
    }

    /// Returns the file and line of a key.
    pub(super) fn place(&self, key: &str) -> String {
        self.lines.at(&join(&self.path, key))
    }

    /// Returns true if the table has a key that was not read yet.
    pub(super) fn holds(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Returns the number of problems so far.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }

    /// Reads another table of the same file.
    pub(super) fn inside(&mut self, path: &str, table: Table) -> TableFields<'_> {
        TableFields::new(table, path, self.lines, self.problems)
    }

    /// Takes the value of a key, whatever its type.
    pub(super) fn value(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }

    /// Takes a value that `read` accepts; adds a problem if it does not.
    fn typed<T>(
        &mut self,
        key: &'static str,
        expected: (&str, &str),
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let typed = read(&value);
        if typed.is_none() {
            let found = value.type_str();
            let (en, zh) = expected;
            let found_zh = type_zh(found);
            self.wrong(
                key,
                (format!("expected {en}, got {found}"), format!("应为{zh}，实际为{found_zh}")),
            );
        }
        typed
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        self.typed(key, ("a non-empty string", "非空字符串"), |value| {
            value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        })
    }

    pub(super) fn whole(&mut self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let (least, most) = (range.start(), range.end());
        let en = format!("a whole number from {least} to {most}");
        let zh = format!("从 {least} 到 {most} 的整数");
        self.typed(key, (&en, &zh), |value| {
            let number = u64::try_from(value.as_integer()?).ok()?;
            range.contains(&number).then_some(number)
        })
    }

    /// Reads a duration in milliseconds, greater than zero.
    pub(super) fn span(&mut self, key: &'static str) -> Option<u64> {
        let expected =
            ("a duration above zero such as `30s` or `10m`", "大于零的时长，如 `30s` 或 `10m`");
        self.typed(key, expected, |value| parse_span_ms(value.as_str()?).filter(|ms| *ms > 0))
    }

    /// Reads a price: a number, or the same as a string.
    pub(super) fn rate(&mut self, key: &'static str) -> Option<TokenPrice> {
        let expected = (
            "a price such as `2` or `0.5`, with at most 12 digits after the point",
            "价格，如 `2` 或 `0.5`，小数点后最多 12 位",
        );
        self.typed(key, expected, |value| match value {
            Value::Integer(number) => TokenPrice::read(&number.to_string()),
            // `to_string` gives the shortest text of this number, without the digits of binary rounding.
            Value::Float(number) => TokenPrice::read(&number.to_string()),
            Value::String(text) => TokenPrice::read(text.trim()),
            Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
        })
    }

    /// Reads one of a few words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let listed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let listed = listed.join("`, `");
        let (en, zh) = (format!("one of `{listed}`"), format!("以下之一：`{listed}`"));
        self.typed(key, (&en, &zh), |value| {
            words.iter().find(|(word, _)| value.as_str() == Some(*word)).map(|(_, it)| *it)
        })
    }

    /// Reads a time of day such as `08:30`, in minutes.
    pub(super) fn minute(&mut self, key: &'static str) -> Option<u16> {
        let expected = ("a time of day such as `08:30`", "一天中的时刻，如 `08:30`");
        if !self.holds(key) {
            self.wrong(key, ("missing", "缺失"));
        }
        self.typed(key, expected, |value| clock(value.as_str()?))
    }

    /// Reads an offset from UTC such as `+08:00`, in minutes; a missing one is UTC.
    pub(super) fn zone(&mut self, key: &'static str) -> i32 {
        let expected = ("a UTC offset such as `+08:00`", "与 UTC 的时差，如 `+08:00`");
        let zone = self.typed(key, expected, |value| {
            let text = value.as_str()?;
            let ahead = text.strip_prefix('+').map(|rest| (1, rest));
            let (sign, rest) = ahead.or_else(|| Some((-1, text.strip_prefix('-')?)))?;
            Some(sign * i32::from(clock(rest)?))
        });
        zone.unwrap_or(0)
    }

    /// Reads an inner table; `None` if it is missing.
    pub(super) fn table(&mut self, key: &'static str) -> Option<TableFields<'_>> {
        let table = self.typed(key, ("a table", " TOML 表"), |value| value.as_table().cloned())?;
        let path = join(&self.path, key);
        Some(self.inside(&path, table))
    }

    /// Reads the named tables inside a table.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<(String, Table)> {
        let table = self.typed(key, ("a table", " TOML 表"), |value| value.as_table().cloned());
        let mut tables = Vec::new();
        for (name, value) in table.into_iter().flatten() {
            match value {
                Value::Table(table) => tables.push((name, table)),
                other => {
                    let found = other.type_str();
                    let words = (
                        format!("expected a table, got {found}"),
                        format!("应为 TOML 表，实际为{}", type_zh(found)),
                    );
                    self.wrong(&format!("{key}.{name}"), words);
                }
            }
        }
        tables
    }

    /// Adds a problem for every key that was not read.
    pub(super) fn end(mut self) {
        let left: Vec<String> = self.table.keys().cloned().collect();
        for key in left {
            let path = join(&self.path, &key);
            let words = (format!("unknown field `{path}`"), format!("未知字段 `{path}`"));
            let names = near(&key, self.known.iter().copied());
            self.add(&key, |at| Problem::new("unknown_model_key", at, words).or_near(&names));
        }
    }
}
