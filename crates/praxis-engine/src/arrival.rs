//! Messages that a `TaskDriver` receives in its inbox, and the errors of commands.

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
use praxis_core::lang::Lang;
use praxis_core::payload::Payload;
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

/// The channel for the reply to a `TaskCommand`.
pub(crate) type CommandReply = oneshot::Sender<Result<(), CommandRefusal>>;

/// A message in the inbox of a `TaskDriver`.
pub(crate) enum Arrival {
    /// A tool call or the model call of a step ended.
    Returned {
        step: StepIndex,
        attempt: u32,
        result: Result<Payload, UnsuccessfulCall>,
        /// The tokens used, if the step asked a model.
        usage: Option<TokenUsage>,
    },
    /// The call of a `check_with` tool ended.
    Checked { step: StepIndex, verdict: CheckVerdict },
    /// A streamed plan has more complete steps; the reply of the model is not finished.
    Heard { ask: u32, elements: Vec<Value> },
    /// The model answered, or the call failed for good.
    Answered { ask: u32, result: Result<ModelAnswered, Box<ModelCallFailed>> },
    /// Background work ended that was started when the task had `seq` entries.
    Worked { seq: u64, result: Result<WorkResult, DriverStopped> },
    /// A command of a person.
    Command(TaskCommand, CommandReply),
}

/// The fault of a failed call, and the output it produced before it failed.
pub(crate) struct UnsuccessfulCall {
    pub(crate) fault: Fault,
    pub(crate) output: Option<Payload>,
}

impl From<Fault> for UnsuccessfulCall {
    fn from(fault: Fault) -> Self {
        Self { fault, output: None }
    }
}

/// A command to a task that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum TaskCommand {
    /// Cancels the task.
    Cancel {
        /// The reason, recorded in the journal.
        reason: String,
        /// The person who cancels it.
        by: String,
    },
    /// Answers an open question.
    Answer {
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: QuestionAnswer,
        /// The person who answers.
        by: String,
    },
}

/// The reason for which a task refused a command. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefusal {
    /// The task has ended.
    #[error("the task is already {}", .0.word())]
    TaskEnded(TaskStatus),
    /// The task has not ended.
    #[error("the task has not ended")]
    Running,
    /// The task is already stopping.
    #[error("the task is already stopping")]
    Stopping,
    /// The question was already answered, or was never asked.
    #[error("question `{0}` is not open; the first valid answer counts")]
    NotOpen(QuestionId),
    /// The answer does not match the question.
    #[error("the answer does not match the question: {}", fields(.0, Lang::En))]
    BadAnswer(Vec<FieldError>),
    /// The driver of the task stopped.
    #[error(transparent)]
    Stopped(#[from] DriverStopped),
}

pub(crate) fn fields(errors: &[FieldError], lang: Lang) -> String {
    let shown = |e: &FieldError| {
        let text = e.text(lang);
        if e.pointer.is_empty() { text.to_owned() } else { format!("{}: {text}", e.pointer) }
    };
    errors.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// The reason for which a command failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The task refused it.
    #[error(transparent)]
    Refused(#[from] CommandRefusal),
    /// The journal of the task cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The journal is inconsistent.
    #[error("{0}")]
    Illegal(#[from] praxis_core::IllegalEvent),
    /// A tool of the task cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
}
