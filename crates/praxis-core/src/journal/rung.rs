//! The rungs of recovery that change a step.

use serde::{Deserialize, Serialize};

/// Which rung of the ladder changed a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryRung {
    /// The class of the error has its own remedy.
    Class,
    /// A model filled in what was missing.
    Inference,
    /// Step reflection: other parameters.
    RetryWithParams,
    /// Step reflection: another tool.
    RetryWithTool,
    /// The step was planned anew by itself.
    Repair,
}

impl RecoveryRung {
    /// The word on the wire.
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
