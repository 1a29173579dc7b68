//! What can be asked of an engine from outside: one list for the control socket and every other door.

use crate::arrival::{Command, Refusal};
use crate::engine::Engine;
use crate::fork::Fork;
use crate::retry::Retry;
use crate::seams::ReadError;
use crate::submit::{Request, SubmitError};
use crate::wake::CommandError;
use praxis_core::call::manifest::Toolbox;
use praxis_core::ids::{QuestionId, StepId, TaskId};
use praxis_core::intake::problem::Problem;
use praxis_core::recover::question::Answer;
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that a client wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Run a plan.
    Run(Box<Request>),
    /// Stop a task.
    Cancel {
        /// Which.
        task: TaskId,
        /// Why.
        reason: String,
        /// Who.
        by: String,
    },
    /// Answer a question.
    Answer {
        /// Of which task.
        task: TaskId,
        /// Which.
        question: QuestionId,
        /// What.
        answer: Answer,
        /// Who.
        by: String,
    },
    /// Take a failed or cancelled task up again.
    Retry {
        /// Which.
        task: TaskId,
        /// Run this step and all after it again, as new effects.
        from: Option<StepId>,
        /// The tools as they are now, instead of those the task was pinned to.
        current: Option<Arc<Toolbox>>,
        /// Who.
        by: String,
    },
    /// Make a new task of what another one had done at some moment.
    Fork(Box<Fork>),
    /// Forget a task that has ended.
    Erase {
        /// Which.
        task: TaskId,
    },
    /// Take up a task that nobody drives, or all of them.
    Resume {
        /// Which.
        task: Option<TaskId>,
    },
}

/// The answer to an order that was carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The tasks it concerned.
    pub tasks: Vec<TaskId>,
    /// The caller's key belonged to the task before.
    pub replayed: bool,
}

/// Why an order was not carried out. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Whose turn it is to change something.
    pub kind: RefusedKind,
    /// Every reason.
    pub problems: Vec<Problem>,
}

/// Whose turn it is to change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedKind {
    /// What was asked does not fit.
    Bad,
    /// There is no such thing.
    NotFound,
    /// The engine cannot do it now.
    Unavailable,
}

impl Refused {
    pub(crate) fn new(kind: RefusedKind, problem: Problem) -> Self {
        Self { kind, problems: vec![problem] }
    }
}

impl Engine {
    /// Carries an order out. When this returns, what it did is durable.
    pub async fn carry_out(&self, order: Order) -> Result<Receipt, Refused> {
        let _busy = self.busy();
        match order {
            Order::Run(request) => {
                let accepted = self.submit(*request).await?;
                Ok(Receipt { tasks: vec![accepted.task], replayed: accepted.replayed })
            }
            Order::Cancel { task, reason, by } => {
                self.command(&task, Command::Cancel { reason, by }).await?;
                Ok(receipt(task))
            }
            Order::Answer { task, question, answer, by } => {
                self.command(&task, Command::Answer { question, answer, by }).await?;
                Ok(receipt(task))
            }
            Order::Retry { task, from, current, by } => {
                self.retry(&task, Retry { from, current, by }).await?;
                Ok(receipt(task))
            }
            Order::Fork(fork) => {
                let accepted = self.fork(*fork).await?;
                Ok(receipt(accepted.task))
            }
            Order::Erase { task } => {
                self.erase(&task).await?;
                Ok(receipt(task))
            }
            Order::Resume { task: None } => {
                Ok(Receipt { tasks: self.recover().await?, replayed: false })
            }
            Order::Resume { task: Some(task) } => {
                let status = self.state_of(&task).await?.status();
                if status.is_final() {
                    return Err(CommandError::from(Refusal::TaskEnded(status)).into());
                }
                // A task that waits for a person stays where it is; the caller sees what it asks.
                if status != TaskStatus::Waiting {
                    self.load(&task).await?;
                }
                Ok(receipt(task))
            }
        }
    }
}

fn receipt(task: TaskId) -> Receipt {
    Receipt { tasks: vec![task], replayed: false }
}

impl From<SubmitError> for Refused {
    fn from(error: SubmitError) -> Self {
        let words = error.to_string();
        match error {
            SubmitError::Refused(problems) => Self { kind: RefusedKind::Bad, problems },
            SubmitError::Tool(_) => {
                Self::new(RefusedKind::Bad, Problem::new("tool_unusable", "", &words))
            }
            SubmitError::KeyMismatch(_) => {
                let problem = Problem::new("idempotency_mismatch", "", &words);
                Self::new(RefusedKind::Bad, problem.next("use another key for another request"))
            }
            SubmitError::Stopped(_) => {
                Self::new(RefusedKind::Unavailable, Problem::new("journal_stopped", "", &words))
            }
        }
    }
}

impl From<CommandError> for Refused {
    fn from(error: CommandError) -> Self {
        let words = error.to_string();
        let (kind, code) = match &error {
            CommandError::Refused(Refusal::TaskEnded(_)) => (RefusedKind::Bad, "task_ended"),
            CommandError::Refused(Refusal::Running) => (RefusedKind::Bad, "task_running"),
            CommandError::Refused(Refusal::Stopping) => (RefusedKind::Bad, "task_stopping"),
            CommandError::Refused(Refusal::NotOpen(_)) => (RefusedKind::Bad, "question_not_open"),
            CommandError::Refused(Refusal::BadAnswer(_)) => (RefusedKind::Bad, "bad_answer"),
            CommandError::Refused(Refusal::Stopped(_)) => {
                (RefusedKind::Unavailable, "journal_stopped")
            }
            CommandError::Read(ReadError::Erased(_)) => (RefusedKind::NotFound, "erased"),
            CommandError::Read(ReadError::NotFound(_)) => (RefusedKind::NotFound, "not_found"),
            CommandError::Read(ReadError::UnknownEvent { .. }) => {
                (RefusedKind::Unavailable, "unknown_event")
            }
            CommandError::Read(_) => (RefusedKind::Unavailable, "journal_unreadable"),
            CommandError::Illegal(_) => (RefusedKind::Unavailable, "journal_illegal"),
            CommandError::Tool(_) => (RefusedKind::Bad, "tool_unusable"),
        };
        Self::new(kind, Problem::new(code, "", &words))
    }
}
