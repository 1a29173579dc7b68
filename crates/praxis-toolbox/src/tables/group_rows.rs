//! `group_rows`: one row per combination of cells, with aggregates of the group.

use super::cell::key;
use super::measure::Aggregate;
use super::rows::{ArgumentRows, TableRow, cell};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupRowsArguments {
    rows: Value,
    by: Vec<String>,
    #[serde(default)]
    measures: Vec<GroupMeasure>,
}

/// An aggregate of one column, and the name of its output column.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupMeasure {
    operation: Aggregate,
    column: String,
    name: Option<String>,
}

impl GroupMeasure {
    fn name(&self) -> String {
        let plain = || format!("{}_{}", self.operation.name(), self.column);
        self.name.clone().unwrap_or_else(plain)
    }
}

/// Groups rows in the order of their first occurrence. Without columns to group by, all rows are one group.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let GroupRowsArguments { rows, by, measures } = arguments(value)?;
    let rows = ArgumentRows::read("/rows", rows)?;
    for (position, column) in by.iter().enumerate() {
        rows.must_have(format!("/by/{position}"), column)?;
    }
    for (position, wanted) in measures.iter().enumerate() {
        rows.must_have(format!("/measures/{position}/column"), &wanted.column)?;
    }
    let columns = columns(&by, &measures)?;
    let grouped: Result<Vec<TableRow>, BuiltinError> =
        groups(&rows, &by).iter().map(|group| row(&rows, &by, &measures, group)).collect();
    let grouped = grouped?;
    Ok(json!({"columns": columns, "row_count": grouped.len(), "rows": grouped}))
}

fn columns(by: &[String], measures: &[GroupMeasure]) -> Result<Vec<String>, BuiltinError> {
    let names = by.iter().cloned().chain(["row_count".to_owned()]);
    let names: Vec<String> = names.chain(measures.iter().map(GroupMeasure::name)).collect();
    let mut taken = BTreeSet::new();
    match names.iter().find(|name| !taken.insert(*name)) {
        None => Ok(names),
        Some(twice) => {
            let en = format!("two columns would be named `{twice}`; give one another `name`");
            let zh = format!("有两列会命名为 `{twice}`；请用 `name` 为其中一列另取名称");
            Err(BuiltinError::argument("/measures", (en, zh)))
        }
    }
}

/// Returns the positions of the rows of each group.
fn groups(rows: &ArgumentRows, by: &[String]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (position, row) in rows.all.iter().enumerate() {
        let cells = by.iter().map(|column| key(cell(row, column))).collect();
        let place = *places.entry(cells).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(position),
            None => groups.push(vec![position]),
        }
    }
    groups
}

fn row(
    rows: &ArgumentRows,
    by: &[String],
    measures: &[GroupMeasure],
    group: &[usize],
) -> Result<TableRow, BuiltinError> {
    let first = group.first().and_then(|position| rows.all.get(*position));
    let shared = |column: &String| {
        let cell = first.map_or(Value::Null, |row| cell(row, column).clone());
        (column.clone(), cell)
    };
    let mut out: TableRow = by.iter().map(shared).collect();
    out.insert("row_count".to_owned(), group.len().into());
    for wanted in measures {
        out.insert(wanted.name(), wanted.operation.of(rows, &wanted.column, group)?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn rows() -> Value {
        json!([
            {"city": "b", "load": 0.1}, {"city": "a", "load": 5}, {"city": "b", "load": 0.2},
            {"city": "b", "load": null}, {"load": 7},
        ])
    }

    fn measure(operation: &str) -> Value {
        json!({"operation": operation, "column": "load"})
    }

    #[test]
    fn groups_stand_in_the_order_of_their_first_rows_with_what_was_measured() {
        let measures = ["count", "sum", "mean", "min", "max"].map(measure);
        let asked = json!({"rows": rows(), "by": ["city"], "measures": measures});
        let output = ask("group_rows", asked).unwrap();
        let group = |city: Value, n: u32, [count, sum, mean, min, max]: [Value; 5]| {
            json!({"city": city, "row_count": n, "count_load": count, "sum_load": sum,
                   "mean_load": mean, "min_load": min, "max_load": max})
        };
        let expected = [
            group(json!("b"), 3, [json!(2), json!(0.3), json!(0.15), json!(0.1), json!(0.2)]),
            group(json!("a"), 1, [json!(1), json!(5), json!(5), json!(5), json!(5)]),
            group(json!(null), 1, [json!(1), json!(7), json!(7), json!(7), json!(7)]),
        ];
        assert_eq!(output["rows"], json!(expected));
        assert_eq!(
            output["columns"],
            json!([
                "city",
                "row_count",
                "count_load",
                "sum_load",
                "mean_load",
                "min_load",
                "max_load"
            ])
        );
    }

    #[test]
    fn without_columns_all_rows_are_one_group_and_no_rows_are_none() {
        let one = json!({"operation": "sum", "column": "load", "name": "total_mwh"});
        let output =
            ask("group_rows", json!({"rows": rows(), "by": [], "measures": [one]})).unwrap();
        assert_eq!(output["rows"], json!([{"row_count": 5, "total_mwh": 12.3}]));
        let output = ask("group_rows", json!({"rows": [], "by": ["city"]})).unwrap();
        assert_eq!(output["rows"], json!([]));
    }

    #[test]
    fn a_text_has_no_sum_and_two_columns_need_two_names() {
        let asked =
            json!({"rows": rows(), "by": [], "measures": [{"operation": "sum", "column": "city"}]});
        assert!(
            refused(ask("group_rows", asked)).starts_with("/rows/0/city \"b\" is not a number")
        );
        let asked =
            json!({"rows": rows(), "by": ["city"], "measures": [measure("sum"), measure("sum")]});
        let why = refused(ask("group_rows", asked));
        assert_eq!(why, "/measures two columns would be named `sum_load`; give one another `name`");
    }
}
