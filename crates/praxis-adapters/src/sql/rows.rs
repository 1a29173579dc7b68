//! Collects rows within bounds.
//!
//! - in: columns, then rows as values
//! - out: objects, limited in number and bytes, and a flag if there were more
//! - never: loses a column that has the same name as another

use super::trouble::SqlTrouble;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of rows and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowBounds {
    pub(super) rows: u32,
    pub(super) bytes: u64,
}

/// Result of a statement.
#[derive(Debug, Default, PartialEq)]
pub(super) struct StatementRows {
    pub(super) columns: Vec<String>,
    pub(super) kept: Vec<Value>,
    /// True if there were more rows.
    pub(super) truncated: bool,
    /// Number of rows that a change touched.
    pub(super) affected: Option<u64>,
    /// Columns whose bytes are returned as Base64.
    binary: BTreeSet<String>,
    bytes: u64,
}

impl StatementRows {
    /// Creates an empty result with these columns.
    pub(super) fn of(names: Vec<String>) -> Self {
        Self { columns: unique(names), ..Self::default() }
    }

    /// Adds a row. Returns false if no more rows are wanted.
    pub(super) fn take(&mut self, row: Vec<Value>, bounds: RowBounds) -> Result<bool, SqlTrouble> {
        if self.kept.len() as u64 >= u64::from(bounds.rows) {
            self.truncated = true;
            return Ok(false);
        }
        let row: Map<String, Value> = self.columns.iter().cloned().zip(row).collect();
        let row = Value::Object(row);
        let length = row.to_string().len() as u64 + 1;
        if self.bytes + length > bounds.bytes {
            if self.kept.is_empty() {
                return Err(SqlTrouble::TooLarge);
            }
            self.truncated = true;
            return Ok(false);
        }
        self.bytes += length;
        self.kept.push(row);
        Ok(true)
    }

    /// Encodes bytes as Base64 and marks their column.
    pub(super) fn binary(&mut self, column: usize, bytes: &[u8]) -> Value {
        self.is_binary(column);
        Value::from(STANDARD.encode(bytes))
    }

    /// Marks a column as Base64.
    pub(super) fn is_binary(&mut self, column: usize) {
        self.binary.extend(self.columns.get(column).cloned());
    }

    /// Returns the output of the call.
    pub(super) fn output(self, sql: &str) -> Value {
        let mut output = Map::new();
        output.insert("row_count".to_owned(), self.kept.len().into());
        output.insert("result".to_owned(), Value::Array(self.kept));
        output.insert("sql".to_owned(), sql.into());
        output.insert("truncated".to_owned(), self.truncated.into());
        if let Some(affected) = self.affected {
            output.insert("affected_rows".to_owned(), affected.into());
        }
        if !self.binary.is_empty() {
            output.insert("base64_columns".to_owned(), self.binary.into_iter().collect());
        }
        Value::Object(output)
    }
}

/// Makes column names unique: `id`, `id` becomes `id`, `id_2`.
fn unique(names: Vec<String>) -> Vec<String> {
    let all: BTreeSet<String> = names.iter().cloned().collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut fresh = |name: String| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        let mut made = name.clone();
        while *count > 1 && (made == name || taken.contains(&made) || all.contains(&made)) {
            made = format!("{name}_{count}");
            if taken.contains(&made) || all.contains(&made) {
                *count += 1;
            }
        }
        taken.insert(made.clone());
        made
    };
    names.into_iter().map(&mut fresh).collect()
}

/// Returns a decimal as a number if that loses no digit, else as text. `NaN` and infinities are null.
pub(super) fn decimal(text: &str) -> Value {
    let Ok(number) = serde_json::from_str::<Number>(text) else {
        let digits = text.trim_start_matches('-');
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
        return if is_number { Value::from(text) } else { Value::Null };
    };
    if number.is_f64() && digits(&number.to_string()) != digits(text) {
        return Value::from(text);
    }
    Value::Number(number)
}

/// Removes the trailing zeros of a fraction: `1.50` becomes `1.5`.
fn digits(text: &str) -> &str {
    if text.contains('e') || !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.')
}

/// Returns a float as a number. `NaN` and infinities are null.
pub(super) fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_of_one_name_get_names_of_their_own() {
        let names = |given: &[&str]| unique(given.iter().map(ToString::to_string).collect());
        assert_eq!(names(&["id", "id", "n", "id"]), ["id", "id_2", "n", "id_3"]);
        assert_eq!(names(&["id", "id_2", "id", "id"]), ["id", "id_2", "id_3", "id_4"]);
        assert_eq!(names(&["id", "id", "id_2"]), ["id", "id_3", "id_2"]);
    }

    #[test]
    fn a_decimal_keeps_every_digit() {
        assert_eq!(decimal("12"), json!(12));
        assert_eq!(decimal("1.50"), json!(1.5));
        assert_eq!(decimal("100"), json!(100));
        assert_eq!(decimal("-0.10"), json!(-0.1));
        let long = "12345678901234567890.123456789";
        assert_eq!(decimal(long), json!(long));
        assert_eq!(decimal("123456789012345678901"), json!("123456789012345678901"));
        assert_eq!(decimal("NaN"), Value::Null);
        assert_eq!(decimal("Infinity"), Value::Null);
    }

    #[test]
    fn rows_end_at_either_bound() {
        let row = || vec![json!("x".repeat(20))];
        let bounds = RowBounds { rows: 2, bytes: 70 };
        let mut few = StatementRows::of(vec!["a".to_owned()]);
        assert_eq!(few.take(row(), bounds), Ok(true));
        assert_eq!(few.take(row(), bounds), Ok(true));
        assert_eq!(few.take(row(), bounds), Ok(false));
        assert!(few.truncated && few.kept.len() == 2);
        let mut short = StatementRows::of(vec!["a".to_owned()]);
        let bounds = RowBounds { rows: 9, bytes: 40 };
        assert_eq!(short.take(row(), bounds), Ok(true));
        assert_eq!(short.take(row(), bounds), Ok(false));
        assert!(short.truncated);
        let tight = RowBounds { rows: 9, bytes: 10 };
        assert_eq!(
            StatementRows::of(vec!["a".to_owned()]).take(row(), tight),
            Err(SqlTrouble::TooLarge)
        );
    }
}
