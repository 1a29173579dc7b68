//! What can be asked of an engine from outside: one list for the control socket and every other door.

use crate::arrival::{Command, Refusal};
use crate::engine::{CommandError, Engine, Request, SubmitError};
use crate::fork::Fork;
use crate::refused::{Refused, RefusedKind, no_step};
use praxis_core::call::manifest::Toolbox;
use praxis_core::call::tool::Contract;
use praxis_core::execute::step::{Status, Step};
use praxis_core::ids::{QuestionId, StepId, TaskId, ToolId};
use praxis_core::intake::problem::Problem;
use praxis_core::journal::event::Event;
use praxis_core::recover::question::Answer;
use praxis_core::state::{State, TaskStatus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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
                let event = self.reopening(&task, from.as_ref(), current.as_deref(), by).await?;
                self.load(&task, vec![event]).await?;
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
                    self.load(&task, vec![]).await?;
                }
                Ok(receipt(task))
            }
        }
    }

    async fn reopening(
        &self,
        task: &TaskId,
        from: Option<&StepId>,
        current: Option<&Toolbox>,
        by: String,
    ) -> Result<Event, Refused> {
        let state = self.state_of(task).await?;
        match state.status() {
            TaskStatus::Failed | TaskStatus::Cancelled => {}
            TaskStatus::Completed => {
                let words = ("the task is completed", "任务已完成");
                let problem = Problem::new("task_completed", "", words);
                return Err(Refused::new(RefusedKind::Bad, problem));
            }
            _ => {
                let words = ("the task has not ended", "任务尚未结束");
                let problem = Problem::new("task_running", "", words);
                return Err(Refused::new(RefusedKind::Bad, problem));
            }
        }
        let contracts = match current {
            Some(toolbox) => self.changed_contracts(&state, toolbox).await?,
            None => vec![],
        };
        let invalidated = invalidated(&state, from, &contracts)?;
        Ok(Event::TaskReopened { epoch: state.epoch + 1, invalidated, contracts, by })
    }

    async fn changed_contracts(
        &self,
        state: &State,
        toolbox: &Toolbox,
    ) -> Result<Vec<Contract>, Refused> {
        let wanted: Vec<&ToolId> = state.contracts.keys().collect();
        let pinned = self.tools().pin(toolbox, &wanted).await.map_err(SubmitError::Tool)?;
        let changed = |now: &Contract| state.contract(&now.tool).is_none_or(|then| **then != *now);
        Ok(pinned.contracts().into_iter().filter(changed).collect())
    }
}

/// The steps that run as new effects: those from a step on, and failed ones whose tool changed.
fn invalidated(
    state: &State,
    from: Option<&StepId>,
    changed: &[Contract],
) -> Result<Vec<StepId>, Refused> {
    let mut chosen: BTreeSet<&StepId> = BTreeSet::new();
    if let Some(from) = from {
        if state.step(from.as_str()).is_none() {
            return Err(Refused::new(RefusedKind::NotFound, no_step(from)));
        }
        chosen.insert(from);
    }
    // Steps stand after what they need, so one walk finds all that follow.
    for step in &state.steps {
        let after =
            step.plan.depends_on.iter().chain(&step.plan.actions).any(|id| chosen.contains(id));
        let tool_changed = changed.iter().any(|contract| contract.tool == *step.tool());
        if after || (tool_changed && step.status == Status::Error) {
            chosen.insert(&step.plan.id);
        }
    }
    let was_tried = |step: &&Step| chosen.contains(&step.plan.id) && step.attempt > 0;
    Ok(state.steps.iter().filter(was_tried).map(|step| step.plan.id.clone()).collect())
}

fn receipt(task: TaskId) -> Receipt {
    Receipt { tasks: vec![task], replayed: false }
}
