//! `select_columns`: selects columns of a table and renames them.

use super::cell::key;
use super::rows::{ArgumentRows, TableRow, cell, no_columns};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SelectColumnsArguments {
    rows: Value,
    columns: Vec<String>,
    #[serde(default)]
    rename: BTreeMap<String, String>,
    #[serde(default)]
    distinct: bool,
}

/// Keeps the given columns; with `distinct`, only the first row of each combination of cells.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let SelectColumnsArguments { rows, columns, rename, distinct } = arguments(value)?;
    let rows = ArgumentRows::read("/rows", rows)?;
    for (position, column) in columns.iter().enumerate() {
        rows.must_have(format!("/columns/{position}"), column)?;
    }
    let names = names(&columns, &rename)?;
    let mut seen = BTreeSet::new();
    let mut kept: Vec<TableRow> = Vec::new();
    for row in &rows.all {
        let cells: Vec<&Value> = columns.iter().map(|column| cell(row, column)).collect();
        if distinct && !seen.insert(cells.iter().map(|cell| key(cell)).collect::<Vec<_>>()) {
            continue;
        }
        kept.push(names.iter().cloned().zip(cells.into_iter().cloned()).collect());
    }
    let first = names.first().map(String::as_str).unwrap_or_default();
    let values: Vec<&Value> = kept.iter().map(|row| cell(row, first)).collect();
    Ok(json!({
        "columns": names,
        "row_count": kept.len(),
        "column_values": values,
        "rows": kept,
    }))
}

/// Returns the output names of the columns, which must be unique.
fn names(
    columns: &[String],
    rename: &BTreeMap<String, String>,
) -> Result<Vec<String>, BuiltinError> {
    if columns.is_empty() {
        return Err(BuiltinError::argument("/columns", no_columns()));
    }
    if let Some(unused) = rename.keys().find(|name| !columns.contains(name)) {
        let at = format!("/rename/{unused}");
        let en = format!("only selected columns can be renamed; add `{unused}` to `columns`");
        let zh = format!("只能重命名选中的列；请将 `{unused}` 加入 `columns`");
        return Err(BuiltinError::argument(at, (en, zh)));
    }
    let mut taken = BTreeSet::new();
    let name = |column: &String| {
        let name = rename.get(column).unwrap_or(column);
        if taken.insert(name.clone()) {
            return Ok(name.clone());
        }
        let en = format!("two columns would be named `{name}`; rename one of them");
        let zh = format!("有两列会命名为 `{name}`；请重命名其中一列");
        Err(BuiltinError::argument("/columns", (en, zh)))
    };
    columns.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn rows() -> Value {
        json!([{"a": 1, "b": "x"}, {"a": 1.0, "b": "y"}, {"b": "x"}])
    }

    #[test]
    fn columns_are_picked_renamed_and_made_distinct() {
        let asked = json!({"rows": rows(), "columns": ["b", "a"], "rename": {"a": "n"}});
        let output = ask("select_columns", asked).unwrap();
        assert_eq!(
            output,
            json!({"columns": ["b", "n"], "row_count": 3, "column_values": ["x", "y", "x"],
                   "rows": [{"b": "x", "n": 1}, {"b": "y", "n": 1.0}, {"b": "x", "n": null}]})
        );
        let asked = json!({"rows": rows(), "columns": ["a"], "distinct": true});
        let output = ask("select_columns", asked).unwrap();
        assert_eq!(output["column_values"], json!([1, null]));
    }

    #[test]
    fn columns_that_are_not_there_or_would_share_a_name_are_refused() {
        for (asked, expected) in [
            (
                json!({"columns": ["q"]}),
                "/columns/0 column `q` does not exist; the columns are `a`, `b`",
            ),
            (json!({"columns": []}), "/columns name at least one column"),
            (
                json!({"columns": ["a", "b"], "rename": {"a": "b"}}),
                "/columns two columns would be named `b`; rename one of them",
            ),
            (
                json!({"columns": ["a"], "rename": {"b": "c"}}),
                "/rename/b only selected columns can be renamed; add `b` to `columns`",
            ),
        ] {
            let mut asked = asked;
            asked["rows"] = rows();
            assert_eq!(refused(ask("select_columns", asked)), expected);
        }
    }
}
