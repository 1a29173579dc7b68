//! Values found in a text that could be arguments of a tool.

use serde_json::Value;

/// The kind of a value. More specific kinds come first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// Text in quotation marks of any kind, also a title in `《》`.
    Quote,
    /// A URL or a host: `https://a.b/c`, `www.a.b`, `a.com`.
    Url,
    /// An email address.
    Email,
    /// A file, a folder or a glob.
    Path,
    /// A date with a time of day.
    DateTime,
    /// A day, a month or a year; a relative date is kept as written.
    Date,
    /// A time of day.
    Time,
    /// A duration: `48 hours`, `三天`. Its value is the text.
    Span,
    /// A phone number.
    Phone,
    /// An amount of money, with the currency as its unit.
    Money,
    /// A percentage.
    Percent,
    /// A boolean.
    Boolean,
    /// A JSON object.
    Json,
    /// Several values in a row.
    List,
    /// A number, with its unit if it has one.
    Number,
    /// An identifier of letters and digits: `ABC-123`, a hash, a name from a program.
    Id,
    /// Capitalized words in a row.
    Name,
    /// Any other word, short phrase or run of Chinese that could be a value.
    Word,
    /// A bare word that may name a column. Not found by `values`: it needs the context of a whole request.
    Label,
    /// A unit, with or without a number. Not found by `values`: it needs the context of a whole request.
    Unit,
}

/// A value found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundValue {
    /// The start, in bytes of the original text. Quotation marks and units are part of the range.
    pub from: usize,
    /// The end, in bytes of the original text.
    pub to: usize,
    /// The kind of the value.
    pub kind: ValueKind,
    /// The value as an argument of a tool: numbers as numbers, dates as ISO strings, lists as arrays, quotes without
    /// their quotation marks.
    pub value: Value,
    /// The key before it, as written, if there is one: `key: value`, `key is value`, `X为Y`.
    pub key: Option<String>,
    /// The unit of a number, as written.
    pub unit: Option<String>,
}

impl FoundValue {
    /// Creates a value without a key and a unit.
    pub(super) fn new(from: usize, to: usize, kind: ValueKind, value: impl Into<Value>) -> Self {
        Self { from, to, kind, value: value.into(), key: None, unit: None }
    }

    /// Returns the value with this unit.
    pub(super) fn with_unit(self, unit: Option<&str>) -> Self {
        Self { unit: unit.map(str::to_owned), ..self }
    }
}
