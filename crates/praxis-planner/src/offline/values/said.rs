//! What a text says that could be given to a tool.

use serde_json::Value;

/// What kind of thing a text names. The more specific kinds come first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// Text between quotes of any kind, also a title between `《》`.
    Quote,
    /// The address of a page: `https://a.b/c`, `www.a.b`, `a.com`.
    Url,
    /// The address of a mailbox.
    Email,
    /// A file or folder, or a pattern of such.
    Path,
    /// A date with a time of day.
    DateTime,
    /// A day, a month or a year; one that is told from today is left as it was written.
    Date,
    /// A time of day.
    Time,
    /// A length of time: `48 hours`, `三天`. Its value is the text.
    Span,
    /// A telephone number.
    Phone,
    /// An amount of a currency, which is its unit.
    Money,
    /// A share of a hundred.
    Percent,
    /// Yes or no.
    Boolean,
    /// An object that was written as JSON.
    Json,
    /// Several values in a row.
    List,
    /// A number, with its unit if it has one.
    Number,
    /// What somebody numbered or called by letters and digits: `ABC-123`, a hash, an identifier of a program.
    Id,
    /// Words with capitals in a row.
    Name,
    /// Any other word, phrase of a few words, or run of Chinese, that could be a value.
    Word,
    /// A bare word that may name a column. Only a request as a whole tells it.
    Label,
    /// A unit, with a number or by itself. Only a request as a whole tells it.
    Unit,
}

/// One value that a text says.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundValue {
    /// Where it begins, in bytes of the text as it was given. Quotes and units belong to it.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What kind of thing it is.
    pub kind: ValueKind,
    /// As it would be given to a tool: numbers as numbers, dates as ISO texts, lists as arrays, quotes without
    /// their quotes.
    pub value: Value,
    /// The key before it, as written, where there is one: `key: value`, `key is value`, `X为Y`.
    pub key: Option<String>,
    /// The unit of a number, as written.
    pub unit: Option<String>,
}

impl FoundValue {
    /// A value without a key and a unit.
    pub(super) fn new(from: usize, to: usize, kind: ValueKind, value: impl Into<Value>) -> Self {
        Self { from, to, kind, value: value.into(), key: None, unit: None }
    }

    /// The same with a unit.
    pub(super) fn with_unit(self, unit: Option<&str>) -> Self {
        Self { unit: unit.map(str::to_owned), ..self }
    }
}
