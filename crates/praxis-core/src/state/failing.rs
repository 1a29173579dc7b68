//! The failures of a step, and the repairs that were tried.

use crate::fault::Fault;
use crate::fault::class::FaultClass;
use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Maximum number of failures kept per step.
const MOST_REMEMBERED: usize = 10;

/// The recovery record of a step that failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FailingStep {
    /// Its failures, oldest first.
    pub failures: Vec<FailureSeen>,
    /// Fingerprints of all calls that failed; the same call is never made twice.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tried: BTreeSet<String>,
    /// The fault classes whose own rule (`RecoveryRung::Class`) was tried.
    pub mended: BTreeSet<FaultClass>,
    /// Number of changes by stepwise rules (`FaultClass::is_eased_stepwise`).
    #[serde(default, skip_serializing_if = "is_none_yet")]
    pub eased: u32,
    /// Number of changes after reflection.
    pub retries: u32,
    /// Number of repairs (`RecoveryRung::Repair`).
    pub repairs: u32,
    /// True if a model was asked for missing values.
    pub inferred: bool,
    /// True if reflection suggested a repair of the step.
    pub repair_wanted: bool,
    /// The last reflection: suggested action and root cause.
    pub advice: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none_yet(count: &u32) -> bool {
    *count == 0
}

/// A failure as recovery sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureSeen {
    /// The tool that was called.
    pub tool: ToolId,
    /// The class of the fault.
    pub class: FaultClass,
    /// The fault.
    pub fault: Fault,
    /// The arguments that were sent, truncated.
    pub arguments: String,
}

impl FailingStep {
    /// Records a failure and forgets the oldest one if there are too many.
    pub fn note(&mut self, failed: FailureSeen) {
        if self.failures.len() >= MOST_REMEMBERED {
            self.failures.remove(0);
        }
        self.failures.push(failed);
    }
}
