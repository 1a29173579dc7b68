//! `join_tables`: joins two tables on equal cells of some columns.

use super::cell::key;
use super::rows::{ArgumentRows, MOST_ROWS, TableRow, cell, no_columns};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinTablesArguments {
    left: Value,
    right: Value,
    on: Vec<JoinColumns>,
    #[serde(default)]
    keep: JoinKind,
}

/// A pair of columns whose cells must be equal.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum JoinColumns {
    Both(String),
    Each { left: String, right: String },
}

impl JoinColumns {
    fn left(&self) -> &str {
        match self {
            Self::Both(name) | Self::Each { left: name, .. } => name,
        }
    }

    fn right(&self) -> &str {
        match self {
            Self::Both(name) | Self::Each { right: name, .. } => name,
        }
    }
}

/// The rows that are kept: an inner or a left join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JoinKind {
    #[default]
    Matched,
    AllLeft,
}

/// Joins in the order of the left table, then of the right one. A `null` cell matches nothing.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let JoinTablesArguments { left, right, on, keep } = arguments(value)?;
    let (left, right) = (ArgumentRows::read("/left", left)?, ArgumentRows::read("/right", right)?);
    if on.is_empty() {
        return Err(BuiltinError::argument("/on", no_columns()));
    }
    for (position, on) in on.iter().enumerate() {
        left.must_have(format!("/on/{position}"), on.left())?;
        right.must_have(format!("/on/{position}"), on.right())?;
    }
    let added = AddedColumns::of(&left, &right, &on);
    let mut index: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (position, row) in right.all.iter().enumerate() {
        if let Some(key) = keys(row, on.iter().map(JoinColumns::right)) {
            index.entry(key).or_default().push(position);
        }
    }
    let mut joined = JoinedTables::new(&right, &added);
    for row in &left.all {
        let found = keys(row, on.iter().map(JoinColumns::left)).and_then(|key| index.get(&key));
        joined.add(row, found.map_or(&[][..], Vec::as_slice), keep)?;
    }
    Ok(json!({
        "row_count": joined.rows.len(),
        "unmatched_left": joined.unmatched,
        "unmatched_right": right.all.len() - joined.used.len(),
        "rows": joined.rows,
    }))
}

/// Returns the keys of a row; `None` if one of the cells is `null`.
fn keys<'a>(row: &TableRow, columns: impl Iterator<Item = &'a str>) -> Option<Vec<String>> {
    let full = |cell: &Value| (!cell.is_null()).then(|| key(cell));
    columns.map(|column| full(cell(row, column))).collect()
}

/// The columns that are added from the right table, with their names in the result.
struct AddedColumns(Vec<(String, String)>);

impl AddedColumns {
    fn of(left: &ArgumentRows, right: &ArgumentRows, on: &[JoinColumns]) -> Self {
        let mut taken: BTreeSet<String> = left.columns().into_iter().collect();
        let shared: BTreeSet<&str> = on.iter().map(JoinColumns::right).collect();
        let name = |column: String| {
            let mut name = column.clone();
            while !taken.insert(name.clone()) {
                name.push_str("_right");
            }
            (column, name)
        };
        let columns = right.columns().into_iter();
        Self(columns.filter(|column| !shared.contains(column.as_str())).map(name).collect())
    }

    fn beside(&self, row: &TableRow, partner: &TableRow) -> TableRow {
        let cell =
            |(column, name): &(String, String)| (name.clone(), cell(partner, column).clone());
        let mut whole = row.clone();
        whole.extend(self.0.iter().map(cell));
        whole
    }
}

struct JoinedTables<'a> {
    right: &'a ArgumentRows,
    added: &'a AddedColumns,
    rows: Vec<TableRow>,
    unmatched: usize,
    used: BTreeSet<usize>,
}

impl<'a> JoinedTables<'a> {
    fn new(right: &'a ArgumentRows, added: &'a AddedColumns) -> Self {
        Self { right, added, rows: Vec::new(), unmatched: 0, used: BTreeSet::new() }
    }

    fn add(
        &mut self,
        row: &TableRow,
        partners: &[usize],
        keep: JoinKind,
    ) -> Result<(), BuiltinError> {
        for partner in partners.iter().filter_map(|at| self.right.all.get(*at)) {
            self.rows.push(self.added.beside(row, partner));
        }
        if partners.is_empty() {
            self.unmatched += 1;
            if keep == JoinKind::AllLeft {
                self.rows.push(self.added.beside(row, &TableRow::new()));
            }
        }
        self.used.extend(partners);
        if self.rows.len() <= MOST_ROWS {
            return Ok(());
        }
        let en =
            format!("the result would have more than {MOST_ROWS} rows; filter the tables first");
        let zh = format!("结果将超过 {MOST_ROWS} 行；请先筛选表格");
        Err(BuiltinError::argument("/on", (en, zh)))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn joined(mut asked: Value) -> Value {
        asked["left"] = json!([
            {"id": 1, "city": "b", "load": 5}, {"id": 2, "city": "c", "load": 6}, {"id": 3, "city": null, "load": 7},
        ]);
        asked["right"] = json!([
            {"key": 1.0, "load": 50, "zone": "x"}, {"key": 1, "load": 51, "zone": "y"}, {"key": null, "zone": "z"},
        ]);
        ask("join_tables", asked).unwrap()
    }

    #[test]
    fn rows_that_match_stand_side_by_side() {
        let output = joined(json!({"on": [{"left": "id", "right": "key"}]}));
        assert_eq!(
            output,
            json!({
                "row_count": 2, "unmatched_left": 2, "unmatched_right": 1,
                "rows": [
                    {"id": 1, "city": "b", "load": 5, "load_right": 50, "zone": "x"},
                    {"id": 1, "city": "b", "load": 5, "load_right": 51, "zone": "y"},
                ],
            })
        );
    }

    #[test]
    fn left_rows_without_a_partner_are_kept_on_request_and_empty_cells_match_nothing() {
        let output = joined(json!({"on": [{"left": "city", "right": "key"}], "keep": "all_left"}));
        assert_eq!((&output["row_count"], &output["unmatched_left"]), (&json!(3), &json!(3)));
        let last = json!({"id": 3, "city": null, "load": 7, "load_right": null, "zone": null});
        assert_eq!(output["rows"][2], last);
    }

    #[test]
    fn a_join_that_explodes_or_has_no_columns_is_refused() {
        let many = Value::Array(vec![json!({"a": 1}); 1000]);
        let asked = json!({"left": many, "right": many, "on": ["a"]});
        assert!(
            refused(ask("join_tables", asked))
                .starts_with("/on the result would have more than 100000")
        );
        let asked = json!({"left": [{"a": 1}], "right": [{"b": 1}], "on": ["a"]});
        let why = refused(ask("join_tables", asked));
        assert_eq!(why, "/on/0 column `a` does not exist; the columns are `b`");
        let asked = json!({"left": [], "right": [], "on": []});
        assert_eq!(refused(ask("join_tables", asked)), "/on name at least one column");
    }
}
