//! Chooses the first branch that holds.
//!
//! - in: a choice with resolved references
//! - out: the branch and the verdict on every tested condition, or the fault that prevents a choice
//! - never: tests a branch after the one that holds, or takes the default before testing all others

use super::branch::{Branch, BranchChoice, Logic};
use super::condition::ConditionOperand;
use super::fault::{ChoiceFault, ConditionFault};
use crate::choice::fault::ConditionOutcome;
use crate::choice::fault::ConditionVerdict;
use serde::{Deserialize, Serialize};

/// The chosen branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenBranch {
    /// The id of the branch.
    pub branch: String,
    /// True if it is the default, taken because no other branch holds.
    pub by_default: bool,
    /// The verdicts on all tested conditions, in order.
    pub why: Vec<ConditionVerdict>,
}

impl BranchChoice<ConditionOperand> {
    /// Returns the first branch that holds, else the default.
    pub fn choose(&self) -> Result<ChosenBranch, ChoiceFault> {
        let mut why = Vec::new();
        let is_default =
            |branch: &&Branch<ConditionOperand>| self.otherwise.as_ref() == Some(&branch.id);
        for branch in self.branches.iter().filter(|branch| !is_default(branch)) {
            let verdicts = branch.verdicts();
            let held = branch.held(&verdicts);
            why.extend(verdicts);
            match held {
                Ok(true) => {
                    return Ok(ChosenBranch { branch: branch.id.clone(), by_default: false, why });
                }
                Ok(false) => {}
                Err((condition, fault)) => {
                    let branch = branch.id.clone();
                    return Err(ChoiceFault::ConditionUntestable {
                        branch,
                        condition,
                        fault,
                        verdicts: why,
                    });
                }
            }
        }
        match self.otherwise.clone() {
            Some(branch) => Ok(ChosenBranch { branch, by_default: true, why }),
            None => Err(ChoiceFault::NoBranchHolds { verdicts: why }),
        }
    }
}

impl Branch<ConditionOperand> {
    fn verdicts(&self) -> Vec<ConditionVerdict> {
        let verdict =
            |(index, condition): (usize, &super::condition::FlowCondition<ConditionOperand>)| {
                let outcome = match condition.holds() {
                    Ok(true) => ConditionOutcome::Holds,
                    Ok(false) => ConditionOutcome::HoldsNot,
                    Err(fault) => ConditionOutcome::Untestable(fault),
                };
                ConditionVerdict { branch: self.id.clone(), condition: index + 1, outcome }
            };
        self.conditions.iter().enumerate().map(verdict).collect()
    }

    /// Returns true if the branch holds. An untestable condition is an error only if the others do not decide the
    /// branch.
    fn held(&self, verdicts: &[ConditionVerdict]) -> Result<bool, (usize, ConditionFault)> {
        let decisive = match self.logic {
            Logic::All => ConditionOutcome::HoldsNot,
            Logic::Any => ConditionOutcome::Holds,
        };
        if verdicts.iter().any(|verdict| verdict.outcome == decisive) {
            return Ok(self.logic == Logic::Any);
        }
        for verdict in verdicts {
            if let ConditionOutcome::Untestable(fault) = &verdict.outcome {
                return Err((verdict.condition, fault.clone()));
            }
        }
        Ok(self.logic == Logic::All && !verdicts.is_empty())
    }
}
