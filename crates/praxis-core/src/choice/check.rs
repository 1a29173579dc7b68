//! Finds conditions that can never be tested, before a flow runs.
//!
//! - in: what is known of a condition's sides in the file
//! - out: the reason for which it can never work, if there is one
//! - never: refuses what might work with values that are not known yet

use super::condition::{compiled, misfit, unfit};
use super::fault::{ConditionFault, Unfit};
use super::kind::Kind;
use super::operator::Operator;
use serde_json::Value;

/// What is known of the right side before a flow runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Right<'a> {
    /// Nothing stands there.
    Nothing,
    /// This value.
    Value(&'a Value),
    /// A reference; the kind of its value, if that is declared.
    Later(Option<Kind>),
}

/// Why a condition can never work. The kind of the left value is given where it is declared.
pub fn check_operator(
    left: Option<Kind>,
    is: Operator,
    right: Right<'_>,
) -> Result<(), ConditionFault> {
    let (given, kind) = match right {
        Right::Nothing => (true, None),
        Right::Value(value) => (true, Some(Kind::of(value))),
        Right::Later(kind) => (kind.is_some(), kind),
    };
    let lefts = left.map_or(Kind::ALL.to_vec(), |left| vec![left]);
    let why = |left: Kind| {
        if given { misfit(left, is, kind) } else { later(left, is) }
    };
    let misfits: Option<Vec<Unfit>> = lefts.into_iter().map(why).collect();
    // It is hopeless if every kind that may stand on the left has a reason against it. What is
    // wrong on the right tells more than that some other kind cannot be asked.
    let worst = misfits
        .and_then(|all| all.iter().find(|why| **why != Unfit::Left).or(all.first()).cloned());
    match worst.or_else(|| value_misfit(is, right)) {
        Some(why) => Err(unfit(left, is, kind, why)),
        None => Ok(()),
    }
}

/// A right side of an unknown kind works if any kind does.
fn later(left: Kind, is: Operator) -> Option<Unfit> {
    let mut misfits = Kind::ALL.into_iter().map(|right| misfit(left, is, Some(right)));
    let first = misfits.next().flatten()?;
    misfits.all(|misfit| misfit.is_some()).then_some(first)
}

/// What is wrong with the very value on the right, whatever stands on the left.
fn value_misfit(is: Operator, right: Right<'_>) -> Option<Unfit> {
    let Right::Value(value) = right else { return None };
    match is {
        Operator::Matches => compiled(value.as_str()?).err(),
        Operator::LengthEqual => {
            let number = value.as_f64()?;
            (number < 0.0 || number.fract() != 0.0).then_some(Unfit::NoLength)
        }
        Operator::LengthLess => (value.as_f64()? <= 0.0).then_some(Unfit::NoLength),
        Operator::LengthAtMost => (value.as_f64()? < 0.0).then_some(Unfit::NoLength),
        Operator::Equal
        | Operator::NotEqual
        | Operator::Greater
        | Operator::Less
        | Operator::AtLeast
        | Operator::AtMost
        | Operator::Contains
        | Operator::NotContains
        | Operator::StartsWith
        | Operator::EndsWith
        | Operator::LengthGreater
        | Operator::LengthAtLeast
        | Operator::HasKey
        | Operator::HasNoKey
        | Operator::Present
        | Operator::Absent => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(left: Option<Kind>, is: Operator, right: Right<'_>) -> Option<String> {
        check_operator(left, is, right).err().map(|fault| fault.to_string())
    }

    #[test]
    fn what_can_never_work_is_told_with_a_reason() {
        use Operator::{
            Equal, Greater, HasKey, LengthEqual, LengthLess, Matches, Present, StartsWith,
        };
        let cases = [
            (None, Matches, json!("(a"), "unclosed group"),
            (None, Matches, json!("a{99999}{99999}"), "pattern"),
            (None, Matches, json!(3), "wants a text on its right, and a number stands there"),
            (None, LengthEqual, json!("3"), "wants a number on its right, and a text stands there"),
            (None, LengthEqual, json!(1.5), "a length is a whole number"),
            (None, LengthLess, json!(0), "can never hold"),
            (None, HasKey, json!(1), "wants a text on its right"),
            (Some(Kind::Bool), Greater, json!(1), "cannot be asked of a boolean"),
            (Some(Kind::Number), Equal, json!("1"), "cannot compare a number with a text"),
            (None, Present, json!(null), "takes no value"),
            (Some(Kind::List), StartsWith, json!("a"), "cannot be asked of a list"),
        ];
        for (left, is, right, expected) in cases {
            let said = said(left, is, Right::Value(&right)).unwrap_or_default();
            assert!(said.contains(expected), "{left:?} {is} {right}: {said}");
        }
        assert!(said(None, Equal, Right::Nothing).unwrap().contains("needs a value"));
        assert!(said(Some(Kind::Object), HasKey, Right::Later(Some(Kind::List))).is_some());
        assert!(said(None, Present, Right::Later(None)).is_some());
    }

    #[test]
    fn what_may_work_with_values_of_later_is_not_refused() {
        for is in Operator::all() {
            let right = if is.wanted(Kind::Null) == Some(super::super::operator::Wanted::Nothing) {
                Right::Nothing
            } else {
                Right::Later(None)
            };
            assert_eq!(said(None, is, right), None, "{is}");
        }
        assert_eq!(said(Some(Kind::Number), Operator::Equal, Right::Value(&json!(null))), None);
        assert_eq!(said(None, Operator::LengthGreater, Right::Value(&json!(2.5))), None);
    }
}
