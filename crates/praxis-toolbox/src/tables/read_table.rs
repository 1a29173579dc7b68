//! `read_table` and `parse_table`: read the rows of a CSV, TSV, JSON or JSON Lines file or text.

use super::rows::{MOST_ROWS, TableRow};
use super::{cell, separated, typed};
use crate::error::{BuiltinError, arguments};
use crate::files;
use crate::json_text::not_json;
use crate::local::CallContext;
use crate::records::{BadQuotes, CsvRecords};
use crate::wording::{must_be_between, prefixed};
use praxis_core::document::read_json;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The maximum number of columns.
const MOST_COLUMNS: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableOfFile {
    path: PathBuf,
    format: Option<TableFormat>,
    separator: Option<char>,
    has_header: Option<bool>,
    most_rows: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableOfText {
    text: String,
    format: Option<TableFormat>,
    separator: Option<char>,
    has_header: Option<bool>,
    most_rows: Option<usize>,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TableFormat {
    Csv,
    Json,
    JsonLines,
}

impl TableFormat {
    /// Guesses the format from the extension of a file.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" | "tsv" | "txt" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }

    /// Guesses the format from the first character of a text.
    fn of_text(text: &str) -> Self {
        match text.trim_start().chars().next() {
            Some('[') => Self::Json,
            Some('{') => Self::JsonLines,
            _ => Self::Csv,
        }
    }
}

struct ReadTableArguments {
    format: TableFormat,
    separator: Option<char>,
    has_header: bool,
    most: usize,
}

/// The parsed content of a table.
#[derive(Default)]
struct ParsedTable {
    columns: Vec<String>,
    rows: Vec<TableRow>,
    all: usize,
}

/// Reads a table from a file.
pub(crate) fn of_file(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let TableOfFile { path, format, separator, has_header, most_rows } = arguments(value)?;
    let text = files::read_text(&job.fence.find(&path)?.real)?;
    let format =
        format.or(TableFormat::of_name(&path)).unwrap_or_else(|| TableFormat::of_text(&text));
    let named_tsv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
    let separator = separator.or(named_tsv.then_some('\t'));
    let (has_header, most) = (has_header.unwrap_or(true), most_rows.unwrap_or(MOST_ROWS));
    told(&text, &ReadTableArguments { format, separator, has_header, most }, |why| {
        let path = path.display();
        BuiltinError::Failed(prefixed(format!("`{path}`: "), format!("`{path}`："), &why))
    })
}

/// Reads a table from a text.
pub(crate) fn of_text(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let TableOfText { text, format, separator, has_header, most_rows } = arguments(value)?;
    let format = format.unwrap_or_else(|| TableFormat::of_text(&text));
    let (has_header, most) = (has_header.unwrap_or(true), most_rows.unwrap_or(MOST_ROWS));
    told(&text, &ReadTableArguments { format, separator, has_header, most }, |why| {
        BuiltinError::argument("/text", why)
    })
}

fn told(
    text: &str,
    asked: &ReadTableArguments,
    failed: impl Fn(Bilingual) -> BuiltinError,
) -> Result<Value, BuiltinError> {
    if !(1..=MOST_ROWS).contains(&asked.most) {
        let why = must_be_between(1, MOST_ROWS, asked.most);
        return Err(BuiltinError::argument("/most_rows", why));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = match asked.format {
        TableFormat::Csv => separated(text, asked),
        TableFormat::Json => json_array(text, asked.most),
        TableFormat::JsonLines => json_lines(text, asked.most),
    };
    let ParsedTable { columns, rows, all } = table.map_err(failed)?;
    let kinds: Map<String, Value> = columns
        .iter()
        .map(|name| {
            let cells = rows.iter().map(|row| super::rows::cell(row, name));
            (name.clone(), Value::from(cell::kind_of_all(cells)))
        })
        .collect();
    Ok(json!({
        "columns": columns,
        "column_types": kinds,
        "row_count": rows.len(),
        "total_row_count": all,
        "truncated": all > rows.len(),
        "rows": rows,
    }))
}

fn separated(text: &str, asked: &ReadTableArguments) -> Result<ParsedTable, Bilingual> {
    let sign = asked.separator.unwrap_or_else(|| separated::sign_of(text));
    let mut records = CsvRecords::cut_at(text, sign).peekable();
    let first = match records.peek() {
        None => return Ok(ParsedTable::default()),
        Some(Err(bad)) => return Err(bad.words()),
        Some(Ok(first)) => first.fields.clone(),
    };
    if first.len() > MOST_COLUMNS {
        let en = format!("the table has more than {MOST_COLUMNS} columns");
        return Err((en, format!("表格超过 {MOST_COLUMNS} 列")).into());
    }
    let columns = if asked.has_header {
        records.next();
        separated::names(first.iter().map(AsRef::as_ref))
    } else {
        separated::names(first.iter().map(|_| ""))
    };
    let (mut kept, mut all) = (Vec::new(), 0);
    for record in records {
        let record = record.map_err(BadQuotes::words)?;
        let (found, wanted) = (record.fields.len(), columns.len());
        if found != wanted {
            let line = record.line;
            let en = format!("line {line}: expected {wanted} fields, got {found}");
            let zh = format!("第 {line} 行：应有 {wanted} 个字段，实际为 {found} 个");
            return Err((en, zh).into());
        }
        all += 1;
        if all <= asked.most {
            kept.push(record.fields.into_iter().map(std::borrow::Cow::into_owned).collect());
        }
    }
    let row = |cells: Vec<Value>| columns.iter().cloned().zip(cells).collect();
    let rows = typed::cells(columns.len(), kept).into_iter().map(row).collect();
    Ok(ParsedTable { columns, rows, all })
}

fn json_array(text: &str, most: usize) -> Result<ParsedTable, Bilingual> {
    match read_json(text).map_err(|error| not_json(&error))? {
        Value::Array(items) => objects(items.into_iter().map(Ok), most, ("item", "项")),
        _ => {
            let en = "not a list of objects; take the list out with `json_query` first";
            Err((en, "不是对象的列表；请先用 `json_query` 取出列表").into())
        }
    }
}

fn json_lines(text: &str, most: usize) -> Result<ParsedTable, Bilingual> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    objects(
        lines.map(|line| read_json(line).map_err(|error| not_json(&error))),
        most,
        ("line", "行"),
    )
}

fn objects(
    items: impl Iterator<Item = Result<Value, Bilingual>>,
    most: usize,
    (word_en, word_zh): (&str, &str),
) -> Result<ParsedTable, Bilingual> {
    let mut table = ParsedTable::default();
    let mut columns = BTreeSet::new();
    for item in items {
        table.all += 1;
        let place = table.all;
        let at = |why: Bilingual| {
            prefixed(format!("{word_en} {place}: "), format!("第 {place} {word_zh}："), &why)
        };
        match item.map_err(at)? {
            Value::Object(row) if table.rows.len() < most => {
                columns.extend(row.keys().cloned());
                table.rows.push(row);
            }
            Value::Object(_) => {}
            other => {
                let found = cell::shown(&other);
                let en = format!("{found} is not an object");
                return Err(at((en, format!("{found} 不是对象")).into()));
            }
        }
    }
    table.columns = columns.into_iter().collect();
    Ok(table)
}

#[cfg(test)]
#[path = "read_table_tests.rs"]
mod tests;
