//! A condition and its evaluation.
//!
//! - in: two sides with resolved references, and an operator
//! - out: true, false, or the fault for which it is neither
//! - never: converts a value, or treats an untestable condition as false

use super::fault::{ConditionFault, OperatorMismatch};
use super::kind::JsonKind;
use super::number::{order, same};
use super::operator::{ConditionOperator, RightSide};
use regex::RegexBuilder;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// The maximum length of a pattern, in characters.
pub const MAX_PATTERN_LENGTH: usize = 1_000;
/// The maximum size of a compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;
/// The maximum nesting depth of the groups of a pattern.
const DEEPEST_PATTERN: u32 = 50;

/// A condition `left is right`. In files, its sides are values with placeholders; for the test, they are
/// [`ConditionOperand`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowCondition<Side = Value> {
    /// The value to test.
    pub left: Side,
    /// The operator.
    pub is: ConditionOperator,
    /// The value to compare with. `null` is a value; [`ConditionOperator::Present`] and [`ConditionOperator::Absent`]
    /// take none.
    #[serde(
        default = "none",
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none",
        bound(deserialize = "Side: Deserialize<'de>")
    )]
    pub right: Option<Side>,
}

fn none<Side>() -> Option<Side> {
    None
}

/// Deserializes a `null` that is present as a value, not as a missing right side.
fn given<'de, D: Deserializer<'de>, Side: Deserialize<'de>>(
    from: D,
) -> Result<Option<Side>, D::Error> {
    Side::deserialize(from).map(Some)
}

/// A side with its references resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOperand {
    /// The value.
    Value(Value),
    /// A missing value, with the name that was looked up.
    Missing(String),
}

impl From<Value> for ConditionOperand {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl<Side> FlowCondition<Side> {
    /// Returns the condition with its sides resolved.
    pub fn settle(
        &self,
        mut resolve: impl FnMut(&Side) -> ConditionOperand,
    ) -> FlowCondition<ConditionOperand> {
        let left = resolve(&self.left);
        FlowCondition { left, is: self.is, right: self.right.as_ref().map(resolve) }
    }
}

impl FlowCondition<ConditionOperand> {
    /// Returns true if the condition holds, or the fault for which it cannot be tested.
    pub fn holds(&self) -> Result<bool, ConditionFault> {
        let right = match &self.right {
            None => None,
            Some(ConditionOperand::Value(value)) => Some(value),
            Some(ConditionOperand::Missing(name)) => {
                return Err(ConditionFault::Missing { name: name.clone() });
            }
        };
        match &self.left {
            ConditionOperand::Value(left) => test(left, self.is, right),
            ConditionOperand::Missing(name) => match (self.is, right) {
                (ConditionOperator::Present, None) => Ok(false),
                (ConditionOperator::Absent, None) => Ok(true),
                (ConditionOperator::Present | ConditionOperator::Absent, Some(right)) => {
                    Err(unfit(
                        None,
                        self.is,
                        Some(JsonKind::of(right)),
                        OperatorMismatch::SomethingRight,
                    ))
                }
                _ => Err(ConditionFault::Missing { name: name.clone() }),
            },
        }
    }
}

/// Builds the fault of an operator that does not fit its sides.
pub(super) fn unfit(
    left: Option<JsonKind>,
    is: ConditionOperator,
    right: Option<JsonKind>,
    why: OperatorMismatch,
) -> ConditionFault {
    ConditionFault::Unfit { left, is, right, why }
}

/// Returns the mismatch between an operator and the kinds of its sides, if there is one.
pub(super) fn misfit(
    left: JsonKind,
    is: ConditionOperator,
    right: Option<JsonKind>,
) -> Option<OperatorMismatch> {
    let Some(wanted) = is.wanted(left) else { return Some(OperatorMismatch::Left) };
    match (wanted, right) {
        (RightSide::Nothing, None) => None,
        (RightSide::Nothing, Some(_)) => Some(OperatorMismatch::SomethingRight),
        (_, None) => Some(OperatorMismatch::NothingRight),
        (wanted, Some(right)) if wanted.takes(left, right) => None,
        (RightSide::Of(wanted), Some(_)) => Some(OperatorMismatch::Right { wanted }),
        (RightSide::Anything | RightSide::SameOrNull, Some(_)) => {
            Some(OperatorMismatch::KindsDiffer)
        }
    }
}

fn test(
    left: &Value,
    is: ConditionOperator,
    right: Option<&Value>,
) -> Result<bool, ConditionFault> {
    let kinds = (JsonKind::of(left), right.map(JsonKind::of));
    let fault = |why| unfit(Some(kinds.0), is, kinds.1, why);
    if let Some(why) = misfit(kinds.0, is, kinds.1) {
        return Err(fault(why));
    }
    let right = right.unwrap_or(&Value::Null);
    Ok(match is {
        ConditionOperator::Present => true,
        ConditionOperator::Absent => false,
        ConditionOperator::Equal => same(left, right),
        ConditionOperator::NotEqual => !same(left, right),
        ConditionOperator::Greater => compare(left, right).is_gt(),
        ConditionOperator::Less => compare(left, right).is_lt(),
        ConditionOperator::AtLeast => compare(left, right).is_ge(),
        ConditionOperator::AtMost => compare(left, right).is_le(),
        ConditionOperator::Contains => contains(left, right),
        ConditionOperator::NotContains => !contains(left, right),
        ConditionOperator::StartsWith => text(left).starts_with(text(right)),
        ConditionOperator::EndsWith => text(left).ends_with(text(right)),
        ConditionOperator::Matches => found(text(left), text(right)).map_err(fault)?,
        ConditionOperator::LengthEqual => compare(&length(left), right).is_eq(),
        ConditionOperator::LengthGreater => compare(&length(left), right).is_gt(),
        ConditionOperator::LengthAtLeast => compare(&length(left), right).is_ge(),
        ConditionOperator::LengthLess => compare(&length(left), right).is_lt(),
        ConditionOperator::LengthAtMost => compare(&length(left), right).is_le(),
        ConditionOperator::HasKey => left.get(text(right)).is_some(),
        ConditionOperator::HasNoKey => left.get(text(right)).is_none(),
    })
}

/// Returns the text of a value that is known to be a string.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Compares two values that are known to be numbers.
fn compare(left: &Value, right: &Value) -> Ordering {
    let number = |value: &Value| value.as_number().cloned().unwrap_or_else(|| Number::from(0));
    order(&number(left), &number(right))
}

/// Returns the number of items of a list, or of code points (not bytes) of a string.
fn length(value: &Value) -> Value {
    let length = value.as_array().map_or_else(|| text(value).chars().count(), Vec::len);
    Value::from(length)
}

fn contains(left: &Value, right: &Value) -> bool {
    match left.as_array() {
        Some(items) => items.iter().any(|item| same(item, right)),
        None => text(left).contains(text(right)),
    }
}

fn found(text: &str, pattern: &str) -> Result<bool, OperatorMismatch> {
    compiled(pattern).map(|pattern| pattern.is_match(text))
}

/// Compiles a pattern within the limits. `regex` searches in linear time, whatever the pattern.
pub(crate) fn compiled(pattern: &str) -> Result<regex::Regex, OperatorMismatch> {
    if pattern.chars().count() > MAX_PATTERN_LENGTH {
        return Err(OperatorMismatch::Pattern {
            said: format!("it is longer than {MAX_PATTERN_LENGTH} characters"),
        });
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN).nest_limit(DEEPEST_PATTERN);
    builder.build().map_err(|error| {
        // `regex` draws the position below the pattern; only the last line is the message.
        let said = error.to_string();
        let line = said.lines().next_back().unwrap_or_default();
        OperatorMismatch::Pattern { said: line.trim_start_matches("error: ").to_owned() }
    })
}
