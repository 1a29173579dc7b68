//! Faults of conditions and choices.

use super::kind::JsonKind;
use super::operator::ConditionOperator;
use crate::lang::Lang;
use crate::problem::Bilingual;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason for which a condition is neither true nor false.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum ConditionFault {
    /// A reference on one side has no value.
    Missing {
        /// The name that was not found.
        name: String,
    },
    /// The sides do not fit the operator.
    Unfit {
        /// The kind on the left; `None` if it is not known yet.
        left: Option<JsonKind>,
        /// The operator.
        is: ConditionOperator,
        /// The kind on the right; `None` if there is no right side or its kind is not known yet.
        right: Option<JsonKind>,
        /// The mismatch.
        why: OperatorMismatch,
    },
}

/// A mismatch between an operator and its sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum OperatorMismatch {
    /// The kinds differ, and the operator compares values of one kind only.
    KindsDiffer,
    /// The operator does not support the kind on the left.
    Left,
    /// The operator needs another kind on the right.
    Right {
        /// The kind that it needs.
        wanted: JsonKind,
    },
    /// The right side is missing.
    NothingRight,
    /// The operator takes no right side.
    SomethingRight,
    /// The number on the right can never be a length.
    NoLength,
    /// The pattern is invalid or too large.
    Pattern {
        /// The error message.
        said: String,
    },
}

/// The reason for which no branch is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ChoiceFault {
    /// A decisive condition cannot be tested.
    ConditionUntestable {
        /// The branch of the condition.
        branch: String,
        /// The position of the condition in its branch, from 1.
        condition: usize,
        /// The fault of the condition.
        fault: ConditionFault,
        /// The verdicts on all tested conditions, this one included.
        verdicts: Vec<ConditionVerdict>,
    },
    /// No branch holds, and there is no default.
    NoBranchHolds {
        /// The verdicts on all tested conditions.
        verdicts: Vec<ConditionVerdict>,
    },
}

impl ConditionFault {
    /// Returns the reason in both languages.
    pub fn words(&self) -> Bilingual {
        match self {
            Self::Missing { name } => {
                (format!("`{name}` not found"), format!("找不到 `{name}`")).into()
            }
            Self::Unfit { left, is, right, why } => why.words(*left, *is, *right),
        }
    }
}

impl OperatorMismatch {
    fn words(
        &self,
        left: Option<JsonKind>,
        is: ConditionOperator,
        right: Option<JsonKind>,
    ) -> Bilingual {
        let kind = |side: Option<JsonKind>, lang| match (side, lang) {
            (Some(kind), lang) => kind.tell(lang),
            (None, Lang::En) => "an unknown value",
            (None, Lang::Zh) => "未知的值",
        };
        let (left_en, left_zh) = (kind(left, Lang::En), kind(left, Lang::Zh));
        let (right_en, right_zh) = (kind(right, Lang::En), kind(right, Lang::Zh));
        match self {
            Self::KindsDiffer => (
                format!("`{is}` cannot compare {left_en} with {right_en}: different types"),
                format!("`{is}` 无法比较{left_zh}与{right_zh}：类型不同"),
            ),
            Self::Left => {
                (format!("`{is}` does not apply to {left_en}"), format!("`{is}` 不适用于{left_zh}"))
            }
            Self::Right { wanted } => (
                format!("`{is}` needs {wanted} on the right, got {right_en}"),
                format!("`{is}` 右侧应为{}，实际为{right_zh}", wanted.tell(Lang::Zh)),
            ),
            Self::NothingRight => {
                (format!("`{is}` needs a value on the right"), format!("`{is}` 右侧需要一个值"))
            }
            Self::SomethingRight => {
                (format!("`{is}` takes no value on the right"), format!("`{is}` 右侧不能有值"))
            }
            Self::NoLength => (
                format!("`{is}` is never true: a length is a whole number of at least 0"),
                format!("`{is}` 永远不成立：长度是不小于 0 的整数"),
            ),
            Self::Pattern { said } => (
                format!("cannot use the pattern of `{is}`: {said}"),
                format!("`{is}` 的正则表达式不可用：{said}"),
            ),
        }
        .into()
    }
}

impl ChoiceFault {
    /// Returns the reason in both languages.
    pub fn words(&self) -> Bilingual {
        match self {
            Self::ConditionUntestable { branch, condition, fault, .. } => {
                let Bilingual { en, zh } = fault.words();
                (
                    format!("condition {condition} of branch `{branch}` cannot be evaluated: {en}"),
                    format!("分支 `{branch}` 的第 {condition} 个条件无法求值：{zh}"),
                )
                    .into()
            }
            Self::NoBranchHolds { .. } => (
                "no branch matches, and there is no default branch",
                "没有匹配的分支，也没有默认分支",
            )
                .into(),
        }
    }
}

impl fmt::Display for ConditionFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words().en)
    }
}

impl fmt::Display for ChoiceFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words().en)
    }
}

impl std::error::Error for ConditionFault {}

impl std::error::Error for ChoiceFault {}

/// The verdict on one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionVerdict {
    /// The branch of the condition.
    pub branch: String,
    /// The position of the condition in its branch, from 1.
    pub condition: usize,
    /// The outcome of the test.
    pub outcome: ConditionOutcome,
}

/// The outcome of testing a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOutcome {
    /// The condition holds.
    Holds,
    /// The condition does not hold.
    HoldsNot,
    /// The condition cannot be tested.
    Untestable(ConditionFault),
}
