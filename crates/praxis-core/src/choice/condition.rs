//! One condition, and whether it holds.
//!
//! - in: two sides whose references are resolved, and an operator
//! - out: true, false, or the fault that says why it is neither
//! - never: converts a value, or calls false what cannot be tested

use super::fault::{ConditionFault, OperatorMismatch};
use super::kind::JsonKind;
use super::number::{order, same};
use super::operator::{ConditionOperator, RightSide};
use regex::RegexBuilder;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// The longest pattern, in characters.
pub const LONGEST_PATTERN: usize = 1_000;
/// How much room a compiled pattern may take, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;
/// How deep the groups of a pattern may lie in each other.
const DEEPEST_PATTERN: u32 = 50;

/// `left is right`. As files have it its sides are values with placeholders; as it is tested they
/// are [`Operand`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowCondition<Side = Value> {
    /// What is looked at.
    pub left: Side,
    /// The test.
    pub is: ConditionOperator,
    /// What it is compared with. `null` is a value; [`Operator::Present`] and its opposite have none.
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

/// A `null` that was written is a value, not the lack of one.
fn given<'de, D: Deserializer<'de>, Side: Deserialize<'de>>(
    from: D,
) -> Result<Option<Side>, D::Error> {
    Side::deserialize(from).map(Some)
}

/// A side after its references were resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOperand {
    /// The value.
    Value(Value),
    /// There is none; the name that was looked for.
    Missing(String),
}

impl From<Value> for ConditionOperand {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl<Side> FlowCondition<Side> {
    /// The condition with its sides resolved.
    pub fn settle(
        &self,
        mut resolve: impl FnMut(&Side) -> ConditionOperand,
    ) -> FlowCondition<ConditionOperand> {
        let left = resolve(&self.left);
        FlowCondition { left, is: self.is, right: self.right.as_ref().map(resolve) }
    }
}

impl FlowCondition<ConditionOperand> {
    /// Whether the condition holds.
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

/// The fault of two sides that do not go with an operator.
pub(super) fn unfit(
    left: Option<JsonKind>,
    is: ConditionOperator,
    right: Option<JsonKind>,
    why: OperatorMismatch,
) -> ConditionFault {
    ConditionFault::Unfit { left, is, right, why }
}

/// Why an operator does not go with two kinds, if it does not.
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

/// The text of a value that is known to be one.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The order of two values that are known to be numbers.
fn compare(left: &Value, right: &Value) -> Ordering {
    let number = |value: &Value| value.as_number().cloned().unwrap_or_else(|| Number::from(0));
    order(&number(left), &number(right))
}

/// How many items, or characters as people count code points, not bytes.
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

/// A pattern whose search takes time in proportion to the text, whatever the pattern.
pub(crate) fn compiled(pattern: &str) -> Result<regex::Regex, OperatorMismatch> {
    if pattern.chars().count() > LONGEST_PATTERN {
        return Err(OperatorMismatch::Pattern {
            said: format!("it is longer than {LONGEST_PATTERN} characters"),
        });
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN).nest_limit(DEEPEST_PATTERN);
    builder.build().map_err(|error| {
        // The reader draws the place below the pattern; the last line says what is wrong.
        let said = error.to_string();
        let line = said.lines().next_back().unwrap_or_default();
        OperatorMismatch::Pattern { said: line.trim_start_matches("error: ").to_owned() }
    })
}
