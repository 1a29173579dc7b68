//! Why a condition cannot be tested, and why no branch can be taken.

use super::kind::JsonKind;
use super::operator::ConditionOperator;
use crate::lang::Lang;
use crate::problem::Bilingual;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a condition is neither true nor false.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum ConditionFault {
    /// Nothing goes by the name that stands on one side.
    Missing {
        /// What was not found.
        name: String,
    },
    /// The two sides do not go with the operator.
    Unfit {
        /// The kind on the left; none if it is not known yet.
        left: Option<JsonKind>,
        /// The operator.
        is: ConditionOperator,
        /// The kind on the right; none if nothing stands there or it is not known yet.
        right: Option<JsonKind>,
        /// Why not.
        why: OperatorMismatch,
    },
}

/// What is wrong between an operator and its sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum OperatorMismatch {
    /// Such values are only compared with their own kind.
    KindsDiffer,
    /// The operator is not for such a left value.
    Left,
    /// The operator wants another kind on the right.
    Right {
        /// Which.
        wanted: JsonKind,
    },
    /// Something has to stand on the right.
    NothingRight,
    /// Nothing may stand on the right.
    SomethingRight,
    /// No length is such a number.
    NoLength,
    /// The pattern is none, or is too large.
    Pattern {
        /// What is wrong with it.
        said: String,
    },
}

/// Why no branch is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ChoiceFault {
    /// A condition that decides cannot be tested.
    ConditionUntestable {
        /// The branch.
        branch: String,
        /// Which of its conditions, from one on.
        condition: usize,
        /// Why.
        fault: ConditionFault,
        /// What all conditions before gave.
        verdicts: Vec<ConditionVerdict>,
    },
    /// No branch holds, and there is no default.
    NoBranchHolds {
        /// What all conditions gave.
        verdicts: Vec<ConditionVerdict>,
    },
}

impl ConditionFault {
    /// The reason in both languages.
    pub fn words(&self) -> Bilingual {
        match self {
            Self::Missing { name } => {
                (format!("there is no `{name}`"), format!("没有 `{name}`")).into()
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
            (None, Lang::En) => "something unknown",
            (None, Lang::Zh) => "未知的值",
        };
        let (left_en, left_zh) = (kind(left, Lang::En), kind(left, Lang::Zh));
        let (right_en, right_zh) = (kind(right, Lang::En), kind(right, Lang::Zh));
        match self {
            Self::KindsDiffer => (
                format!("`{is}` cannot compare {left_en} with {right_en}: the kinds differ"),
                format!("`{is}` 无法比较{left_zh}与{right_zh}：类型不同"),
            ),
            Self::Left => (
                format!("`{is}` cannot be asked of {left_en}"),
                format!("`{is}` 不适用于{left_zh}"),
            ),
            Self::Right { wanted } => (
                format!("`{is}` wants {wanted} on its right, and {right_en} stands there"),
                format!("`{is}` 右侧应为{}，得到{right_zh}", wanted.tell(Lang::Zh)),
            ),
            Self::NothingRight => {
                (format!("`{is}` needs a value on its right"), format!("`{is}` 右侧需要一个值"))
            }
            Self::SomethingRight => {
                (format!("`{is}` takes no value on its right"), format!("`{is}` 右侧不能有值"))
            }
            Self::NoLength => (
                format!("`{is}` can never hold: a length is a whole number from 0 on"),
                format!("`{is}` 永远不成立：长度是不小于 0 的整数"),
            ),
            Self::Pattern { said } => (
                format!("the pattern of `{is}` cannot be used: {said}"),
                format!("`{is}` 的模式不可用：{said}"),
            ),
        }
        .into()
    }
}

impl ChoiceFault {
    /// The reason in both languages.
    pub fn words(&self) -> Bilingual {
        match self {
            Self::ConditionUntestable { branch, condition, fault, .. } => {
                let Bilingual { en, zh } = fault.words();
                (
                    format!("condition {condition} of branch `{branch}` cannot be tested: {en}"),
                    format!("分支 `{branch}` 的第 {condition} 个条件无法判断：{zh}"),
                )
                    .into()
            }
            Self::NoBranchHolds { .. } => {
                ("no branch holds, and there is no default", "没有分支成立，也没有默认分支").into()
            }
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

/// What one condition gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionVerdict {
    /// The branch.
    pub branch: String,
    /// Which of its conditions, from one on.
    pub condition: usize,
    /// Whether it holds.
    pub outcome: ConditionOutcome,
}

/// Whether a condition holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOutcome {
    /// It does.
    Holds,
    /// It does not.
    HoldsNot,
    /// It cannot be tested.
    Untestable(ConditionFault),
}
