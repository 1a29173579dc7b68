//! Reads CSV: quotes around a field, two quotes for one, line feeds inside of quotes.

use std::collections::BTreeMap;

/// A row, by the names of the first line.
pub(super) type Row = BTreeMap<String, String>;

/// The rows of a text.
pub(super) fn rows(text: &str) -> Vec<Row> {
    let mut records = records(text.trim_start_matches('\u{feff}')).into_iter();
    let names = records.next().unwrap_or_default();
    let row = |record: Vec<String>| names.iter().cloned().zip(record).collect();
    records.filter(|record| record.len() > 1).map(row).collect()
}

fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut characters) = (false, text.chars().peekable());
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            _ if quoted => field.push(c),
            ',' => record.push(std::mem::take(&mut field)),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            _ => field.push(c),
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_commas_and_line_feeds_stay_inside_of_fields() {
        let rows = rows("a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\"\r\nplain,\n");
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0]["a"].as_str(), rows[0]["b"].as_str()), ("x, \"y\"", "two\nlines"));
        assert_eq!((rows[1]["a"].as_str(), rows[1]["b"].as_str()), ("plain", ""));
    }
}
