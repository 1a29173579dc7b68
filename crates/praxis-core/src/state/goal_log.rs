//! The log of a goal: the events that prompts tell the model. Append-only.

use crate::ask::tokens::Estimate;
use crate::ask::trim;
use crate::fault::Fault;
use crate::ids::{StepId, ToolId};
use crate::payload::{Payload, PayloadValue};
use serde::{Deserialize, Serialize};

/// Maximum tokens of an output in the log.
const OUTPUT_TOKENS: u64 = 250;

/// One log entry as data; prompts render it as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum LogLine {
    /// A tool was added after the tools were frozen.
    ToolAdded {
        /// The tool.
        tool: ToolId,
    },
    /// A tool proved useless and may no longer be used in plans.
    ToolDropped {
        /// The tool.
        tool: ToolId,
    },
    /// Steps entered the plan.
    Planned {
        /// The revision of the plan.
        revision: u32,
        /// The steps: id, name, tool, parameters as written.
        steps: Vec<LoggedStep>,
    },
    /// A step succeeded.
    Succeeded {
        /// The step.
        step: StepId,
        /// The tool that was called.
        tool: ToolId,
        /// The output, truncated.
        output: String,
        /// The fields that later steps can use.
        fields: Vec<String>,
    },
    /// A step failed and is not retried unchanged.
    Failed {
        /// The step.
        step: StepId,
        /// The tool that was called.
        tool: ToolId,
        /// The fault.
        fault: Fault,
    },
    /// A step was changed and will run again.
    Amended {
        /// The step.
        step: StepId,
        /// The recovery rung and its reason.
        how: String,
    },
    /// Steps of the plan were given up.
    Dropped {
        /// The steps.
        steps: Vec<StepId>,
        /// The reason.
        reason: String,
    },
    /// The task was judged.
    Judged {
        /// The overall score.
        score: u32,
        /// The shortcomings that the judgement found.
        failures: Vec<String>,
    },
    /// The task was reflected on.
    Reflected {
        /// The main lesson in one line.
        lesson: String,
    },
    /// A person answered.
    Person {
        /// The subject of the answer.
        about: String,
        /// The answer.
        said: String,
    },
}

/// A step in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedStep {
    /// Its id in the task.
    pub step: StepId,
    /// Display name.
    pub name: String,
    /// The tool that it calls.
    pub tool: ToolId,
    /// Its parameters as planned, truncated.
    pub parameters: String,
    /// The steps that it depends on.
    pub depends_on: Vec<StepId>,
}

/// Renders an output for the log with its structure kept, and returns true if it was truncated.
pub fn shown(payload: &Payload) -> (String, bool) {
    match payload.whole() {
        PayloadValue::Value(value) => {
            let whole = crate::mask::masked(value);
            let cut = trim::value(&whole, OUTPUT_TOKENS, &Estimate::PLAIN);
            (cut.to_string(), cut != *whole)
        }
        PayloadValue::InBlob { stored, .. } => {
            (format!("({} of {} bytes) {}", stored.shape, stored.bytes, stored.preview), true)
        }
    }
}
