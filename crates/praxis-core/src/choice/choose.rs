//! Takes the first branch that holds.
//!
//! - in: a choice whose references are resolved
//! - out: the branch and what every tested condition gave, or the fault that stands in the way
//! - never: looks at a branch behind the one that holds, or at the default before all others

use super::branch::{Branch, Choice, Logic};
use super::condition::Operand;
use super::fault::{ChoiceFault, ConditionFault};
use crate::choice::fault::Outcome;
use crate::choice::fault::Verdict;
use serde::{Deserialize, Serialize};

/// The branch that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// Its id.
    pub branch: String,
    /// Whether it is the default, taken because no other holds.
    pub by_default: bool,
    /// What every condition gave that was tested, in order.
    pub why: Vec<Verdict>,
}

impl Choice<Operand> {
    /// The branch to take: the first that holds, else the default.
    pub fn choose(&self) -> Result<Chosen, ChoiceFault> {
        let mut why = Vec::new();
        let is_default = |branch: &&Branch<Operand>| self.otherwise.as_ref() == Some(&branch.id);
        for branch in self.branches.iter().filter(|branch| !is_default(branch)) {
            let verdicts = branch.verdicts();
            let held = branch.held(&verdicts);
            why.extend(verdicts);
            match held {
                Ok(true) => {
                    return Ok(Chosen { branch: branch.id.clone(), by_default: false, why });
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
            Some(branch) => Ok(Chosen { branch, by_default: true, why }),
            None => Err(ChoiceFault::NoBranchHolds { verdicts: why }),
        }
    }
}

impl Branch<Operand> {
    fn verdicts(&self) -> Vec<Verdict> {
        let verdict = |(index, condition): (usize, &super::condition::Condition<Operand>)| {
            let outcome = match condition.holds() {
                Ok(true) => Outcome::Holds,
                Ok(false) => Outcome::HoldsNot,
                Err(fault) => Outcome::Untestable(fault),
            };
            Verdict { branch: self.id.clone(), condition: index + 1, outcome }
        };
        self.conditions.iter().enumerate().map(verdict).collect()
    }

    /// A condition that cannot be tested counts only where the others leave the branch open.
    fn held(&self, verdicts: &[Verdict]) -> Result<bool, (usize, ConditionFault)> {
        let decisive = match self.logic {
            Logic::All => Outcome::HoldsNot,
            Logic::Any => Outcome::Holds,
        };
        if verdicts.iter().any(|verdict| verdict.outcome == decisive) {
            return Ok(self.logic == Logic::Any);
        }
        for verdict in verdicts {
            if let Outcome::Untestable(fault) = &verdict.outcome {
                return Err((verdict.condition, fault.clone()));
            }
        }
        Ok(self.logic == Logic::All && !verdicts.is_empty())
    }
}
