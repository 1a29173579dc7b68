//! Branches of a choice, as files write them.
//!
//! - in: `{id, all: [...]}` or `{id, any: [...]}`, and the id of the default
//! - out: branches in their order, and all their problems
//! - never: accepts an unknown field

use super::condition::{ConditionOperand, FlowCondition};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The operator that combines the conditions of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Logic {
    /// All conditions must hold.
    All,
    /// At least one condition must hold.
    Any,
}

/// A branch of a choice. Without conditions it is taken only as the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "BranchInFile<Side>",
    into = "BranchInFile<Side>",
    bound(serialize = "Side: Clone + Serialize", deserialize = "Side: Deserialize<'de>")
)]
pub struct Branch<Side = Value> {
    /// The id, unique within the choice.
    pub id: String,
    /// The operator that combines the conditions.
    pub logic: Logic,
    /// The conditions.
    pub conditions: Vec<FlowCondition<Side>>,
}

/// All branches of a choice, in the order in which they are tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "Side: Clone + Serialize", deserialize = "Side: Deserialize<'de>")
)]
pub struct BranchChoice<Side = Value> {
    /// The branches.
    pub branches: Vec<Branch<Side>>,
    /// The id of the default branch, taken if no other holds. It may also be listed in `branches`, at any position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
}

/// A branch as files write it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "Side: Deserialize<'de>"))]
struct BranchInFile<Side> {
    id: String,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    all: Option<Vec<FlowCondition<Side>>>,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    any: Option<Vec<FlowCondition<Side>>>,
}

impl<Side> TryFrom<BranchInFile<Side>> for Branch<Side> {
    type Error = String;

    fn try_from(written: BranchInFile<Side>) -> Result<Self, String> {
        let BranchInFile { id, all, any } = written;
        match (all, any) {
            (Some(conditions), None) => Ok(Self { id, logic: Logic::All, conditions }),
            (None, Some(conditions)) => Ok(Self { id, logic: Logic::Any, conditions }),
            (Some(_), Some(_)) => Err(format!("branch `{id}` has both `all` and `any`")),
            (None, None) => Err(format!("branch `{id}` has neither `all` nor `any`")),
        }
    }
}

impl<Side> From<Branch<Side>> for BranchInFile<Side> {
    fn from(branch: Branch<Side>) -> Self {
        let Branch { id, logic, conditions } = branch;
        match logic {
            Logic::All => Self { id, all: Some(conditions), any: None },
            Logic::Any => Self { id, all: None, any: Some(conditions) },
        }
    }
}

impl<Side> BranchChoice<Side> {
    /// Returns the choice with all references resolved.
    pub fn settle(
        &self,
        mut resolve: impl FnMut(&Side) -> ConditionOperand,
    ) -> BranchChoice<ConditionOperand> {
        let settle = |branch: &Branch<Side>| Branch {
            id: branch.id.clone(),
            logic: branch.logic,
            conditions: branch.conditions.iter().map(|it| it.settle(&mut resolve)).collect(),
        };
        let branches = self.branches.iter().map(settle).collect();
        BranchChoice { branches, otherwise: self.otherwise.clone() }
    }

    /// Returns the ids of all branches that can be taken, the default last.
    pub fn ids(&self) -> Vec<&str> {
        let default = self.otherwise.as_deref();
        let others = self.branches.iter().map(|branch| branch.id.as_str());
        others.filter(|id| Some(*id) != default).chain(default).collect()
    }

    /// Returns the problems of the branches themselves. `check_operator` checks their conditions.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut refuse = |id: &str, en: &str, zh: &str| {
            let words = (format!("branch `{id}` {en}"), format!("分支 `{id}` {zh}"));
            problems.push(Problem::new("choice_shape", "branches", words));
        };
        let mut seen = BTreeSet::new();
        for Branch { id, conditions, .. } in &self.branches {
            let is_default = self.otherwise.as_ref() == Some(id);
            if id.is_empty() {
                refuse(id, "has no name", "没有名称");
            }
            if !seen.insert(id) {
                refuse(id, "appears twice", "重复出现");
            }
            if is_default && !conditions.is_empty() {
                refuse(
                    id,
                    "is the default; its conditions are never tested",
                    "是默认分支，其条件不会被判断",
                );
            }
            if !is_default && conditions.is_empty() {
                refuse(id, "has no conditions and is never taken", "没有条件，永远不会被选中");
            }
        }
        if self.branches.is_empty() && self.otherwise.is_none() {
            let words = ("no branches to choose from", "没有可选择的分支");
            problems.push(Problem::new("choice_shape", "branches", words));
        }
        problems
    }
}
