//! Aggregates of a column: count, sum, mean, minimum and maximum.

use super::cell::order;
use super::rows::ArgumentRows;
use crate::error::BuiltinError;
use crate::numbers::exact;
use serde::Deserialize;
use serde_json::{Number, Value};

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Aggregate {
    Count,
    Sum,
    Mean,
    Min,
    Max,
}

impl Aggregate {
    /// Returns the name, for the output column.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    /// Aggregates the cells of a column in the given rows. Empty cells are ignored.
    pub(super) fn of(
        self,
        rows: &ArgumentRows,
        column: &str,
        positions: &[usize],
    ) -> Result<Value, BuiltinError> {
        let cells = || {
            let cell = |at: &usize| Some((*at, super::rows::cell(rows.all.get(*at)?, column)));
            positions.iter().filter_map(cell).filter(|(_, cell)| !super::cell::is_empty(cell))
        };
        Ok(match self {
            Self::Count => cells().count().into(),
            Self::Min => cells().map(|(_, cell)| cell).min_by(|a, b| order(a, b)).cloned().into(),
            // The first of equal cells; `max_by` would return the last.
            Self::Max => cells()
                .map(|(_, cell)| cell)
                .reduce(|a, b| if order(b, a).is_gt() { b } else { a })
                .cloned()
                .into(),
            Self::Sum | Self::Mean => {
                let numbers: Result<Vec<Option<&Number>>, BuiltinError> =
                    cells().map(|(at, cell)| rows.number(at, column, cell)).collect();
                let numbers: Vec<&Number> = numbers?.into_iter().flatten().collect();
                self.of_numbers(&numbers).map_or(Value::Null, Value::Number)
            }
        })
    }

    fn of_numbers(self, numbers: &[&Number]) -> Option<Number> {
        let sum = exact::sum(numbers.iter().copied())?;
        if self == Self::Sum { Some(sum) } else { exact::divide(&sum, &numbers.len().into()) }
    }
}
