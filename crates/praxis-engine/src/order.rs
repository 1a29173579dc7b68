//! What can be asked of an engine from outside: one list for the control socket and every other door.

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

/// Something that a client wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum ClientOrder {
    /// Run a plan.
    Run(Box<PlanRequest>),
    /// Reach a goal.
    Pursue(Box<GoalRequest>),
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
        answer: QuestionAnswer,
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
    Renew(Box<RenewOrder>),
    /// Make a new task of what another one had done at some moment.
    Fork(Box<ForkOrder>),
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
pub struct OrderReceipt {
    /// The tasks it concerned.
    pub tasks: Vec<TaskId>,
    /// The caller's key belonged to the task before.
    pub replayed: bool,
}

impl Engine {
    /// Carries an order out. When this returns, what it did is durable.
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
                // A task that waits for a person stays where it is; the caller sees what it asks.
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
