//! What can be asked of an engine from outside: one list for the control socket and every other door.

use crate::arrival::CommandError;
use crate::arrival::{Command, Refusal};
use crate::engine::Engine;
use crate::fork::Fork;
use crate::pursue::Goal;
use crate::refused::Refused;
use crate::renew::Renew;
use crate::retry::Retry;
use crate::submit::Request;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::{QuestionId, StepId, TaskId};
use praxis_core::journal::question::Answer;
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that a client wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Run a plan.
    Run(Box<Request>),
    /// Reach a goal.
    Pursue(Box<Goal>),
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
    /// Take a failed or cancelled flow up again in the version that it has now.
    Renew(Box<Renew>),
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

impl Engine {
    /// Carries an order out. When this returns, what it did is durable.
    pub async fn carry_out(&self, order: Order) -> Result<Receipt, Refused> {
        let _busy = self.busy();
        match order {
            Order::Run(request) => {
                let accepted = self.submit(*request).await?;
                Ok(Receipt { tasks: vec![accepted.task], replayed: accepted.replayed })
            }
            Order::Pursue(goal) => {
                let accepted = self.pursue(*goal).await?;
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
            Order::Renew(renew) => {
                let accepted = self.renew(*renew).await?;
                Ok(receipt(accepted.task))
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
