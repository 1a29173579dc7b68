//! The orders that clients can send to an engine, shared by the control socket and all other entry points.

use crate::arrival::CommandError;
use crate::arrival::{CommandRefusal, TaskCommand};
use crate::engine::Engine;
use crate::fork::ForkOrder;
use crate::pursue::GoalRequest;
use crate::refused::OrderRefused;
use crate::renew::RenewOrder;
use crate::retry::RetryOrder;
use crate::submit::PlanRequest;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::{QuestionId, StepId, TaskId};
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::state::TaskStatus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A request of a client to the engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum ClientOrder {
    /// Run a plan or a flow.
    Run(Box<PlanRequest>),
    /// Pursue a goal.
    Pursue(Box<GoalRequest>),
    /// Cancel a task.
    Cancel {
        /// The task.
        task: TaskId,
        /// The reason, recorded in the journal.
        reason: String,
        /// The person who cancels it.
        by: String,
    },
    /// Answer a question.
    Answer {
        /// The task that asked.
        task: TaskId,
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: QuestionAnswer,
        /// The person who answers.
        by: String,
    },
    /// Retry a failed or cancelled task.
    Retry {
        /// The task.
        task: TaskId,
        /// The first step to run again, as a new effect, with all steps after it.
        from: Option<StepId>,
        /// The current tools, to replace those that the task is pinned to.
        current: Option<Arc<Toolbox>>,
        /// The person who retries it.
        by: String,
    },
    /// Continue a failed or cancelled flow with its current version.
    Renew(Box<RenewOrder>),
    /// Fork a task.
    Fork(Box<ForkOrder>),
    /// Erase a task that has ended.
    Erase {
        /// The task.
        task: TaskId,
    },
    /// Resume a task that nobody drives, or all such tasks.
    Resume {
        /// The task; `None` means all.
        task: Option<TaskId>,
    },
}

/// The reply to an order that was carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderReceipt {
    /// The tasks that it affected.
    pub tasks: Vec<TaskId>,
    /// True if the idempotency key already belonged to the task.
    pub replayed: bool,
}

impl Engine {
    /// Carries out an order. All changes are durable when this returns.
    pub async fn carry_out(&self, order: ClientOrder) -> Result<OrderReceipt, OrderRefused> {
        let _busy = self.busy();
        match order {
            ClientOrder::Run(request) => {
                let accepted = self.submit(*request).await?;
                Ok(OrderReceipt { tasks: vec![accepted.task], replayed: accepted.replayed })
            }
            ClientOrder::Pursue(goal) => {
                let accepted = self.pursue(*goal).await?;
                Ok(OrderReceipt { tasks: vec![accepted.task], replayed: accepted.replayed })
            }
            ClientOrder::Cancel { task, reason, by } => {
                self.command(&task, TaskCommand::Cancel { reason, by }).await?;
                Ok(receipt(task))
            }
            ClientOrder::Answer { task, question, answer, by } => {
                self.command(&task, TaskCommand::Answer { question, answer, by }).await?;
                Ok(receipt(task))
            }
            ClientOrder::Retry { task, from, current, by } => {
                self.retry(&task, RetryOrder { from, current, by }).await?;
                Ok(receipt(task))
            }
            ClientOrder::Renew(renew) => {
                let accepted = self.renew(*renew).await?;
                Ok(receipt(accepted.task))
            }
            ClientOrder::Fork(fork) => {
                let accepted = self.fork(*fork).await?;
                Ok(receipt(accepted.task))
            }
            ClientOrder::Erase { task } => {
                self.erase(&task).await?;
                Ok(receipt(task))
            }
            ClientOrder::Resume { task: None } => {
                Ok(OrderReceipt { tasks: self.recover().await?, replayed: false })
            }
            ClientOrder::Resume { task: Some(task) } => {
                let status = self.state_of(&task).await?.status();
                if status.is_final() {
                    return Err(CommandError::from(CommandRefusal::TaskEnded(status)).into());
                }
                // A task that waits for a person is not loaded; the caller sees its question.
                if status != TaskStatus::Waiting {
                    self.load(&task).await?;
                }
                Ok(receipt(task))
            }
        }
    }
}

fn receipt(task: TaskId) -> OrderReceipt {
    OrderReceipt { tasks: vec![task], replayed: false }
}
