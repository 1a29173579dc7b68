//! `describe_table`: describes the columns of a table.

use super::cell::{is_empty, key, kind_of_all};
use super::measure::Aggregate;
use super::rows::ArgumentRows;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribeTableArguments {
    rows: Value,
    columns: Option<Vec<String>>,
}

/// Describes all columns, or the given ones.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let DescribeTableArguments { rows, columns } = arguments(value)?;
    let rows = ArgumentRows::read("/rows", rows)?;
    for (position, column) in columns.iter().flatten().enumerate() {
        rows.must_have(format!("/columns/{position}"), column)?;
    }
    let columns = columns.unwrap_or_else(|| rows.columns());
    let all: Vec<usize> = (0..rows.all.len()).collect();
    let described: Result<Vec<Value>, BuiltinError> =
        columns.iter().map(|column| describe(&rows, column, &all)).collect();
    Ok(json!({
        "row_count": rows.all.len(),
        "column_count": columns.len(),
        "described_columns": described?,
    }))
}

fn describe(rows: &ArgumentRows, column: &str, all: &[usize]) -> Result<Value, BuiltinError> {
    let full = || rows.cells(column).filter(|cell| !is_empty(cell));
    let kind = kind_of_all(full());
    let ordered = matches!(kind, "integer" | "number" | "text" | "boolean");
    let measured = |measure: Aggregate, fits: bool| {
        if fits { measure.of(rows, column, all) } else { Ok(Value::Null) }
    };
    let count = full().count();
    Ok(json!({
        "name": column,
        "type": kind,
        "count": count,
        "missing": rows.all.len() - count,
        "distinct": full().map(key).collect::<BTreeSet<_>>().len(),
        "min": measured(Aggregate::Min, ordered)?,
        "max": measured(Aggregate::Max, ordered)?,
        "mean": measured(Aggregate::Mean, matches!(kind, "integer" | "number"))?,
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::json;

    #[test]
    fn every_column_is_counted_and_measured_as_its_kind_allows() {
        let rows = json!([
            {"load": 1, "city": "b", "mix": 1}, {"load": 2.5, "city": " ", "mix": "x"},
            {"load": null, "city": "a", "mix": 1.0}, {"load": 1.0},
        ]);
        let output = ask("describe_table", json!({"rows": rows})).unwrap();
        assert_eq!(
            output,
            json!({"row_count": 4, "column_count": 3, "described_columns": [
                {"name": "city", "type": "text", "count": 2, "missing": 2, "distinct": 2, "min": "a", "max": "b", "mean": null},
                {"name": "load", "type": "number", "count": 3, "missing": 1, "distinct": 2, "min": 1, "max": 2.5, "mean": 1.5},
                {"name": "mix", "type": "mixed", "count": 3, "missing": 1, "distinct": 2, "min": null, "max": null, "mean": null},
            ]})
        );
    }

    #[test]
    fn only_columns_that_are_there_can_be_asked_for() {
        let asked = json!({"rows": [{"a": 1, "b": 2}], "columns": ["b"]});
        assert_eq!(ask("describe_table", asked).unwrap()["described_columns"][0]["name"], "b");
        let asked = json!({"rows": [{"a": 1}], "columns": ["z"]});
        let why = refused(ask("describe_table", asked));
        assert_eq!(why, "/columns/0 column `z` does not exist; the columns are `a`");
    }
}
