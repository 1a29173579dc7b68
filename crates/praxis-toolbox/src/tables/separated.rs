//! Tables as separated text: detects the separator, writes fields.

use super::rows::TableRow;
use crate::records::CsvRecords;
use serde_json::Value;
use std::collections::BTreeSet;

/// The separators that are tried, the most likely first.
const SIGNS: [char; 4] = [',', '\t', ';', '|'];

/// Returns the separator that splits the first line into the most fields.
pub(super) fn sign_of(text: &str) -> char {
    let fields = |sign: char| match CsvRecords::cut_at(text, sign).next() {
        Some(Ok(record)) => record.fields.len(),
        Some(Err(_)) | None => 0,
    };
    let best = SIGNS.into_iter().rev().max_by_key(|sign| fields(*sign));
    best.unwrap_or(',')
}

/// Makes column names unique: an empty name becomes `column_N`, a repeated one gets a number.
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

/// Writes a header and rows, which parse back to the same texts.
pub(super) fn write(columns: &[String], rows: &[TableRow], sign: char) -> String {
    let header = line(columns.iter().cloned(), sign);
    let row = |row| line(columns.iter().map(|column| field(super::rows::cell(row, column))), sign);
    std::iter::once(header).chain(rows.iter().map(row)).collect()
}

/// Writes one line. Quotes the first field of a blank line, because readers skip blank lines.
fn line(fields: impl Iterator<Item = String>, sign: char) -> String {
    let fields: Vec<String> = fields.map(|field| quoted(&field, sign)).collect();
    let line = fields.join(&sign.to_string());
    let is_lost = !fields.is_empty() && line.trim().is_empty();
    format!("{}{line}\n", if is_lost { "\"\"" } else { "" })
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
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

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

    proptest! {
        #[test]
        fn what_is_written_reads_the_same_here_and_in_another_reader(
            table in vec(vec("[a-c负 ,;|\"\t\r\n]{0,3}", 3), 0..6),
            width in 1_usize..4,
            sign in select(SIGNS.as_slice()),
        ) {
            let columns: Vec<String> = (0..width).map(|number| format!("c{number}")).collect();
            let cells = |row: &Vec<String>| row.iter().map(|cell| json!(cell)).collect::<Vec<_>>();
            let row = |row: &Vec<String>| columns.iter().cloned().zip(cells(row)).collect();
            let rows: Vec<TableRow> = table.iter().map(row).collect();
            let text = write(&columns, &rows, sign);
            let mut expected = vec![columns.clone()];
            expected.extend(table.iter().map(|cells| cells[..width].to_vec()));
            prop_assert_eq!(ours(&text, sign), &*expected);
            prop_assert_eq!(theirs(&text, sign), expected);
        }

        #[test]
        fn what_another_writer_quotes_is_read_as_it_was(
            table in vec(vec("[a-c负 ,;|\"\t\r\n]{0,6}", 1..4), 0..6),
            sign in select(SIGNS.as_slice()),
            crlf in any::<bool>(),
        ) {
            let ending = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new()
                .flexible(true)
                .delimiter(u8::try_from(sign).unwrap())
                .quote_style(csv::QuoteStyle::Always)
                .terminator(ending)
                .from_writer(Vec::new());
            for cells in &table {
                writer.write_record(cells).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            prop_assert_eq!(ours(&text, sign), table);
        }
    }

    fn ours(text: &str, sign: char) -> Vec<Vec<String>> {
        let fields = |record: crate::records::Record<'_>| {
            record.fields.into_iter().map(std::borrow::Cow::into_owned).collect()
        };
        CsvRecords::cut_at(text, sign).map(|record| fields(record.unwrap())).collect()
    }

    fn theirs(text: &str, sign: char) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(u8::try_from(sign).unwrap())
            .from_reader(text.as_bytes());
        let fields = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
        reader.records().map(|record| fields(record.unwrap())).collect()
    }
}
