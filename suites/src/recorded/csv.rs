//! Reads the CSV files of the public suites.

use csv::{ReaderBuilder, StringRecord};
use std::collections::BTreeMap;

/// A row, by column name.
pub(super) type CsvRecord = BTreeMap<String, String>;

/// Reads the rows of a text. Lines with a single field are skipped.
pub(super) fn rows(text: &str) -> csv::Result<Vec<CsvRecord>> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let names = reader.headers()?.clone();
    let owned = |record: &StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let row = |record: &StringRecord| owned(&names).into_iter().zip(owned(record)).collect();
    let whole =
        |record: &csv::Result<StringRecord>| !matches!(record, Ok(record) if record.len() < 2);
    reader.records().filter(whole).map(|record| Ok(row(&record?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_commas_and_line_feeds_stay_inside_of_fields() {
        let rows = rows("a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\"\r\nplain,\n").unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0]["a"].as_str(), rows[0]["b"].as_str()), ("x, \"y\"", "two\nlines"));
        assert_eq!((rows[1]["a"].as_str(), rows[1]["b"].as_str()), ("plain", ""));
    }
}
