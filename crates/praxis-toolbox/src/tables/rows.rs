//! Rows as arguments and outputs of the table tools.

use super::cell::{EMPTY, shown};
use crate::error::BuiltinError;
use crate::json_text;
use crate::wording::{did_you_mean, listed, prefixed};
use praxis_core::near::near;
use praxis_core::pointer::pointer_to;
use praxis_core::problem::Bilingual;
use serde_json::{Map, Number, Value};
use std::collections::BTreeSet;

/// The maximum number of rows.
pub(super) const MOST_ROWS: usize = 100_000;
/// The maximum number of column names in a message.
const MOST_TOLD: usize = 20;

/// One row.
pub(super) type TableRow = Map<String, Value>;

/// The rows of an argument.
#[derive(Debug)]
pub(super) struct ArgumentRows {
    /// The JSON pointer of the argument, such as `/rows`.
    at: &'static str,
    /// The rows.
    pub(super) all: Vec<TableRow>,
}

impl ArgumentRows {
    /// Reads an array of rows, or its JSON text.
    pub(super) fn read(at: &'static str, given: Value) -> Result<Self, BuiltinError> {
        let Value::Array(items) = json_text::opened(at, given)? else {
            let en = "must be a list of rows, or its JSON text";
            return Err(BuiltinError::argument(at, (en, "必须是行的列表，或其 JSON 文本")));
        };
        if items.len() > MOST_ROWS {
            let found = items.len();
            let en = format!("at most {MOST_ROWS} rows are allowed, got {found}");
            let zh = format!("最多允许 {MOST_ROWS} 行，实际为 {found} 行");
            return Err(BuiltinError::argument(at, (en, zh)));
        }
        let row = |(position, item): (usize, Value)| match item {
            Value::Object(row) => Ok(row),
            other => {
                let found = shown(&other);
                let en = format!("a row must be an object of columns, got {found}");
                let zh = format!("行必须是由各列组成的对象，实际为 {found}");
                Err(BuiltinError::argument(format!("{at}/{position}"), (en, zh)))
            }
        };
        Ok(Self { at, all: items.into_iter().enumerate().map(row).collect::<Result<_, _>>()? })
    }

    /// Returns the names of all columns in alphabetical order.
    pub(super) fn columns(&self) -> Vec<String> {
        let names: BTreeSet<&String> = self.all.iter().flat_map(Map::keys).collect();
        names.into_iter().cloned().collect()
    }

    /// Rejects a column that no row has. A table without rows accepts every column.
    pub(super) fn must_have(
        &self,
        at: impl Into<String>,
        column: &str,
    ) -> Result<(), BuiltinError> {
        if self.all.is_empty() || self.all.iter().any(|row| row.contains_key(column)) {
            return Ok(());
        }
        let columns = self.columns();
        let meant = near(column, columns.iter().map(String::as_str));
        let hint = if meant.is_empty() {
            let Bilingual { en, zh } = listed(columns.iter().take(MOST_TOLD));
            (format!("the columns are {en}"), format!("现有的列：{zh}")).into()
        } else {
            did_you_mean(&meant)
        };
        let en = format!("column `{column}` does not exist; ");
        Err(BuiltinError::argument(at, prefixed(en, format!("列 `{column}` 不存在；"), &hint)))
    }

    /// Returns the cells of a column in the order of the rows; an absent cell is empty.
    pub(super) fn cells<'a>(&'a self, column: &'a str) -> impl Iterator<Item = &'a Value> + Clone {
        self.all.iter().map(move |row| cell(row, column))
    }

    /// Returns the number in a cell, `None` for an empty cell, and an error for any other value.
    pub(super) fn number<'a>(
        &self,
        position: usize,
        column: &str,
        cell: &'a Value,
    ) -> Result<Option<&'a Number>, BuiltinError> {
        match cell {
            Value::Number(number) => Ok(Some(number)),
            other if super::cell::is_empty(other) => Ok(None),
            other => {
                let found = shown(other);
                let en = format!(
                    "{found} is not a number; `read_table` and `parse_table` return numbers only if all cells of \
                     the column are numbers"
                );
                let zh = format!(
                    "{found} 不是数字；只有整列都是数字时，`read_table` 和 `parse_table` 才返回数字"
                );
                Err(BuiltinError::argument(place(self.at, position, column), (en, zh)))
            }
        }
    }
}

/// Says that at least one column must be named.
pub(super) fn no_columns() -> Bilingual {
    ("name at least one column", "请至少指定一列").into()
}

/// Returns the JSON pointer of a cell.
pub(super) fn place(at: &str, position: usize, column: &str) -> String {
    pointer_to(&format!("{at}/{position}"), column)
}

/// Returns a cell of a row; an absent cell is empty.
pub(super) fn cell<'a>(row: &'a TableRow, column: &str) -> &'a Value {
    row.get(column).unwrap_or(&EMPTY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrong(result: Result<ArgumentRows, BuiltinError>) -> (String, String) {
        match result {
            Err(BuiltinError::Argument { at, why }) => (at, why.en),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rows_are_taken_as_they_are_and_as_text() {
        for given in [json!([{"a": 1}]), json!("[{\"a\": 1}]")] {
            let rows = ArgumentRows::read("/rows", given).unwrap();
            assert_eq!(Value::from(rows.all[0].clone()), json!({"a": 1}));
        }
    }

    #[test]
    fn what_is_no_row_is_refused_by_its_place() {
        let (at, why) = wrong(ArgumentRows::read("/rows", json!([{}, [1]])));
        assert_eq!(at, "/rows/1");
        assert_eq!(why, "a row must be an object of columns, got [1]");
        assert!(wrong(ArgumentRows::read("/rows", json!("x"))).1.starts_with("not valid JSON: "));
        assert!(
            wrong(ArgumentRows::read("/rows", json!({"a": 1})))
                .1
                .starts_with("must be a list of rows")
        );
        let many = Value::Array(vec![json!({}); MOST_ROWS + 1]);
        assert_eq!(
            wrong(ArgumentRows::read("/rows", many)).1,
            "at most 100000 rows are allowed, got 100001"
        );
    }

    #[test]
    fn a_column_that_is_nowhere_is_told_with_those_that_are() {
        let rows = ArgumentRows::read("/rows", json!([{"load_mw": 1}, {"city": "x"}])).unwrap();
        let why = |column: &str| match rows.must_have("/by/0", column) {
            Err(BuiltinError::Argument { at, why }) => format!("{at} {}", why.en),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            why("laod_mw"),
            "/by/0 column `laod_mw` does not exist; did you mean `load_mw`?"
        );
        assert_eq!(why("q"), "/by/0 column `q` does not exist; the columns are `city`, `load_mw`");
        assert_eq!(rows.must_have("", "city"), Ok(()));
    }
}
