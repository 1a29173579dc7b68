//! Reads JSON as models write it: repairs what a strict reader refuses, and records each repair.
//!
//! - in: a text and the position of an opening bracket
//! - out: the value, its end, and the repairs
//! - never: reads a byte more than a few times, recurses without a bound, or repairs silently

use super::reply::ReplyRepair;
use crate::document::{DEEPEST, MAX_VALUES};
use serde_json::{Map, Number, Value};
use std::collections::BTreeSet;

/// The reason why a text cannot be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepairStop {
    /// The text is not JSON, even with repairs.
    Syntax,
    /// Inner quotes were guessed, and the value then has no certain end.
    Guess,
    /// The value is nested deeper than [`DEEPEST`].
    Deep,
    /// The value holds more than [`MAX_VALUES`] values.
    Many,
}

/// A complete value, or the part of it before the text ended.
pub(super) enum RepairedValue {
    Whole(Value),
    Cut(Option<Value>),
}

/// The position of a quoted string, which determines the characters that may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuotedRole {
    Key,
    Field,
    Item,
    /// The value of a named argument of a call: `name="text"`.
    Argument,
}

/// A reader at a position of a text.
pub(super) struct JsonRepairer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) repairs: BTreeSet<ReplyRepair>,
    values: usize,
}

impl<'a> JsonRepairer<'a> {
    /// Starts at the opening bracket at `start`.
    pub(super) fn at(text: &'a str, start: usize) -> Self {
        Self { text, at: start, repairs: BTreeSet::new(), values: 0 }
    }

    /// Reads one value. If the text ends too early, returns the complete part.
    pub(super) fn read(&mut self) -> Result<Value, RepairStop> {
        match self.value(QuotedRole::Item, 0)? {
            RepairedValue::Whole(value) => Ok(value),
            RepairedValue::Cut(_) if self.repairs.contains(&ReplyRepair::InnerQuotes) => {
                Err(RepairStop::Guess)
            }
            RepairedValue::Cut(value) => {
                self.repairs.insert(ReplyRepair::Truncated);
                value.ok_or(RepairStop::Syntax)
            }
        }
    }

    pub(super) fn value(
        &mut self,
        role: QuotedRole,
        depth: usize,
    ) -> Result<RepairedValue, RepairStop> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(RepairStop::Many);
        }
        match self.next() {
            None => Ok(RepairedValue::Cut(None)),
            Some(b'{' | b'[') if depth >= DEEPEST => Err(RepairStop::Deep),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"' | b'\'') => Ok(self.string(role).map_or(RepairedValue::Cut(None), |text| {
                RepairedValue::Whole(Value::String(text))
            })),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => self.number(),
            Some(_) => self.literal(),
        }
    }

    fn array(&mut self, depth: usize) -> Result<RepairedValue, RepairStop> {
        self.at += 1;
        let mut items = Vec::new();
        while let Some(byte) = self.next() {
            if byte == b']' {
                self.at += 1;
                return Ok(RepairedValue::Whole(Value::Array(items)));
            }
            match self.value(QuotedRole::Item, depth)? {
                RepairedValue::Whole(item) => items.push(item),
                RepairedValue::Cut(item) => {
                    items.extend(item);
                    break;
                }
            }
            self.comma(b']')?;
        }
        Ok(RepairedValue::Cut(Some(Value::Array(items))))
    }

    fn object(&mut self, depth: usize) -> Result<RepairedValue, RepairStop> {
        self.at += 1;
        let mut map = Map::new();
        while let Some(byte) = self.next() {
            if byte == b'}' {
                self.at += 1;
                return Ok(RepairedValue::Whole(Value::Object(map)));
            }
            let Some(key) = self.key()? else { break };
            if map.contains_key(&key) {
                return Err(RepairStop::Syntax);
            }
            match self.value(QuotedRole::Field, depth)? {
                RepairedValue::Whole(value) => map.insert(key, value),
                RepairedValue::Cut(value) => {
                    map.extend(value.map(|value| (key, value)));
                    break;
                }
            };
            self.comma(b'}')?;
        }
        Ok(RepairedValue::Cut(Some(Value::Object(map))))
    }

    /// Reads a key and its colon; `None` if the text ends first.
    fn key(&mut self) -> Result<Option<String>, RepairStop> {
        let key = match self.next() {
            Some(b'"' | b'\'') => self.string(QuotedRole::Key),
            Some(_) => {
                let word = self.word();
                self.repairs.insert(ReplyRepair::Syntax);
                (!word.is_empty()).then(|| word.to_owned()).ok_or(RepairStop::Syntax).map(Some)?
            }
            None => None,
        };
        match (key, self.next()) {
            (Some(key), Some(b':')) => {
                self.at += 1;
                Ok(Some(key))
            }
            (_, None) => Ok(None),
            (_, Some(_)) => Err(RepairStop::Syntax),
        }
    }

    /// Consumes the comma after an element, or stops at the closing bracket `closes`.
    pub(super) fn comma(&mut self, closes: u8) -> Result<(), RepairStop> {
        match self.next() {
            Some(b',') => {
                self.at += 1;
                if self.next() == Some(closes) {
                    self.repairs.insert(ReplyRepair::TrailingComma);
                }
                Ok(())
            }
            Some(byte) if byte == closes => Ok(()),
            None => Ok(()),
            Some(_) => Err(RepairStop::Syntax),
        }
    }

    fn number(&mut self) -> Result<RepairedValue, RepairStop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (written, after) = rest.split_at(length);
        if after.is_empty() {
            self.at = self.text.len();
            return Ok(RepairedValue::Cut(None));
        }
        if matches!(written, "-" | "+") {
            self.at += 1;
            return self.literal();
        }
        self.at += length;
        if let Ok(value) = crate::document::read_json(written) {
            return Ok(RepairedValue::Whole(value));
        }
        self.repairs.insert(ReplyRepair::Syntax);
        let plain = written.strip_prefix('+').unwrap_or(written);
        let whole = plain.parse::<i64>().ok().map(Number::from);
        // An integer that is too large would be rounded as a float, so it is refused.
        let is_whole = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let float = || plain.parse().ok().filter(|_| !is_whole).and_then(Number::from_f64);
        let number = whole.or_else(float).ok_or(RepairStop::Syntax)?;
        Ok(RepairedValue::Whole(Value::Number(number)))
    }

    fn literal(&mut self) -> Result<RepairedValue, RepairStop> {
        let (start, word) = (self.at, self.word());
        if word.is_empty() {
            return Err(RepairStop::Syntax);
        }
        let Some(value) = literal(word) else {
            let is_cut = self.at == self.text.len();
            self.at = if is_cut { self.at } else { start };
            return if is_cut { Ok(RepairedValue::Cut(None)) } else { Err(RepairStop::Syntax) };
        };
        if !matches!(word, "true" | "false" | "null") {
            self.repairs.insert(ReplyRepair::Syntax);
        }
        Ok(RepairedValue::Whole(value))
    }

    /// Consumes a bare word: letters, digits, `_`, `$` and `-`.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Skips blanks and comments, and returns the next byte without consuming it.
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            let rest = self.text.get(self.at..)?;
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = rest.get(blank..)?;
            let comment = match rest.as_bytes() {
                [b'#', ..] | [b'/', b'/', ..] => rest.find('\n'),
                [b'/', b'*', ..] => rest.get(2..)?.find("*/").map(|at| at + 4),
                [byte, ..] => return Some(*byte),
                [] => return None,
            };
            self.repairs.insert(ReplyRepair::Syntax);
            self.at += comment.unwrap_or(rest.len());
        }
    }
}

/// Returns the value of a bare word such as `True` or `None`.
pub(super) fn literal(word: &str) -> Option<Value> {
    match word.to_ascii_lowercase().as_str() {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" | "none" | "nan" | "infinity" | "undefined" => Some(Value::Null),
        _ => None,
    }
}
