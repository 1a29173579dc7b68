//! What can arrive at a task.

use crate::seams::ReadError;
use crate::seams::{ModelAnswered, ModelCallFailed};
use crate::stopped::DriverStopped;
use crate::tools::ToolError;
use praxis_core::ask::reply::TokenUsage;
use praxis_core::dataflow::context::StepIndex;
use praxis_core::decide::work::WorkResult;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::QuestionId;
use praxis_core::journal::outcome::CheckVerdict;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::payload::Payload;
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

/// Where the answer to a command goes.
pub(crate) type CommandReply = oneshot::Sender<Result<(), CommandRefusal>>;

/// Something that moves a task.
pub(crate) enum Arrival {
    /// A call ended.
    Returned {
        step: StepIndex,
        attempt: u32,
        result: Result<Payload, UnsuccessfulCall>,
        /// What a model that it asked has cost.
        usage: Option<TokenUsage>,
    },
    /// A check ended.
    Checked { step: StepIndex, verdict: CheckVerdict },
    /// More steps of a plan are whole, though its answer is not.
    Heard { ask: u32, elements: Vec<Value> },
    /// A model answered, or will not.
    Answered { ask: u32, result: Result<ModelAnswered, Box<ModelCallFailed>> },
    /// Work that was begun when the task had so many entries came to its end.
    Worked { seq: u64, result: Result<WorkResult, DriverStopped> },
    /// A person wants something.
    Command(TaskCommand, CommandReply),
}

/// Why a call did not succeed, and what it said all the same.
pub(crate) struct UnsuccessfulCall {
    pub(crate) fault: Fault,
    pub(crate) output: Option<Payload>,
}

impl From<Fault> for UnsuccessfulCall {
    fn from(fault: Fault) -> Self {
        Self { fault, output: None }
    }
}

/// What a person wants of a task that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum TaskCommand {
    /// Stop.
    Cancel {
        /// Why.
        reason: String,
        /// Who.
        by: String,
    },
    /// Answer a question.
    Answer {
        /// Which.
        question: QuestionId,
        /// What.
        answer: QuestionAnswer,
        /// Who.
        by: String,
    },
}

/// Why a command was not carried out. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefusal {
    /// The task is over.
    #[error("the task is {} already", .0.word())]
    TaskEnded(TaskStatus),
    /// The task has not ended.
    #[error("the task has not ended")]
    Running,
    /// The task is being stopped.
    #[error("the task is stopping already")]
    Stopping,
    /// The question was answered before, or never asked.
    #[error("question `{0}` is not open; the first valid answer counts")]
    NotOpen(QuestionId),
    /// The answer does not fit the question.
    #[error("the answer does not fit: {}", fields(.0))]
    BadAnswer(Vec<FieldError>),
    /// The task could not be driven.
    #[error(transparent)]
    Stopped(#[from] DriverStopped),
}

pub(crate) fn fields(errors: &[FieldError]) -> String {
    let shown = |e: &FieldError| {
        if e.pointer.is_empty() { e.detail.clone() } else { format!("{}: {}", e.pointer, e.detail) }
    };
    errors.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Why a command did not reach its task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The task refused it.
    #[error(transparent)]
    Refused(#[from] CommandRefusal),
    /// The task cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The journal contradicts itself.
    #[error("{0}")]
    Illegal(#[from] praxis_core::IllegalEvent),
    /// A tool of the task cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
}
