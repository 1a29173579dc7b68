//! The log of a goal: what a model is told of what happened. Lines are only ever added.

use crate::ask::tokens::Estimate;
use crate::ask::trim;
use crate::fault::Fault;
use crate::ids::{StepId, ToolId};
use crate::payload::{Payload, PayloadValue};
use serde::{Deserialize, Serialize};

/// How much of an output the log carries.
const OUTPUT_TOKENS: u64 = 250;

/// One thing that happened, as data; the prompt puts it into words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum LogLine {
    /// A tool that was added after the tools were frozen.
    ToolAdded {
        /// Which.
        tool: ToolId,
    },
    /// A tool that was proven useless, and may not be planned with any more.
    ToolDropped {
        /// Which.
        tool: ToolId,
    },
    /// Steps entered the plan.
    Planned {
        /// Which revision.
        revision: u32,
        /// The steps: id, name, tool, parameters as written.
        steps: Vec<LoggedStep>,
    },
    /// A step gave its output.
    Succeeded {
        /// Which.
        step: StepId,
        /// The tool that was called.
        tool: ToolId,
        /// The output, cut.
        output: String,
        /// The fields that later steps can use.
        fields: Vec<String>,
    },
    /// A step failed and nothing more is tried by itself.
    Failed {
        /// Which.
        step: StepId,
        /// The tool that was called.
        tool: ToolId,
        /// Why.
        fault: Fault,
    },
    /// A step was changed and will run again.
    Amended {
        /// Which.
        step: StepId,
        /// What was done, and why.
        how: String,
    },
    /// Parts of the plan were given up.
    Dropped {
        /// Which.
        steps: Vec<StepId>,
        /// Why.
        reason: String,
    },
    /// The task was judged.
    Judged {
        /// The score.
        score: u32,
        /// What is missing.
        failures: Vec<String>,
    },
    /// The task was reflected on.
    Reflected {
        /// In one line.
        lesson: String,
    },
    /// A person said something.
    Person {
        /// What about.
        about: String,
        /// What they said.
        said: String,
    },
}

/// A step as the log names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedStep {
    /// Its id here.
    pub step: StepId,
    /// Words for people.
    pub name: String,
    /// What it invokes.
    pub tool: ToolId,
    /// Its parameters as written, cut.
    pub parameters: String,
    /// What it waits for.
    pub depends_on: Vec<StepId>,
}

/// An output as the log shows it, its structure kept, and whether that is less than all of it.
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
