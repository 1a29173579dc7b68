//! A task as it is: the fold of its journal, and what can be asked of it.

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

/// Where a task stands, seen from inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing is known of it.
    #[default]
    Empty,
    /// It has no complete plan yet.
    Planning,
    /// Its steps run.
    Executing,
    /// Its outcome is judged, and the answer put together.
    Evaluating,
    /// What went wrong is thought about.
    Reflecting,
    /// Running calls end; nothing new begins.
    Stopping(TaskEnding),
    /// It ended.
    Finished(TaskEnding),
}

/// Where a task stands, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Handed in; nothing has happened yet.
    Pending,
    /// A plan is being made.
    Planning,
    /// Steps run, or will by themselves.
    Executing,
    /// The outcome is judged.
    Evaluating,
    /// What went wrong is thought about.
    Reflecting,
    /// Nothing can happen before a person answers.
    Waiting,
    /// Everything was done.
    Completed,
    /// It did not reach its end.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

impl TaskStatus {
    /// All of them.
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

    /// The status that a word on the wire means.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Whether the task ended.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// The word on the wire.
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

/// How often things went wrong. Advisory unless a limit is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Retries of all steps.
    pub step_retry_count: u32,
    /// Steps that were planned anew by themselves.
    pub single_step_repair_count: u32,
    /// Revisions after the first.
    pub task_replan_count: u32,
    /// Failures since the last success.
    pub consecutive_failures: u32,
}

/// A task. Built by [`apply`](State::apply) and by nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The last event that was folded in.
    pub seq: u64,
    /// Its time.
    pub at: Timestamp,
    /// What the caller wanted.
    pub submission: Option<Arc<Submission>>,
    /// The tools' contracts in force.
    pub contracts: BTreeMap<ToolId, Arc<Contract>>,
    /// Where it stands.
    pub phase: Phase,
    /// Counts the times it was taken up.
    pub epoch: u32,
    /// The revision of the plan.
    pub revision: u32,
    /// The three layers of data.
    pub context: Context,
    /// Steps in the order of planning, under their index in `context`.
    pub steps: Steps,
    /// The frames of steps that hold others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frames: BTreeMap<StepIndex, FrameState>,
    /// How many steps of the plan succeeded.
    pub succeeded: u32,
    /// How many of them were given up without success.
    #[serde(default, skip_serializing_if = "is_none_given_up")]
    pub given_up: u32,
    /// What can be done next.
    pub agenda: StepQueue,
    /// Questions that wait for an answer.
    pub questions: BTreeMap<QuestionId, Question>,
    /// When those count as given up that do not wait for ever.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expiries: BTreeMap<QuestionId, Timestamp>,
    /// Questions asked so far.
    pub questions_asked: u32,
    /// How often things went wrong.
    pub counters: Counters,
    /// What was spent.
    #[serde(default)]
    pub ledger: Ledger,
    /// Active time used so far.
    pub active_ms: u64,
    /// Active time that a person added.
    pub added_ms: u64,
    /// Whether time counts from the last event on.
    pub active: bool,
    /// The time is used up and somebody is to be asked.
    pub time_is_up: bool,
    /// The steps whose outputs are the result.
    pub result_of: Vec<StepId>,
    /// The course of a task whose plan is made by Praxis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Box<GoalState>>,
}

impl State {
    /// Whom steps ask, and what that may cost: whoever answers the goal, else whom the flow was given.
    pub fn mind(&self) -> Option<(&PinnedModel, &Budget)> {
        let submission = self.submission.as_ref()?;
        if let Some(brief) = &submission.brief {
            return Some((brief.advisers.get(&ModelRole::Report)?, &brief.budget));
        }
        submission.minds.as_ref().map(|minds| (&minds.adviser, &minds.budget))
    }

    /// A step by id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.get(self.context.index_of(id)?)
    }

    /// A step by index.
    pub fn step_at(&self, index: StepIndex) -> Option<&Step> {
        self.steps.get(index)
    }

    /// The contract of a tool.
    pub fn contract(&self, tool: &ToolId) -> Option<&Arc<Contract>> {
        self.contracts.get(tool)
    }

    /// The tool whose limit a step shares, if it has one.
    pub fn limited_tool<'a>(&'a self, step: &'a Step) -> Option<&'a ToolId> {
        let contract = self.contracts.get(step.tool())?;
        contract.concurrent.map(|_| &contract.tool)
    }

    /// How many calls may be made at the same time.
    pub fn slots(&self) -> u32 {
        let Some(submission) = &self.submission else { return 0 };
        let options = &submission.options;
        let few = self.steps.len() < options.parallel_min_steps as usize;
        if !options.parallel || few { 1 } else { options.parallel_max_concurrent.max(1) }
    }

    /// The name of an attempt in the journal.
    pub fn effect_id(&self, step: &Step) -> String {
        format!("{}/{}#{}", self.task_name(), step.plan.id, step.attempt)
    }

    /// The idempotency key of a step's present wish.
    pub fn effect_key(&self, step: &Step) -> String {
        format!("{}/{}~{}", self.task_name(), step.plan.id, step.generation)
    }

    fn task_name(&self) -> &str {
        self.submission.as_ref().map_or("", |submission| submission.task.as_str())
    }

    /// Where it stands, seen from outside.
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

    /// What a waiting task waits for: the word of its first question.
    pub fn waits_for(&self) -> Option<&'static str> {
        self.questions.values().next().map(|question| question.about.kind())
    }

    fn can_go_on(&self) -> bool {
        self.active || !self.agenda.timers.is_empty()
    }

    /// Whether a person was asked something that concerns the whole task. Nothing new starts before they
    /// answer, unless only a plan's changes wait for approval.
    pub(crate) fn is_held(&self) -> bool {
        self.questions
            .values()
            .any(|question| question.step.is_none() && !self.only_changes(question))
    }

    fn only_changes(&self, question: &Question) -> bool {
        let review = self.brief().is_some_and(|b| b.manner.approval == PlanApproval::Review);
        matches!(question.about, QuestionSubject::Plan { .. }) && !review
    }

    /// Calls to models that are under way.
    pub fn asks_under_way(&self) -> usize {
        self.goal.as_ref().map_or(0, |goal_state| goal_state.asks.under_way.len())
    }

    /// Those that the task waits for before it goes on or ends.
    pub(crate) fn asks_that_count(&self) -> usize {
        let asking = self.goal.iter().flat_map(|goal_state| goal_state.asks.under_way.values());
        asking.filter(|asking| asking.errand != Purpose::Tell).count()
    }

    /// Whether steps may start at all.
    pub(crate) fn may_start_steps(&self) -> bool {
        self.phase == Phase::Executing || (self.phase == Phase::Planning && self.goal.is_some())
    }

    /// Whether a model carries an errand out.
    pub fn can_ask(&self, errand: &Purpose) -> bool {
        let adviser = self.brief().and_then(|brief| brief.adviser(errand)).is_some();
        adviser && !self.goal.as_deref().is_some_and(|goal_state| goal_state.is_unanswered(errand))
    }

    /// When the active time will be used up if nothing else happens.
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

    /// The open questions that expire, and when.
    fn expiring(&self) -> impl Iterator<Item = (&QuestionId, Timestamp)> {
        let open = self.expiries.iter().filter(|(id, _)| self.questions.contains_key(*id));
        open.map(|(id, at)| (id, *at))
    }

    /// The questions that nobody answered in their time.
    pub fn expired(&self, now: Timestamp) -> impl Iterator<Item = &QuestionId> {
        self.expiring().filter(move |(_, at)| *at <= now).map(|(id, _)| id)
    }

    /// When somebody must bring the task back by itself, whether or not it is in memory.
    pub fn alarm(&self) -> Option<Timestamp> {
        let expiry = self.expiring().map(|(_, at)| at).min();
        [self.agenda.next_timer(), expiry].into_iter().flatten().min()
    }

    /// When the engine must look at the task again by itself.
    pub fn wake_at(&self) -> Option<Timestamp> {
        [self.alarm(), self.deadline()].into_iter().flatten().min()
    }

    /// Steps that ended with success, and all that count: without those that a later plan gave up.
    pub fn progress(&self) -> (usize, usize) {
        (self.succeeded as usize, self.steps.len().saturating_sub(self.given_up as usize))
    }

    /// The fault that the task ended with.
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

    /// Calls that were started and have not ended.
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
