//! Tables as text with a sign between the fields: which sign, and how fields are written.

use super::rows::Row;
use crate::records::Records;
use serde_json::Value;
use std::collections::BTreeSet;

/// The signs that are tried, the likeliest first.
const SIGNS: [char; 4] = [',', '\t', ';', '|'];

/// The sign that cuts the first line into most fields.
pub(super) fn sign_of(text: &str) -> char {
    let fields = |sign: char| match Records::cut_at(text, sign).next() {
        Some(Ok(record)) => record.fields.len(),
        Some(Err(_)) | None => 0,
    };
    let best = SIGNS.into_iter().rev().max_by_key(|sign| fields(*sign));
    best.unwrap_or(',')
}

/// Names for columns: an empty one by its place, one that was there before with a number.
pub(super) fn names<'a>(written: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for (position, name) in written.enumerate() {
        let name =
            if name.is_empty() { format!("column_{}", position + 1) } else { name.to_owned() };
        let mut unique = name.clone();
        let mut number = 2;
        while !taken.insert(unique.clone()) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        names.push(unique);
    }
    names
}

/// Writes a header and rows. What reads them back gets the same texts.
pub(super) fn write(columns: &[String], rows: &[Row], sign: char) -> String {
    let mut text = String::new();
    let mut line = |fields: &mut dyn Iterator<Item = String>| {
        for (position, field) in fields.enumerate() {
            if position > 0 {
                text.push(sign);
            }
            text.push_str(&quoted(&field, sign));
        }
        text.push('\n');
    };
    line(&mut columns.iter().cloned());
    for row in rows {
        line(&mut columns.iter().map(|column| field(super::rows::cell(row, column))));
    }
    text
}

fn field(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn quoted(field: &str, sign: char) -> String {
    let plain = !field.contains([sign, '"', '\n', '\r']) && field.trim() == field;
    if plain { field.to_owned() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_is_the_one_that_cuts_most() {
        for (text, sign) in [
            ("a,b;c\n", ','),
            ("a;b;c,d\n", ';'),
            ("a\tb\n", '\t'),
            ("a|b|c\n", '|'),
            ("\"a;b\",c\n", ','),
            ("alone\n", ','),
            ("", ','),
        ] {
            assert_eq!(sign_of(text), sign, "{text}");
        }
    }

    #[test]
    fn every_column_gets_a_name_of_its_own() {
        let written = ["a", "", "a", "a_2", "a"];
        assert_eq!(names(written.into_iter()), ["a", "column_2", "a_2", "a_2_2", "a_3"]);
    }
}
