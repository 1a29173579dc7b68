//! What a condition asks of its left value.

use super::kind::JsonKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The test of one condition. What it means is decided by the kind of the left value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum ConditionOperator {
    /// The same value. Only null equals null; other kinds are compared with their own kind alone.
    Equal,
    /// Not the same value.
    NotEqual,
    /// A larger number.
    Greater,
    /// A smaller number.
    Less,
    /// A number that is not smaller.
    AtLeast,
    /// A number that is not larger.
    AtMost,
    /// A text with this text in it, or a list with this item.
    Contains,
    /// A text or a list without it.
    NotContains,
    /// A text that begins so.
    StartsWith,
    /// A text that ends so.
    EndsWith,
    /// A text in which the pattern is found anywhere.
    Matches,
    /// As many characters or items.
    LengthEqual,
    /// More characters or items.
    LengthGreater,
    /// Not fewer characters or items.
    LengthAtLeast,
    /// Fewer characters or items.
    LengthLess,
    /// Not more characters or items.
    LengthAtMost,
    /// An object with this key.
    HasKey,
    /// An object without this key.
    HasNoKey,
    /// There is a value, be it null. Takes no right side.
    Present,
    /// There is no value. Takes no right side.
    Absent,
}

/// Every operator with its name, and what else it may be called: the signs and words by which the
/// checklist (B-036) names the operators of the seed.
const NAMES: [(ConditionOperator, &str, &[&str]); 20] = [
    (ConditionOperator::Equal, "equal", &["=", "=="]),
    (ConditionOperator::NotEqual, "not_equal", &["≠", "!="]),
    (ConditionOperator::Greater, "greater", &[">"]),
    (ConditionOperator::Less, "less", &["<"]),
    (ConditionOperator::AtLeast, "at_least", &["≥", ">="]),
    (ConditionOperator::AtMost, "at_most", &["≤", "<="]),
    (ConditionOperator::Contains, "contains", &[]),
    (ConditionOperator::NotContains, "not_contains", &[]),
    (ConditionOperator::StartsWith, "starts_with", &["starts"]),
    (ConditionOperator::EndsWith, "ends_with", &["ends"]),
    (ConditionOperator::Matches, "matches", &["regex"]),
    (ConditionOperator::LengthEqual, "length_equal", &["length =", "length =="]),
    (ConditionOperator::LengthGreater, "length_greater", &["length >"]),
    (ConditionOperator::LengthAtLeast, "length_at_least", &["length ≥", "length >="]),
    (ConditionOperator::LengthLess, "length_less", &["length <"]),
    (ConditionOperator::LengthAtMost, "length_at_most", &["length ≤", "length <="]),
    (ConditionOperator::HasKey, "has_key", &["contains_key"]),
    (ConditionOperator::HasNoKey, "has_no_key", &["not_contains_key"]),
    (ConditionOperator::Present, "present", &[]),
    (ConditionOperator::Absent, "absent", &[]),
];

/// What an operator wants on its right side, given the kind on its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RightSide {
    /// Nothing may stand there.
    Nothing,
    /// Any value.
    Anything,
    /// A value of this kind.
    Of(JsonKind),
    /// A value of the left one's kind; null may stand against every kind.
    SameOrNull,
}

impl ConditionOperator {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(|(operator, _, _)| operator)
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(operator, _, _)| *operator == self).map_or("", |(_, name, _)| name)
    }

    /// The operator that is called so, by its name or another one that it goes by.
    pub fn named(said: &str) -> Option<Self> {
        let is_it =
            |(_, name, others): &&(Self, &str, &[&str])| *name == said || others.contains(&said);
        NAMES.iter().find(is_it).map(|(operator, _, _)| *operator)
    }

    /// What has to stand on the right of such a left value; none if it cannot be asked of it.
    pub(super) fn wanted(self, left: JsonKind) -> Option<RightSide> {
        match self {
            Self::Equal | Self::NotEqual => Some(RightSide::SameOrNull),
            Self::Present | Self::Absent => Some(RightSide::Nothing),
            Self::Greater | Self::Less | Self::AtLeast | Self::AtMost => {
                (left == JsonKind::Number).then_some(RightSide::Of(JsonKind::Number))
            }
            Self::Contains | Self::NotContains if left == JsonKind::List => {
                Some(RightSide::Anything)
            }
            Self::Contains
            | Self::NotContains
            | Self::StartsWith
            | Self::EndsWith
            | Self::Matches => {
                (left == JsonKind::String).then_some(RightSide::Of(JsonKind::String))
            }
            Self::LengthEqual
            | Self::LengthGreater
            | Self::LengthAtLeast
            | Self::LengthLess
            | Self::LengthAtMost => matches!(left, JsonKind::String | JsonKind::List)
                .then_some(RightSide::Of(JsonKind::Number)),
            Self::HasKey | Self::HasNoKey => {
                (left == JsonKind::Object).then_some(RightSide::Of(JsonKind::String))
            }
        }
    }
}

impl RightSide {
    /// Whether a right value of this kind will do.
    pub(super) fn takes(self, left: JsonKind, right: JsonKind) -> bool {
        match self {
            Self::Nothing => false,
            Self::Anything => true,
            Self::Of(kind) => kind == right,
            Self::SameOrNull => left == right || left == JsonKind::Null || right == JsonKind::Null,
        }
    }
}

impl From<ConditionOperator> for &'static str {
    fn from(operator: ConditionOperator) -> Self {
        operator.name()
    }
}

impl TryFrom<String> for ConditionOperator {
    type Error = String;

    fn try_from(said: String) -> Result<Self, String> {
        let names = || NAMES.map(|(_, name, _)| name);
        Self::named(&said).ok_or_else(|| {
            let near = crate::near::near(&said, names().into_iter());
            let near = if near.is_empty() { names().map(str::to_owned).to_vec() } else { near };
            format!("unknown operator `{said}`, expected `{}`", near.join("` or `"))
        })
    }
}

impl fmt::Display for ConditionOperator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn every_operator_has_one_name_and_no_name_means_two() {
        let mut names = BTreeSet::new();
        for (operator, name, others) in NAMES {
            assert_eq!(serde_json::to_value(operator).unwrap(), json!(name));
            for said in std::iter::once(&name).chain(others) {
                assert!(names.insert(*said), "`{said}` means two operators");
                assert_eq!(
                    serde_json::from_value::<ConditionOperator>(json!(said)).unwrap(),
                    operator
                );
            }
        }
        let said = serde_json::from_value::<ConditionOperator>(json!("length_equals")).unwrap_err();
        assert!(said.to_string().contains("`length_equal`"), "{said}");
    }
}
