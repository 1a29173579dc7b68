//! Finds conditions that can never be tested, before a flow runs.
//!
//! - in: an operator, and the kinds and values of its sides as far as the file tells them
//! - out: the reason for which the condition can never work, if there is one
//! - never: refuses a condition that may work with values that are not known yet

use super::condition::{compiled, misfit, unfit};
use super::fault::{ConditionFault, OperatorMismatch};
use super::kind::JsonKind;
use super::operator::ConditionOperator;
use serde_json::Value;

/// The right side of a condition, as known before a flow runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RightOperand<'a> {
    /// No right side.
    Nothing,
    /// A literal value.
    Value(&'a Value),
    /// A reference, with the kind of its value if that is declared.
    Later(Option<JsonKind>),
}

/// Returns an error if a condition can never work. `left` is the kind of the left value, if that is declared.
pub fn check_operator(
    left: Option<JsonKind>,
    is: ConditionOperator,
    right: RightOperand<'_>,
) -> Result<(), ConditionFault> {
    let (given, kind) = match right {
        RightOperand::Nothing => (true, None),
        RightOperand::Value(value) => (true, Some(JsonKind::of(value))),
        RightOperand::Later(kind) => (kind.is_some(), kind),
    };
    let lefts = left.map_or(JsonKind::ALL.to_vec(), |left| vec![left]);
    let why = |left: JsonKind| {
        if given { misfit(left, is, kind) } else { later(left, is) }
    };
    let misfits: Option<Vec<OperatorMismatch>> = lefts.into_iter().map(why).collect();
    // The condition is hopeless if every possible kind on the left has a mismatch. A mismatch on the right is the
    // better explanation: `Left` only says that the operator does not support some kind.
    let worst = misfits.and_then(|all| {
        all.iter().find(|why| **why != OperatorMismatch::Left).or(all.first()).cloned()
    });
    match worst.or_else(|| value_misfit(is, right)) {
        Some(why) => Err(unfit(left, is, kind, why)),
        None => Ok(()),
    }
}

/// Returns a mismatch if the operator works with no kind on the right.
fn later(left: JsonKind, is: ConditionOperator) -> Option<OperatorMismatch> {
    let mut misfits = JsonKind::ALL.into_iter().map(|right| misfit(left, is, Some(right)));
    let first = misfits.next().flatten()?;
    misfits.all(|misfit| misfit.is_some()).then_some(first)
}

/// Returns the mismatch of a literal right value that can never work, whatever the left value is.
fn value_misfit(is: ConditionOperator, right: RightOperand<'_>) -> Option<OperatorMismatch> {
    let RightOperand::Value(value) = right else { return None };
    match is {
        ConditionOperator::Matches => compiled(value.as_str()?).err(),
        ConditionOperator::LengthEqual => {
            let number = value.as_f64()?;
            (number < 0.0 || number.fract() != 0.0).then_some(OperatorMismatch::NoLength)
        }
        ConditionOperator::LengthLess => {
            (value.as_f64()? <= 0.0).then_some(OperatorMismatch::NoLength)
        }
        ConditionOperator::LengthAtMost => {
            (value.as_f64()? < 0.0).then_some(OperatorMismatch::NoLength)
        }
        ConditionOperator::Equal
        | ConditionOperator::NotEqual
        | ConditionOperator::Greater
        | ConditionOperator::Less
        | ConditionOperator::AtLeast
        | ConditionOperator::AtMost
        | ConditionOperator::Contains
        | ConditionOperator::NotContains
        | ConditionOperator::StartsWith
        | ConditionOperator::EndsWith
        | ConditionOperator::LengthGreater
        | ConditionOperator::LengthAtLeast
        | ConditionOperator::HasKey
        | ConditionOperator::HasNoKey
        | ConditionOperator::Present
        | ConditionOperator::Absent => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(
        left: Option<JsonKind>,
        is: ConditionOperator,
        right: RightOperand<'_>,
    ) -> Option<String> {
        check_operator(left, is, right).err().map(|fault| fault.to_string())
    }

    #[test]
    fn what_can_never_work_is_told_with_a_reason() {
        use ConditionOperator::{
            Equal, Greater, HasKey, LengthEqual, LengthLess, Matches, Present, StartsWith,
        };
        let cases = [
            (None, Matches, json!("(a"), "unclosed group"),
            (None, Matches, json!("a{99999}{99999}"), "pattern"),
            (None, Matches, json!(3), "needs a string on the right, got a number"),
            (None, LengthEqual, json!("3"), "needs a number on the right, got a string"),
            (None, LengthEqual, json!(1.5), "a length is a whole number"),
            (None, LengthLess, json!(0), "is never true"),
            (None, HasKey, json!(1), "needs a string on the right"),
            (Some(JsonKind::Bool), Greater, json!(1), "does not apply to a boolean"),
            (Some(JsonKind::Number), Equal, json!("1"), "cannot compare a number with a string"),
            (None, Present, json!(null), "takes no value"),
            (Some(JsonKind::List), StartsWith, json!("a"), "does not apply to a list"),
        ];
        for (left, is, right, expected) in cases {
            let said = said(left, is, RightOperand::Value(&right)).unwrap_or_default();
            assert!(said.contains(expected), "{left:?} {is} {right}: {said}");
        }
        assert!(said(None, Equal, RightOperand::Nothing).unwrap().contains("needs a value"));
        assert!(
            said(Some(JsonKind::Object), HasKey, RightOperand::Later(Some(JsonKind::List)))
                .is_some()
        );
        assert!(said(None, Present, RightOperand::Later(None)).is_some());
    }

    #[test]
    fn what_may_work_with_values_of_later_is_not_refused() {
        for is in ConditionOperator::all() {
            let right =
                if is.wanted(JsonKind::Null) == Some(super::super::operator::RightSide::Nothing) {
                    RightOperand::Nothing
                } else {
                    RightOperand::Later(None)
                };
            assert_eq!(said(None, is, right), None, "{is}");
        }
        assert_eq!(
            said(
                Some(JsonKind::Number),
                ConditionOperator::Equal,
                RightOperand::Value(&json!(null))
            ),
            None
        );
        assert_eq!(
            said(None, ConditionOperator::LengthGreater, RightOperand::Value(&json!(2.5))),
            None
        );
    }
}
