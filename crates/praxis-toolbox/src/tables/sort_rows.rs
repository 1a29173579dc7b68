//! `sort_rows`: sorts rows by some columns.

use super::cell::order;
use super::rows::{ArgumentRows, TableRow, cell, no_columns};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cmp::Ordering;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SortRowsArguments {
    rows: Value,
    by: Vec<SortKey>,
    most_rows: Option<usize>,
}

/// A column to sort by, and its direction.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SortKey {
    column: String,
    #[serde(default)]
    direction: SortDirection,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SortDirection {
    #[default]
    Ascending,
    Descending,
}

/// Sorts the rows. The sort is stable; `null` cells come last in both directions.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let SortRowsArguments { rows, by, most_rows } = arguments(value)?;
    let rows = ArgumentRows::read("/rows", rows)?;
    if by.is_empty() {
        return Err(BuiltinError::argument("/by", no_columns()));
    }
    for (position, by) in by.iter().enumerate() {
        rows.must_have(format!("/by/{position}/column"), &by.column)?;
    }
    let mut rows = rows.all;
    rows.sort_by(|a, b| compare(a, b, &by));
    rows.truncate(most_rows.unwrap_or(usize::MAX));
    Ok(json!({"row_count": rows.len(), "rows": rows}))
}

fn compare(a: &TableRow, b: &TableRow, by: &[SortKey]) -> Ordering {
    by.iter().fold(Ordering::Equal, |so_far, by| {
        so_far.then_with(|| {
            let (a, b) = (cell(a, &by.column), cell(b, &by.column));
            let order = order(a, b);
            let turned = by.direction == SortDirection::Descending && !a.is_null() && !b.is_null();
            if turned { order.reverse() } else { order }
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn sorted(by: Value, most: usize) -> Vec<i64> {
        let rows = json!([
            {"id": 1, "city": "b", "load": 2}, {"id": 2, "city": "a", "load": null},
            {"id": 3, "city": "b", "load": 10}, {"id": 4, "city": "a", "load": 1.5},
        ]);
        let output = ask("sort_rows", json!({"rows": rows, "by": by, "most_rows": most})).unwrap();
        let ids: Vec<i64> =
            output["rows"].as_array().unwrap().iter().map(|r| r["id"].as_i64().unwrap()).collect();
        assert_eq!(output["row_count"], ids.len());
        ids
    }

    #[test]
    fn rows_go_by_one_column_after_the_other_and_equal_ones_keep_their_order() {
        assert_eq!(sorted(json!([{"column": "load"}]), 9), [4, 1, 3, 2]);
        assert_eq!(sorted(json!([{"column": "load", "direction": "descending"}]), 9), [3, 1, 4, 2]);
        assert_eq!(sorted(json!([{"column": "city"}]), 9), [2, 4, 1, 3]);
        let by = json!([{"column": "city", "direction": "descending"}, {"column": "load"}]);
        assert_eq!(sorted(by, 9), [1, 3, 4, 2]);
        assert_eq!(sorted(json!([{"column": "load"}]), 2), [4, 1]);
    }

    #[test]
    fn a_column_that_is_nowhere_is_refused() {
        let why = refused(ask("sort_rows", json!({"rows": [{"a": 1}], "by": [{"column": "b"}]})));
        assert_eq!(why, "/by/0/column column `b` does not exist; the columns are `a`");
        let none = refused(ask("sort_rows", json!({"rows": [], "by": []})));
        assert_eq!(none, "/by name at least one column");
    }
}
