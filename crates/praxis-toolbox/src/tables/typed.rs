//! Infers the type of a text column: numbers if all texts are numbers, otherwise booleans, otherwise texts.

use praxis_core::document::read_json;
use serde_json::Value;

/// The type of all fields of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnKind {
    Number,
    Boolean,
    Text,
}

/// Converts texts to typed cells, column by column. An empty text becomes `null`.
pub(super) fn cells(columns: usize, records: Vec<Vec<String>>) -> Vec<Vec<Value>> {
    let kinds: Vec<ColumnKind> = (0..columns)
        .map(|column| kind(records.iter().filter_map(|record| record.get(column))))
        .collect();
    let cell = |(text, kind): (String, &ColumnKind)| match kind {
        _ if text.is_empty() => Value::Null,
        ColumnKind::Number => number(&text).unwrap_or(Value::String(text)),
        ColumnKind::Boolean => Value::Bool(text == "true" || text == "TRUE" || text == "True"),
        ColumnKind::Text => Value::String(text),
    };
    records.into_iter().map(|record| record.into_iter().zip(&kinds).map(cell).collect()).collect()
}

fn kind<'a>(fields: impl Iterator<Item = &'a String> + Clone) -> ColumnKind {
    let mut full = fields.filter(|field| !field.is_empty());
    let all = |fits: fn(&str) -> bool| full.clone().all(|field| fits(field));
    let boolean =
        |text: &str| matches!(text, "true" | "false" | "TRUE" | "FALSE" | "True" | "False");
    if full.clone().next().is_none() {
        ColumnKind::Text
    } else if all(|text| number(text).is_some()) {
        ColumnKind::Number
    } else if full.all(|field| boolean(field)) {
        ColumnKind::Boolean
    } else {
        ColumnKind::Text
    }
}

/// Parses a JSON number. Returns `None` for a text that would lose digits as a number: `007`, or a very long one.
fn number(text: &str) -> Option<Value> {
    let written = text.strip_prefix('+').unwrap_or(text);
    let first = written.bytes().next()?;
    if !(first.is_ascii_digit() || first == b'-') {
        return None;
    }
    read_json(written).ok().filter(Value::is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn column(fields: &[&str]) -> Value {
        let records = fields.iter().map(|field| vec![(*field).to_owned()]).collect();
        cells(1, records).into_iter().flatten().collect()
    }

    #[test]
    fn a_column_has_the_kind_that_all_its_fields_have() {
        for (fields, expected) in [
            (&["1", "", "-2.5", "1e3", "+4"][..], json!([1, null, -2.5, 1000.0, 4])),
            (&["1", "x"], json!(["1", "x"])),
            (&["007", "12"], json!(["007", "12"])),
            (&["12345678901234567890123"], json!(["12345678901234567890123"])),
            (&["18446744073709551615"], json!([u64::MAX])),
            (&["true", "FALSE", ""], json!([true, false, null])),
            (&["", ""], json!([null, null])),
            (&["NaN", "1"], json!(["NaN", "1"])),
            (&["1,000"], json!(["1,000"])),
            (&["[1]"], json!(["[1]"])),
        ] {
            assert_eq!(column(fields), expected);
        }
    }
}
