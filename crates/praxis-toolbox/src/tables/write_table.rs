//! `write_table`: writes rows as a CSV, TSV, JSON or JSON Lines file.

use super::read_table::TableFormat;
use super::rows::{ArgumentRows, TableRow};
use super::separated;
use crate::error::{BuiltinError, arguments};
use crate::folders::place::{self, IfExists};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteTableArguments {
    path: PathBuf,
    rows: Value,
    columns: Option<Vec<String>>,
    #[serde(default)]
    if_exists: IfExists,
}

/// Writes the rows atomically.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let WriteTableArguments { path, rows, columns, if_exists } = arguments(value)?;
    let rows = ArgumentRows::read("/rows", rows)?;
    for (position, column) in columns.iter().flatten().enumerate() {
        rows.must_have(format!("/columns/{position}"), column)?;
    }
    let columns = columns.unwrap_or_else(|| rows.columns());
    let format = TableFormat::of_name(&path).ok_or_else(|| {
        let en = "the file name must end in .csv, .tsv, .json or .jsonl";
        BuiltinError::argument("/path", (en, "文件名必须以 .csv、.tsv、.json 或 .jsonl 结尾"))
    })?;
    let tabs = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
    let text = match format {
        TableFormat::Csv => separated::write(&columns, &rows.all, if tabs { '\t' } else { ',' }),
        TableFormat::Json => format!("{:#}\n", json!(picked(&rows.all, &columns))),
        TableFormat::JsonLines => picked(&rows.all, &columns)
            .into_iter()
            .map(|row| json!(row).to_string() + "\n")
            .collect(),
    };
    let written = place::write(&path, &text, if_exists, job)?;
    Ok(json!({
        "written_path": written.path.to_string_lossy(),
        "row_count": rows.all.len(),
        "columns": columns,
        "replaced": written.replaced,
    }))
}

fn picked(rows: &[TableRow], columns: &[String]) -> Vec<TableRow> {
    let pick = |row: &TableRow| {
        let cell = |name: &String| Some((name.clone(), row.get(name)?.clone()));
        columns.iter().filter_map(cell).collect()
    };
    rows.iter().map(pick).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{refused, run};
    use serde_json::{Value, json};

    fn rows() -> Value {
        json!([{"b": "x, \"y\"\n z", "a": 1.5, "c": null}, {"a": 2, "b": " pad", "c": [1]}])
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let home = tempfile::tempdir().unwrap();
        for (name, last) in [
            ("t.csv", json!("[1]")),
            ("t.tsv", json!("[1]")),
            ("t.json", json!([1])),
            ("t.jsonl", json!([1])),
        ] {
            let path = home.path().join(name);
            let asked = json!({"path": path, "rows": rows(), "columns": ["b", "a", "c"]});
            let written = run("write_table", home.path(), asked).unwrap();
            assert_eq!((&written["row_count"], &written["replaced"]), (&json!(2), &json!(false)));
            let read = run("read_table", home.path(), json!({"path": path})).unwrap();
            let mut expected = rows();
            expected[1]["c"] = last;
            assert_eq!(read["rows"], expected, "{name}");
        }
        let text = std::fs::read_to_string(home.path().join("t.csv")).unwrap();
        assert_eq!(text, "b,a,c\n\"x, \"\"y\"\"\n z\",1.5,\n\" pad\",2,[1]\n");
    }

    #[test]
    fn a_row_of_empty_cells_is_kept() {
        let home = tempfile::tempdir().unwrap();
        for (name, rows) in [
            ("one.csv", json!([{"a": 1}, {"a": null}, {"a": 2}])),
            ("two.csv", json!([{"a": 1, "b": 1}, {"a": null, "b": null}])),
            ("two.tsv", json!([{"a": 1, "b": 1}, {"a": null, "b": null}])),
        ] {
            let path = home.path().join(name);
            run("write_table", home.path(), json!({"path": path, "rows": rows})).unwrap();
            let read = run("read_table", home.path(), json!({"path": path})).unwrap();
            assert_eq!(read["rows"], rows, "{name}");
        }
    }

    #[test]
    fn a_column_that_is_nowhere_and_a_name_of_another_kind_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.csv");
        let asked = json!({"path": path, "rows": rows(), "columns": ["a", "d"]});
        let why = refused(run("write_table", home.path(), asked));
        assert_eq!(why, "/columns/1 column `d` does not exist; the columns are `a`, `b`, `c`");
        let asked = json!({"path": home.path().join("t.sh"), "rows": rows()});
        assert!(
            refused(run("write_table", home.path(), asked))
                .starts_with("/path the file name must end in")
        );
    }
}
