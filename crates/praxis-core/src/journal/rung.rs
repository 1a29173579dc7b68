//! The rungs of recovery that change a step.

use serde::{Deserialize, Serialize};

/// The rung of recovery that changed a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryRung {
    /// A fixed remedy for the class of the fault.
    Class,
    /// A model filled in missing values.
    Inference,
    /// Step reflection: retry with other parameters.
    RetryWithParams,
    /// Step reflection: retry with another tool.
    RetryWithTool,
    /// The step alone was replanned.
    Repair,
}

impl RecoveryRung {
    /// Returns the name in the journal and in the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Inference => "inference",
            Self::RetryWithParams => "retry_with_params",
            Self::RetryWithTool => "retry_with_tool",
            Self::Repair => "repair_step",
        }
    }
}
