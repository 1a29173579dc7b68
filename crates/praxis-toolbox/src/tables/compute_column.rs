//! `compute_column`: computes a new column from two operands, each a column or a number.

use super::rows::{ArgumentRows, cell};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::numbers::arithmetic::{ArithmeticOperation, shortened};
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Number, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComputeColumnArguments {
    rows: Value,
    column: String,
    operation: TwoColumnOperation,
    left: ColumnOperand,
    right: ColumnOperand,
    digits: Option<u32>,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TwoColumnOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    PercentOf,
    PercentChange,
}

impl TwoColumnOperation {
    fn operation(self) -> ArithmeticOperation {
        match self {
            Self::Add => ArithmeticOperation::Add,
            Self::Subtract => ArithmeticOperation::Subtract,
            Self::Multiply => ArithmeticOperation::Multiply,
            Self::Divide => ArithmeticOperation::Divide,
            Self::PercentOf => ArithmeticOperation::PercentOf,
            Self::PercentChange => ArithmeticOperation::PercentChange,
        }
    }
}

/// The name of a column, or a number for every row.
#[derive(Deserialize)]
#[serde(untagged)]
enum ColumnOperand {
    Column(String),
    Number(Number),
}

/// Computes the column row by row. The new cell is empty if an operand is missing or there is no result.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let ComputeColumnArguments { rows, column, operation, left, right, digits } = arguments(value)?;
    let mut rows = ArgumentRows::read("/rows", rows)?;
    if column.trim().is_empty() {
        return Err(BuiltinError::argument("/column", unnamed()));
    }
    for (at, operand) in [("/left", &left), ("/right", &right)] {
        if let ColumnOperand::Column(name) = operand {
            rows.must_have(at, name)?;
        }
    }
    let mut cells = Vec::new();
    for position in 0..rows.all.len() {
        let pair = value_of(&rows, position, &left)?.zip(value_of(&rows, position, &right)?);
        let result = pair.and_then(|(left, right)| operation.operation().of_two(left, right));
        let result = result.map(|number| shortened(number, digits)).transpose()?;
        cells.push(result.map_or(Value::Null, Value::Number));
    }
    let empty = cells.iter().filter(|cell| cell.is_null()).count();
    for (row, cell) in rows.all.iter_mut().zip(cells) {
        row.insert(column.clone(), cell);
    }
    Ok(json!({"row_count": rows.all.len(), "empty_count": empty, "rows": rows.all}))
}

fn unnamed() -> Bilingual {
    ("the name of the new column is empty", "新列的名称为空").into()
}

fn value_of<'a>(
    rows: &'a ArgumentRows,
    position: usize,
    operand: &'a ColumnOperand,
) -> Result<Option<&'a Number>, BuiltinError> {
    match operand {
        ColumnOperand::Number(number) => Ok(Some(number)),
        ColumnOperand::Column(name) => match rows.all.get(position) {
            Some(row) => rows.number(position, name, cell(row, name)),
            None => Ok(None),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn computed(operation: &str, left: Value, right: Value) -> Vec<Value> {
        let rows = json!([{"a": 0.1, "b": 4}, {"a": 3, "b": 0}, {"a": null, "b": 1}]);
        let asked = json!({"rows": rows, "column": "c", "operation": operation, "left": left, "right": right});
        let output = ask("compute_column", asked).unwrap();
        let cells: Vec<Value> =
            output["rows"].as_array().unwrap().iter().map(|row| row["c"].clone()).collect();
        assert_eq!(output["empty_count"], cells.iter().filter(|cell| cell.is_null()).count());
        cells
    }

    #[test]
    fn a_column_is_reckoned_row_by_row() {
        for (operation, left, right, expected) in [
            ("add", json!("a"), json!(0.2), json!([0.3, 3.2, null])),
            ("subtract", json!("b"), json!("a"), json!([3.9, -3, null])),
            ("multiply", json!(1000), json!("a"), json!([100, 3000, null])),
            ("divide", json!("a"), json!("b"), json!([0.025, null, null])),
            ("percent_of", json!("a"), json!("b"), json!([2.5, null, null])),
            ("percent_change", json!("b"), json!("a"), json!([-97.5, null, null])),
        ] {
            assert_eq!(json!(computed(operation, left, right)), expected, "{operation}");
        }
    }

    #[test]
    fn texts_and_columns_that_are_not_there_are_refused() {
        let rows = json!([{"a": "x", "b": 1}]);
        let why = |left: &str| {
            let asked =
                json!({"rows": rows, "column": "c", "operation": "add", "left": left, "right": 1});
            refused(ask("compute_column", asked))
        };
        assert!(why("a").starts_with("/rows/0/a \"x\" is not a number"));
        assert_eq!(why("q"), "/left column `q` does not exist; the columns are `a`, `b`");
    }
}
