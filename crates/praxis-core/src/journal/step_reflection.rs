//! Reflection on a failed step: its cause, and the action to take.

use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The result of reflecting on a failed step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReflection {
    /// The category of the cause.
    pub root_cause_category: FailureCause,
    /// The cause.
    #[serde(default)]
    pub root_cause: String,
    /// True if the step can recover; the default if the model does not say.
    #[serde(default = "unsaid")]
    pub is_recoverable: bool,
    /// The confidence, from 0 to 100.
    #[serde(default)]
    pub confidence: u32,
    /// The analysis that led to the cause.
    #[serde(default)]
    pub analysis: String,
    /// The action to take.
    pub suggested_action: RecoveryAction,
    /// Other possible actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternative_solutions: Vec<String>,
}

fn unsaid() -> bool {
    true
}

/// The category of a failure's cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// Wrong parameters.
    ParameterError,
    /// A wrong choice of tool.
    ToolError,
    /// A wrong result of an earlier step.
    DependencyError,
    /// A wrong split of the task into steps.
    DecompositionError,
    /// A cause outside the task.
    ExternalError,
    /// A failure of the tool's server.
    ServerError,
    /// No reflection: the model gave no usable answer.
    ReflectionError,
}

/// The action to take on a failed step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RecoveryAction {
    /// Retry the same tool with other parameters.
    RetryWithParams {
        /// The parameters that change.
        parameters: Map<String, Value>,
    },
    /// Retry with another tool.
    RetryWithTool {
        /// The other tool.
        tool: ToolId,
        /// Its parameters; empty keeps those of the step.
        #[serde(default)]
        parameters: Map<String, Value>,
    },
    /// Replan this step alone.
    RepairStep,
    /// Reflect on the whole task: the step cannot recover by itself.
    TriggerOverallReflection,
}

impl RecoveryAction {
    /// Returns the name in the journal and in the API.
    pub fn word(&self) -> &'static str {
        match self {
            Self::RetryWithParams { .. } => "retry_with_params",
            Self::RetryWithTool { .. } => "retry_with_tool",
            Self::RepairStep => "repair_step",
            Self::TriggerOverallReflection => "trigger_overall_reflection",
        }
    }
}
