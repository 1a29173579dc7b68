//! What is wrong with a step, and what was tried.

use crate::fault::Fault;
use crate::fault::class::FaultClass;
use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many failures of one step are remembered.
const MOST_REMEMBERED: usize = 10;

/// A step that failed and may be helped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FailingStep {
    /// Its failures, the oldest first.
    pub failures: Vec<FailureSeen>,
    /// Every call that failed, by its fingerprint: none is made a second time.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tried: BTreeSet<String>,
    /// The classes whose own remedy was tried.
    pub mended: BTreeSet<FaultClass>,
    /// How often a rule that goes one step at a time changed it.
    #[serde(default, skip_serializing_if = "is_none_yet")]
    pub eased: u32,
    /// How often it was changed after reflection.
    pub retries: u32,
    /// How often it was planned anew by itself.
    pub repairs: u32,
    /// A model was asked for its missing values.
    pub inferred: bool,
    /// Reflection wants it planned anew by itself.
    pub repair_wanted: bool,
    /// What reflection said last.
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
    /// Its class.
    pub class: FaultClass,
    /// Why.
    pub fault: Fault,
    /// What was sent, cut.
    pub arguments: String,
}

impl FailingStep {
    /// Remembers a failure.
    pub fn note(&mut self, failed: FailureSeen) {
        if self.failures.len() >= MOST_REMEMBERED {
            self.failures.remove(0);
        }
        self.failures.push(failed);
    }
}
