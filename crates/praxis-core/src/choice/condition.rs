//! One condition, and whether it holds.
//!
//! - in: two sides whose references are resolved, and an operator
//! - out: true, false, or the fault that says why it is neither
//! - never: converts a value, or calls false what cannot be tested

use super::fault::{ConditionFault, Unfit};
use super::kind::Kind;
use super::number::{order, same};
use super::operator::{Operator, Wanted};
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
pub struct Condition<Side = Value> {
    /// What is looked at.
    pub left: Side,
    /// The test.
    pub is: Operator,
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
pub enum Operand {
    /// The value.
    Value(Value),
    /// There is none; the name that was looked for.
    Missing(String),
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl<Side> Condition<Side> {
    /// The condition with its sides resolved.
    pub fn settle(&self, mut resolve: impl FnMut(&Side) -> Operand) -> Condition<Operand> {
        let left = resolve(&self.left);
        Condition { left, is: self.is, right: self.right.as_ref().map(resolve) }
    }
}

impl Condition<Operand> {
    /// Whether the condition holds.
    pub fn holds(&self) -> Result<bool, ConditionFault> {
        let right = match &self.right {
            None => None,
            Some(Operand::Value(value)) => Some(value),
            Some(Operand::Missing(name)) => {
                return Err(ConditionFault::Missing { name: name.clone() });
            }
        };
        match &self.left {
            Operand::Value(left) => test(left, self.is, right),
            Operand::Missing(name) => match (self.is, right) {
                (Operator::Present, None) => Ok(false),
                (Operator::Absent, None) => Ok(true),
                (Operator::Present | Operator::Absent, Some(right)) => {
                    Err(unfit(None, self.is, Some(Kind::of(right)), Unfit::SomethingRight))
                }
                _ => Err(ConditionFault::Missing { name: name.clone() }),
            },
        }
    }
}

/// The fault of two sides that do not go with an operator.
pub(super) fn unfit(
    left: Option<Kind>,
    is: Operator,
    right: Option<Kind>,
    why: Unfit,
) -> ConditionFault {
    ConditionFault::Unfit { left, is, right, why }
}

/// Why an operator does not go with two kinds, if it does not.
pub(super) fn misfit(left: Kind, is: Operator, right: Option<Kind>) -> Option<Unfit> {
    let Some(wanted) = is.wanted(left) else { return Some(Unfit::Left) };
    match (wanted, right) {
        (Wanted::Nothing, None) => None,
        (Wanted::Nothing, Some(_)) => Some(Unfit::SomethingRight),
        (_, None) => Some(Unfit::NothingRight),
        (wanted, Some(right)) if wanted.takes(left, right) => None,
        (Wanted::Of(wanted), Some(_)) => Some(Unfit::Right { wanted }),
        (Wanted::Anything | Wanted::SameOrNull, Some(_)) => Some(Unfit::KindsDiffer),
    }
}

fn test(left: &Value, is: Operator, right: Option<&Value>) -> Result<bool, ConditionFault> {
    let kinds = (Kind::of(left), right.map(Kind::of));
    let fault = |why| unfit(Some(kinds.0), is, kinds.1, why);
    if let Some(why) = misfit(kinds.0, is, kinds.1) {
        return Err(fault(why));
    }
    let right = right.unwrap_or(&Value::Null);
    Ok(match is {
        Operator::Present => true,
        Operator::Absent => false,
        Operator::Equal => same(left, right),
        Operator::NotEqual => !same(left, right),
        Operator::Greater => compare(left, right).is_gt(),
        Operator::Less => compare(left, right).is_lt(),
        Operator::AtLeast => compare(left, right).is_ge(),
        Operator::AtMost => compare(left, right).is_le(),
        Operator::Contains => contains(left, right),
        Operator::NotContains => !contains(left, right),
        Operator::StartsWith => text(left).starts_with(text(right)),
        Operator::EndsWith => text(left).ends_with(text(right)),
        Operator::Matches => found(text(left), text(right)).map_err(fault)?,
        Operator::LengthEqual => compare(&length(left), right).is_eq(),
        Operator::LengthGreater => compare(&length(left), right).is_gt(),
        Operator::LengthAtLeast => compare(&length(left), right).is_ge(),
        Operator::LengthLess => compare(&length(left), right).is_lt(),
        Operator::LengthAtMost => compare(&length(left), right).is_le(),
        Operator::HasKey => left.get(text(right)).is_some(),
        Operator::HasNoKey => left.get(text(right)).is_none(),
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

fn found(text: &str, pattern: &str) -> Result<bool, Unfit> {
    compiled(pattern).map(|pattern| pattern.is_match(text))
}

/// A pattern whose search takes time in proportion to the text, whatever the pattern.
pub(crate) fn compiled(pattern: &str) -> Result<regex::Regex, Unfit> {
    if pattern.chars().count() > LONGEST_PATTERN {
        return Err(Unfit::Pattern {
            said: format!("it is longer than {LONGEST_PATTERN} characters"),
        });
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN).nest_limit(DEEPEST_PATTERN);
    builder.build().map_err(|error| {
        // The reader draws the place below the pattern; the last line says what is wrong.
        let said = error.to_string();
        let line = said.lines().next_back().unwrap_or_default();
        Unfit::Pattern { said: line.trim_start_matches("error: ").to_owned() }
    })
}
