//! What can arrive at a task.

use crate::seams::ReadError;
use crate::seams::{Answered, Unanswered};
use crate::stopped::Stopped;
use crate::tools::ToolError;
use praxis_core::ask::reply::Usage;
use praxis_core::dataflow::context::StepIndex;
use praxis_core::decide::work::Worked;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::QuestionId;
use praxis_core::journal::outcome::Verdict;
use praxis_core::journal::question::Answer;
use praxis_core::payload::Payload;
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

/// Where the answer to a command goes.
pub(crate) type Reply = oneshot::Sender<Result<(), Refusal>>;

/// Something that moves a task.
pub(crate) enum Arrival {
    /// A call ended.
    Returned {
        step: StepIndex,
        attempt: u32,
        result: Result<Payload, Unsuccessful>,
        /// What a model that it asked has cost.
        usage: Option<Usage>,
    },
    /// A check ended.
    Checked { step: StepIndex, verdict: Verdict },
    /// More steps of a plan are whole, though its answer is not.
    Heard { ask: u32, elements: Vec<Value> },
    /// A model answered, or will not.
    Answered { ask: u32, result: Result<Answered, Box<Unanswered>> },
    /// Work that was begun when the task had so many entries came to its end.
    Worked { seq: u64, result: Result<Worked, Stopped> },
    /// A person wants something.
    Command(Command, Reply),
}

/// Why a call did not succeed, and what it said all the same.
pub(crate) struct Unsuccessful {
    pub(crate) fault: Fault,
    pub(crate) output: Option<Payload>,
}

impl From<Fault> for Unsuccessful {
    fn from(fault: Fault) -> Self {
        Self { fault, output: None }
    }
}

/// What a person wants of a task that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
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
        answer: Answer,
        /// Who.
        by: String,
    },
}

/// Why a command was not carried out. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
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
    Stopped(#[from] Stopped),
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
    Refused(#[from] Refusal),
    /// The task cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The journal contradicts itself.
    #[error("{0}")]
    Illegal(#[from] praxis_core::Illegal),
    /// A tool of the task cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
}
