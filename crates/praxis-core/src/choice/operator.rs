//! Operators of conditions.

use super::kind::JsonKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The operator of a condition. Its meaning depends on the kind of the left value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum ConditionOperator {
    /// Both sides are equal. They must be of one kind, but `null` may be compared with every kind.
    Equal,
    /// The sides are not equal.
    NotEqual,
    /// The left number is larger.
    Greater,
    /// The left number is smaller.
    Less,
    /// The left number is larger or equal.
    AtLeast,
    /// The left number is smaller or equal.
    AtMost,
    /// The left text contains the right one, or the left list contains the right item.
    Contains,
    /// The left text or list does not contain it.
    NotContains,
    /// The left text starts with the right one.
    StartsWith,
    /// The left text ends with the right one.
    EndsWith,
    /// The left text contains a match of the pattern.
    Matches,
    /// The left text or list has exactly this many characters or items.
    LengthEqual,
    /// The left text or list has more characters or items.
    LengthGreater,
    /// The left text or list has at least this many characters or items.
    LengthAtLeast,
    /// The left text or list has fewer characters or items.
    LengthLess,
    /// The left text or list has at most this many characters or items.
    LengthAtMost,
    /// The left object has this key.
    HasKey,
    /// The left object does not have this key.
    HasNoKey,
    /// The left side has a value, which may be `null`. Takes no right side.
    Present,
    /// The left side has no value. Takes no right side.
    Absent,
}

/// Every operator with its name and its aliases. The aliases are the signs and words by which the checklist (B-036)
/// names the operators of the seed.
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

/// The right side that an operator needs for a given kind on its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RightSide {
    /// No right side.
    Nothing,
    /// Any value.
    Anything,
    /// A value of this kind.
    Of(JsonKind),
    /// A value of the same kind as the left one; `null` goes with every kind.
    SameOrNull,
}

impl ConditionOperator {
    /// Returns all operators.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(|(operator, _, _)| operator)
    }

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(operator, _, _)| *operator == self).map_or("", |(_, name, _)| name)
    }

    /// Returns the operator with this name or alias.
    pub fn named(said: &str) -> Option<Self> {
        let is_it =
            |(_, name, others): &&(Self, &str, &[&str])| *name == said || others.contains(&said);
        NAMES.iter().find(is_it).map(|(operator, _, _)| *operator)
    }

    /// Returns the right side that the operator needs, or `None` if it does not support the kind on the left.
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
    /// Returns true if a right value of this kind fits.
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
