//! Reflection on one step: why it failed, and what to do.

use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What was made of a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReflection {
    /// Where the cause lies.
    pub root_cause_category: FailureCause,
    /// The cause.
    #[serde(default)]
    pub root_cause: String,
    /// Whether the step can be helped; whoever does not say thinks so.
    #[serde(default = "unsaid")]
    pub is_recoverable: bool,
    /// How sure that is, of 100.
    #[serde(default)]
    pub confidence: u32,
    /// How it was found.
    #[serde(default)]
    pub analysis: String,
    /// What to do.
    pub suggested_action: RecoveryAction,
    /// What else could be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternative_solutions: Vec<String>,
}

fn unsaid() -> bool {
    true
}

/// Where the cause of a failure lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// In the parameters.
    ParameterError,
    /// In the choice of the tool.
    ToolError,
    /// In a step before.
    DependencyError,
    /// In how the task was cut into steps.
    DecompositionError,
    /// Outside.
    ExternalError,
    /// In the tool's server.
    ServerError,
    /// Nobody reflected: the model gave no usable answer.
    ReflectionError,
}

/// What to do about a failed step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RecoveryAction {
    /// The same tool with other parameters.
    RetryWithParams {
        /// Those that change.
        parameters: Map<String, Value>,
    },
    /// Another tool.
    RetryWithTool {
        /// Which.
        tool: ToolId,
        /// Its parameters; those of the step if none.
        #[serde(default)]
        parameters: Map<String, Value>,
    },
    /// Plan this step anew.
    RepairStep,
    /// It cannot be helped alone.
    TriggerOverallReflection,
}

impl RecoveryAction {
    /// The word on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            Self::RetryWithParams { .. } => "retry_with_params",
            Self::RetryWithTool { .. } => "retry_with_tool",
            Self::RepairStep => "repair_step",
            Self::TriggerOverallReflection => "trigger_overall_reflection",
        }
    }
}
