//! The `State` of a task: the fold of its journal, and the queries on it.

pub mod step;

pub mod steps;

pub mod step_queue;

pub mod frame;

pub mod wait;

pub mod complaints;

pub mod goal_log;

pub mod failing;

pub mod goal_state;

use crate::ask::purpose::{ModelRole, Purpose};
use crate::budget::ledger::Ledger;
use crate::budget::limit::Budget;
use crate::call::tool::Contract;
use crate::dataflow::context::{Context, StepIndex};
use crate::fault::Fault;
use crate::goal::spec::{PinnedModel, PlanApproval};
use crate::ids::{QuestionId, StepId, ToolId};
use crate::journal::outcome::TaskEnding;
use crate::journal::question::{Question, QuestionSubject};
use crate::journal::submission::Submission;
use crate::state::frame::FrameState;
use crate::state::goal_state::GoalState;
use crate::state::step::{Step, StepStatus};
use crate::state::step_queue::StepQueue;
use crate::state::steps::Steps;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Internal phase of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// No event was folded in yet.
    #[default]
    Empty,
    /// The plan is not complete yet.
    Planning,
    /// The steps of the plan run.
    Executing,
    /// The outcome is judged and the answer is written.
    Evaluating,
    /// Reflection on the whole task, after a failure or a low score.
    Reflecting,
    /// The task ends: running calls finish, nothing new starts.
    Stopping(TaskEnding),
    /// The task ended.
    Finished(TaskEnding),
}

/// Status of a task as clients see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Submitted; nothing has happened yet.
    Pending,
    /// A plan is being made.
    Planning,
    /// Steps run, or will run without an answer from a person.
    Executing,
    /// The outcome is judged.
    Evaluating,
    /// Reflection on the whole task, after a failure or a low score.
    Reflecting,
    /// The task waits for an answer from a person.
    Waiting,
    /// The task ended with success.
    Completed,
    /// The task ended with a fault.
    Failed,
    /// The task was cancelled.
    Cancelled,
}

impl TaskStatus {
    /// All statuses.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Planning,
        Self::Executing,
        Self::Evaluating,
        Self::Reflecting,
        Self::Waiting,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Returns the status with this name on the wire.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Returns true if the task ended.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Returns the name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Planning => "planning",
            Self::Executing => "executing",
            Self::Evaluating => "evaluating",
            Self::Reflecting => "reflecting",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Counters of failures and repairs. Advisory unless a limit is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Retries of all steps.
    pub step_retry_count: u32,
    /// Repairs of single steps by the `RecoveryRung::Repair` rung.
    pub single_step_repair_count: u32,
    /// Complete plan revisions after the first.
    pub task_replan_count: u32,
    /// Failures since the last successful step.
    pub consecutive_failures: u32,
}

/// The state of a task. Built only by [`apply`](State::apply).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The number of the last event that was folded in.
    pub seq: u64,
    /// The time of that event.
    pub at: Timestamp,
    /// The request of the caller.
    pub submission: Option<Arc<Submission>>,
    /// The contracts of the tools, as pinned by the task.
    pub contracts: BTreeMap<ToolId, Arc<Contract>>,
    /// The current phase.
    pub phase: Phase,
    /// Counts the runs of the task: 1 at submission, one more with each `TaskReopened`.
    pub epoch: u32,
    /// The current revision of the plan.
    pub revision: u32,
    /// The three layers of data: initial metadata, runtime metadata and step results.
    pub context: Context,
    /// Steps in planning order, by their index in `context`.
    pub steps: Steps,
    /// The frames of steps that contain other steps.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frames: BTreeMap<StepIndex, FrameState>,
    /// Number of plan steps that succeeded.
    pub succeeded: u32,
    /// Number of plan steps that a later revision gave up and that did not succeed.
    #[serde(default, skip_serializing_if = "is_none_given_up")]
    pub given_up: u32,
    /// The steps that can run next, and the work in progress.
    pub agenda: StepQueue,
    /// Open questions to a person.
    pub questions: BTreeMap<QuestionId, Question>,
    /// Expiry times of the questions that do not wait forever.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expiries: BTreeMap<QuestionId, Timestamp>,
    /// Number of questions asked so far.
    pub questions_asked: u32,
    /// Counters of failures and repairs.
    pub counters: Counters,
    /// Spending so far: model calls, tokens, money, tool calls.
    #[serde(default)]
    pub ledger: Ledger,
    /// Active time used so far, in milliseconds.
    pub active_ms: u64,
    /// Active time that a person added, in milliseconds.
    pub added_ms: u64,
    /// True if the time after the last event counts as active time.
    pub active: bool,
    /// True if the active time is used up and a person is to be asked for more.
    pub time_is_up: bool,
    /// The steps whose outputs form the result.
    pub result_of: Vec<StepId>,
    /// The `GoalState` of a task that Praxis plans itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Box<GoalState>>,
}

impl State {
    /// Returns the model and the budget for model calls of steps: the `ModelRole::Report` model of a goal, else the
    /// submission's `StepModel`.
    pub fn step_model(&self) -> Option<(&PinnedModel, &Budget)> {
        let submission = self.submission.as_ref()?;
        if let Some(spec) = &submission.brief {
            return Some((spec.advisers.get(&ModelRole::Report)?, &spec.budget));
        }
        submission.step_model.as_ref().map(|step_model| (&step_model.adviser, &step_model.budget))
    }

    /// Returns a step by id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.get(self.context.index_of(id)?)
    }

    /// Returns a step by index.
    pub fn step_at(&self, index: StepIndex) -> Option<&Step> {
        self.steps.get(index)
    }

    /// Returns the contract of a tool.
    pub fn contract(&self, tool: &ToolId) -> Option<&Arc<Contract>> {
        self.contracts.get(tool)
    }

    /// Returns the tool of a step if its contract limits concurrent calls.
    pub fn limited_tool<'a>(&'a self, step: &'a Step) -> Option<&'a ToolId> {
        let contract = self.contracts.get(step.tool())?;
        contract.concurrent.map(|_| &contract.tool)
    }

    /// Returns the maximum number of concurrent calls.
    pub fn slots(&self) -> u32 {
        let Some(submission) = &self.submission else { return 0 };
        let options = &submission.options;
        let few = self.steps.len() < options.parallel_min_steps as usize;
        if !options.parallel || few { 1 } else { options.parallel_max_concurrent.max(1) }
    }

    /// Returns the id of the step's current attempt: `task/step#attempt`.
    pub fn effect_id(&self, step: &Step) -> String {
        format!("{}/{}#{}", self.task_name(), step.plan.id, step.attempt)
    }

    /// Returns the idempotency key of the step's current generation: `task/step~generation`.
    pub fn effect_key(&self, step: &Step) -> String {
        format!("{}/{}~{}", self.task_name(), step.plan.id, step.generation)
    }

    fn task_name(&self) -> &str {
        self.submission.as_ref().map_or("", |submission| submission.task.as_str())
    }

    /// Returns the status as clients see it.
    pub fn status(&self) -> TaskStatus {
        let waits = !self.can_go_on() && !self.questions.is_empty();
        match &self.phase {
            Phase::Empty => TaskStatus::Pending,
            Phase::Stopping(_) => TaskStatus::Executing,
            Phase::Planning | Phase::Executing | Phase::Evaluating | Phase::Reflecting if waits => {
                TaskStatus::Waiting
            }
            Phase::Planning => TaskStatus::Planning,
            Phase::Executing => TaskStatus::Executing,
            Phase::Evaluating => TaskStatus::Evaluating,
            Phase::Reflecting => TaskStatus::Reflecting,
            Phase::Finished(TaskEnding::Completed) => TaskStatus::Completed,
            Phase::Finished(TaskEnding::Failed { .. }) => TaskStatus::Failed,
            Phase::Finished(TaskEnding::Cancelled { .. }) => TaskStatus::Cancelled,
        }
    }

    /// Returns the kind of the first open question.
    pub fn waits_for(&self) -> Option<&'static str> {
        self.questions.values().next().map(|question| question.about.kind())
    }

    fn can_go_on(&self) -> bool {
        self.active || !self.agenda.timers.is_empty()
    }

    /// Returns true if an open question concerns the whole task. Nothing new starts before it is answered, unless it
    /// only asks to approve the plan's writes.
    pub(crate) fn is_held(&self) -> bool {
        self.questions
            .values()
            .any(|question| question.step.is_none() && !self.only_changes(question))
    }

    fn only_changes(&self, question: &Question) -> bool {
        let review = self.goal_spec().is_some_and(|b| b.manner.approval == PlanApproval::Review);
        matches!(question.about, QuestionSubject::Plan { .. }) && !review
    }

    /// Returns the number of model calls under way.
    pub fn asks_under_way(&self) -> usize {
        self.goal.as_ref().map_or(0, |goal_state| goal_state.asks.under_way.len())
    }

    /// Returns the number of model calls that must finish before the task goes on or ends: all but `Purpose::Tell`.
    pub(crate) fn asks_that_count(&self) -> usize {
        let asking = self.goal.iter().flat_map(|goal_state| goal_state.asks.under_way.values());
        asking.filter(|asking| asking.purpose != Purpose::Tell).count()
    }

    /// Returns true if the phase allows steps to start.
    pub(crate) fn may_start_steps(&self) -> bool {
        self.phase == Phase::Executing || (self.phase == Phase::Planning && self.goal.is_some())
    }

    /// Returns true if a model is configured for this purpose and has not failed for good.
    pub fn can_ask(&self, purpose: &Purpose) -> bool {
        let pinned_model = self.goal_spec().and_then(|spec| spec.model_for(purpose)).is_some();
        pinned_model
            && !self.goal.as_deref().is_some_and(|goal_state| goal_state.is_unanswered(purpose))
    }

    /// Returns the time at which the active time will be used up if nothing else happens.
    pub fn deadline(&self) -> Option<Timestamp> {
        let allowed =
            self.submission.as_ref()?.options.task_timeout_ms.saturating_add(self.added_ms);
        let going = match self.phase {
            Phase::Executing => true,
            Phase::Planning | Phase::Evaluating | Phase::Reflecting => self.goal.is_some(),
            Phase::Empty | Phase::Stopping(_) | Phase::Finished(_) => false,
        };
        let running = self.active && going && !self.time_is_up;
        running.then(|| self.at.plus_ms(allowed.saturating_sub(self.active_ms)))
    }

    /// Returns the open questions that expire, with their expiry times.
    fn expiring(&self) -> impl Iterator<Item = (&QuestionId, Timestamp)> {
        let open = self.expiries.iter().filter(|(id, _)| self.questions.contains_key(*id));
        open.map(|(id, at)| (id, *at))
    }

    /// Returns the questions that expired unanswered.
    pub fn expired(&self, now: Timestamp) -> impl Iterator<Item = &QuestionId> {
        self.expiring().filter(move |(_, at)| *at <= now).map(|(id, _)| id)
    }

    /// Returns the time of the next retry, wait or question expiry. It is stored, so it also wakes a task that is not
    /// in memory.
    pub fn alarm(&self) -> Option<Timestamp> {
        let expiry = self.expiring().map(|(_, at)| at).min();
        [self.agenda.next_timer(), expiry].into_iter().flatten().min()
    }

    /// Returns the time at which the engine must look at the task again: the alarm or the deadline.
    pub fn wake_at(&self) -> Option<Timestamp> {
        [self.alarm(), self.deadline()].into_iter().flatten().min()
    }

    /// Returns the number of successful steps and of all steps that count; steps given up without success do not.
    pub fn progress(&self) -> (usize, usize) {
        (self.succeeded as usize, self.steps.len().saturating_sub(self.given_up as usize))
    }

    /// Returns the fault of a failed task.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.phase {
            Phase::Finished(TaskEnding::Failed { fault }) => Some(fault),
            Phase::Empty
            | Phase::Planning
            | Phase::Executing
            | Phase::Evaluating
            | Phase::Reflecting
            | Phase::Stopping(_)
            | Phase::Finished(TaskEnding::Completed | TaskEnding::Cancelled { .. }) => None,
        }
    }

    /// Returns the steps whose calls have started and not ended.
    pub fn calls_in_flight(&self) -> impl Iterator<Item = StepIndex> + '_ {
        let is_call =
            |step: &Step| step.status == StepStatus::Running && step.plan.body().is_none();
        let running = self.steps.everywhere().filter(move |(_, step)| is_call(step));
        running.map(|(index, _)| index)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_none_given_up(count: &u32) -> bool {
    *count == 0
}
