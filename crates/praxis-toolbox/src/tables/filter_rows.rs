//! `filter_rows`: keeps the rows that meet all or any of some conditions.

use super::cell::{is_empty, order, same, shown};
use super::rows::{ArgumentRows, TableRow, cell, place};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cmp::Ordering;

/// The maximum number of conditions.
const MOST_CONDITIONS: usize = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilterRowsArguments {
    rows: Value,
    conditions: Vec<FilterCondition>,
    #[serde(default, rename = "match")]
    matching: MatchMode,
}

/// The number of conditions that a row must meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MatchMode {
    #[default]
    All,
    Any,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilterCondition {
    column: String,
    operator: FilterOperator,
    #[serde(default)]
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FilterOperator {
    Equals,
    NotEquals,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Contains,
    StartsWith,
    EndsWith,
    OneOf,
    IsEmpty,
    IsNotEmpty,
}

/// Keeps the rows that meet the conditions, in their original order.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let FilterRowsArguments { rows, conditions, matching } = arguments(value)?;
    let rows = ArgumentRows::read("/rows", rows)?;
    if conditions.is_empty() || conditions.len() > MOST_CONDITIONS {
        let count = conditions.len();
        let en = format!("expected 1 to {MOST_CONDITIONS} conditions, got {count}");
        let zh = format!("应有 1 到 {MOST_CONDITIONS} 个条件，实际为 {count} 个");
        return Err(BuiltinError::argument("/conditions", (en, zh)));
    }
    for (position, condition) in conditions.iter().enumerate() {
        let at = format!("/conditions/{position}");
        rows.must_have(format!("{at}/column"), &condition.column)?;
        condition.check().map_err(|why| BuiltinError::argument(format!("{at}/value"), why))?;
    }
    let mut kept = Vec::new();
    let all = rows.all.len();
    for (position, row) in rows.all.into_iter().enumerate() {
        if holds(&row, &conditions, matching).map_err(|(column, why)| {
            BuiltinError::argument(place("/rows", position, column), why)
        })? {
            kept.push(row);
        }
    }
    Ok(json!({"row_count": kept.len(), "removed_count": all - kept.len(), "rows": kept}))
}

fn holds<'a>(
    row: &TableRow,
    conditions: &'a [FilterCondition],
    matching: MatchMode,
) -> Result<bool, (&'a str, Bilingual)> {
    for condition in conditions {
        let met = condition
            .met(cell(row, &condition.column))
            .map_err(|why| (condition.column.as_str(), why))?;
        match (matching, met) {
            (MatchMode::All, false) => return Ok(false),
            (MatchMode::Any, true) => return Ok(true),
            (MatchMode::All, true) | (MatchMode::Any, false) => {}
        }
    }
    Ok(matching == MatchMode::All)
}

impl FilterCondition {
    /// Checks that the type of the value fits the operator.
    fn check(&self) -> Result<(), Bilingual> {
        use FilterOperator as O;
        let wrong = |en: &str, zh: &str| {
            let found = shown(&self.value);
            let en = format!("must be {en}, got {found}");
            Err((en, format!("必须是{zh}，实际为 {found}")).into())
        };
        match (self.operator, &self.value) {
            (
                O::Less | O::AtMost | O::Greater | O::AtLeast,
                Value::Number(_) | Value::String(_),
            ) => Ok(()),
            (O::Less | O::AtMost | O::Greater | O::AtLeast, _) => {
                wrong("a number or a string", "数字或字符串")
            }
            (O::Contains | O::StartsWith | O::EndsWith, Value::String(_)) => Ok(()),
            (O::Contains | O::StartsWith | O::EndsWith, _) => wrong("a string", "字符串"),
            (O::OneOf, Value::Array(_)) => Ok(()),
            (O::OneOf, _) => wrong("a list of values", "值的列表"),
            (O::IsEmpty | O::IsNotEmpty, Value::Null) => Ok(()),
            (O::IsEmpty | O::IsNotEmpty, _) => {
                Err(("this operator takes no value; remove it", "此运算符不使用值；请将其删除")
                    .into())
            }
            (O::Equals | O::NotEquals, _) => Ok(()),
        }
    }

    fn met(&self, cell: &Value) -> Result<bool, Bilingual> {
        use FilterOperator as O;
        let text = |found: fn(&str, &str) -> bool| match (cell, &self.value) {
            (Value::String(cell), Value::String(wanted)) => found(cell, wanted),
            (Value::Number(cell), Value::String(wanted)) => found(&cell.to_string(), wanted),
            _ => false,
        };
        Ok(match self.operator {
            O::Equals => same(cell, &self.value),
            O::NotEquals => !same(cell, &self.value),
            O::Less => self.compared(cell)? == Some(Ordering::Less),
            O::AtMost => matches!(self.compared(cell)?, Some(Ordering::Less | Ordering::Equal)),
            O::Greater => self.compared(cell)? == Some(Ordering::Greater),
            O::AtLeast => matches!(self.compared(cell)?, Some(Ordering::Greater | Ordering::Equal)),
            O::Contains => text(|cell, wanted| cell.contains(wanted)),
            O::StartsWith => text(|cell, wanted| cell.starts_with(wanted)),
            O::EndsWith => text(|cell, wanted| cell.ends_with(wanted)),
            O::OneOf => self.value.as_array().into_iter().flatten().any(|value| same(cell, value)),
            O::IsEmpty => is_empty(cell),
            O::IsNotEmpty => !is_empty(cell),
        })
    }

    /// Compares a cell with the value; `None` for an empty cell, an error for a text against a number.
    fn compared(&self, cell: &Value) -> Result<Option<Ordering>, Bilingual> {
        match (cell, &self.value) {
            (Value::Number(_), Value::Number(_)) | (Value::String(_), Value::String(_)) => {
                Ok(Some(order(cell, &self.value)))
            }
            _ if is_empty(cell) => Ok(None),
            (_, Value::Number(_)) => Err(incomparable(cell, ("a number", "数字"))),
            _ => Err(incomparable(cell, ("a string", "字符串"))),
        }
    }
}

fn incomparable(cell: &Value, (kind_en, kind_zh): (&str, &str)) -> Bilingual {
    let cell = shown(cell);
    let en = format!("{cell} is not {kind_en} and cannot be compared");
    (en, format!("{cell} 不是{kind_zh}，无法比较")).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn rows() -> Value {
        json!([
            {"id": 1, "city": "杭州", "load": 10, "at": "2026-01-01"},
            {"id": 2, "city": "Hangzhou", "load": 20.5, "at": "2026-02-01"},
            {"id": 3, "city": " ", "load": null, "at": "2026-03-01"},
            {"id": 4, "load": 10.0, "at": "2026-04-01"},
        ])
    }

    fn kept(conditions: Value, matching: &str) -> Vec<i64> {
        let asked = json!({"rows": rows(), "conditions": conditions, "match": matching});
        let output = ask("filter_rows", asked).unwrap();
        let ids = output["rows"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap());
        let ids: Vec<i64> = ids.collect();
        assert_eq!(output["row_count"], ids.len());
        assert_eq!(output["removed_count"], 4 - ids.len());
        ids
    }

    #[test]
    fn every_operator_keeps_what_its_name_says() {
        for (column, operator, value, expected) in [
            ("load", "equals", json!(10), &[1, 4][..]),
            ("load", "not_equals", json!(10), &[2, 3]),
            ("load", "less", json!(20.5), &[1, 4]),
            ("load", "at_most", json!(20.5), &[1, 2, 4]),
            ("load", "greater", json!(10), &[2]),
            ("load", "at_least", json!(10), &[1, 2, 4]),
            ("at", "at_least", json!("2026-02-15"), &[3, 4]),
            ("city", "contains", json!("zho"), &[2]),
            ("city", "starts_with", json!("杭"), &[1]),
            ("at", "ends_with", json!("-01"), &[1, 2, 3, 4]),
            ("load", "contains", json!("20"), &[2]),
            ("id", "one_of", json!([2, 4.0, "1"]), &[2, 4]),
            ("city", "is_empty", json!(null), &[3, 4]),
            ("city", "is_not_empty", json!(null), &[1, 2]),
        ] {
            let conditions = json!([{"column": column, "operator": operator, "value": value}]);
            assert_eq!(kept(conditions, "all"), expected, "{column} {operator} {value}");
        }
    }

    #[test]
    fn all_conditions_or_any_of_them_must_be_met() {
        let conditions = json!([
            {"column": "load", "operator": "equals", "value": 10},
            {"column": "city", "operator": "is_empty"},
        ]);
        assert_eq!(kept(conditions.clone(), "all"), [4]);
        assert_eq!(kept(conditions, "any"), [1, 3, 4]);
    }

    #[test]
    fn what_cannot_be_compared_or_is_not_there_is_refused() {
        let why = |column: &str, operator: &str, value: Value| {
            let conditions = json!([{"column": column, "operator": operator, "value": value}]);
            refused(ask("filter_rows", json!({"rows": rows(), "conditions": conditions})))
        };
        assert_eq!(
            why("city", "less", json!(3)),
            "/rows/0/city \"杭州\" is not a number and cannot be compared"
        );
        assert_eq!(
            why("lod", "less", json!(3)),
            "/conditions/0/column column `lod` does not exist; did you mean `load`?"
        );
        assert_eq!(
            why("load", "one_of", json!(3)),
            "/conditions/0/value must be a list of values, got 3"
        );
        assert_eq!(
            why("load", "less", json!(null)),
            "/conditions/0/value must be a number or a string, got null"
        );
        let none = refused(ask("filter_rows", json!({"rows": [], "conditions": []})));
        assert_eq!(none, "/conditions expected 1 to 50 conditions, got 0");
    }
}
