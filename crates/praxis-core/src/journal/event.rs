//! The events of a task; the journal holds nothing else.
//!
//! Variants are in the past tense and keep their meaning forever; a new meaning is a new variant.

use super::outcome::{AskOutcome, CallOutcome, CheckVerdict, PlanOutcome, TaskEnding};
use super::submission::Submission;
use crate::ask::purpose::Purpose;
use crate::ask::reply::TokenUsage;
use crate::budget::ledger::Reserved;
use crate::budget::limit::LimitReached;
use crate::call::tool::Contract;
use crate::dataflow::resolve::Hole;
use crate::fault::Fault;
use crate::goal::strategy::StrategyDecision;
use crate::ids::{QuestionId, StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::journal::experience::Experience;
use crate::journal::judgement::Judgement;
use crate::journal::memory::RecalledTask;
use crate::journal::promise::PlanPromise;
use crate::journal::question::{Question, QuestionAnswer};
use crate::journal::rung::RecoveryRung;
use crate::journal::selection::ToolSelection;
use crate::journal::slot::FilledSlot;
use crate::journal::step_reflection::StepReflection;
use crate::journal::task_reflection::{PlanAdjustment, PlanRevision, TaskReflection};
use crate::payload::Payload;
use crate::problem::Problem;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The version of the rules of `decide`. It is incremented if the same journal would be decided differently; the old
/// rules are then kept for the tasks that began under them.
pub const RULES: u32 = 1;

/// An event with its sequence number and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The sequence number, from one within the task.
    pub seq: u64,
    /// The time from the engine's clock; it never decreases within a task.
    pub at: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// One event of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A caller submitted the task.
    TaskSubmitted(Box<Submission>),
    /// An engine resumed the task after the previous engine stopped. The time in between is not active time.
    Woken {
        /// The engine that resumed the task.
        by: String,
    },
    /// A model is about to be asked. The event is on disk before the request is sent.
    AskStarted {
        /// The number of the model call, from one.
        ask: u32,
        /// The purpose of the call.
        #[serde(flatten)]
        purpose: Purpose,
        /// The name of the model in the settings.
        model: String,
        /// The tokens reserved for the call.
        reserved: Reserved,
        /// The request, verbatim.
        request: Payload,
    },
    /// The model call ended, with or without an answer.
    AskFinished {
        /// The number of the model call.
        ask: u32,
        /// The outcome of the call.
        outcome: AskOutcome,
    },
    /// An answer was unusable. The model is asked again and told the problems.
    AnswerRefused {
        /// The number of the model call.
        ask: u32,
        /// The purpose of the call.
        #[serde(flatten)]
        purpose: Purpose,
        /// The answer, truncated.
        said: String,
        /// The reasoning of the model, truncated. Some endpoints require it together with the answer.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// Every problem with the answer.
        problems: Vec<Problem>,
    },
    /// The relation of the request to earlier work was determined.
    StrategyChosen {
        /// The decision.
        strategy: StrategyDecision,
        /// The source of the decision: `model`, `keywords` or `caller`.
        by: String,
        /// The confidence, from 0 to 100.
        confidence: u32,
        /// The reason.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
    },
    /// Experience of earlier tasks was recalled, once per task. Later experience does not change it.
    Recalled {
        /// The tasks with the most similar goals, best first; empty if none is similar.
        memories: Vec<RecalledTask>,
    },
    /// The tools of the task were selected.
    ToolsSelected {
        /// The selected tools, the method and the reason.
        selection: Box<ToolSelection>,
        /// The contracts of the tools.
        contracts: Vec<Contract>,
    },
    /// Steps were added to the plan. They may refer only to steps before them.
    StepsPlanned {
        /// The revision of the plan, from one.
        revision: u32,
        /// The steps in executable order.
        steps: Vec<PlannedStep>,
        /// The step ids by the names that the model used, if these differ.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        names: BTreeMap<String, StepId>,
        /// The corrections that were made to the plan.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixes: Vec<Problem>,
    },
    /// A revision is complete, or will never be.
    PlanClosed {
        /// The revision.
        revision: u32,
        /// The outcome of the revision.
        outcome: PlanOutcome,
        /// The problems for which it was refused.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Problem>,
        /// The promise of the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        promise: Option<Box<PlanPromise>>,
    },
    /// Parts of the plan were kept, changed or given up. New steps follow in a `StepsPlanned` event.
    PlanRevised(Box<PlanRevision>),
    /// The dependencies of steps were changed.
    StepsRewired {
        /// The new dependencies by step.
        changes: Vec<PlanAdjustment>,
    },
    /// A model reflected on a failed step.
    StepReflected {
        /// The failed step.
        step: StepId,
        /// The reflection.
        reflection: Box<StepReflection>,
    },
    /// A step was changed. This begins a new generation, except for values inferred before the first call.
    StepAmended {
        /// The changed step.
        step: StepId,
        /// The rung that changed it.
        rung: RecoveryRung,
        /// The new tool, if it changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// The new parameters, with placeholders.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parameters: Option<Value>,
        /// Values by JSON pointer. They are literal data, without placeholders.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        set: BTreeMap<String, Value>,
        /// The reason.
        why: String,
        /// The model that proposed the change; empty if a rule did.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        by: String,
    },
    /// Reflection asked for a repair of a single step.
    RepairWanted {
        /// The step to repair.
        step: StepId,
    },
    /// Recovery of a step ended without success.
    RecoveryEnded {
        /// The failing step.
        step: StepId,
        /// True if the whole task is to be reflected on.
        overall: bool,
        /// The reason in one word: `repeated`, `hopeless`, `denied`, `advised`, `no_idea`, `no_reflection`, `capped`,
        /// `no_model`.
        why: String,
    },
    /// The outcome of the task was judged.
    TaskJudged(Box<Judgement>),
    /// The whole task was reflected on.
    TaskReflected(Box<TaskReflection>),
    /// The answer to the goal was given.
    AnswerGiven {
        /// The answer as text, or in the requested schema.
        answer: Payload,
        /// The author: `model`, `rules` or `plan`.
        by: String,
        /// A short title of the answer.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        title: String,
    },
    /// Excerpts were taken from an output that is too long to be shown.
    OutputExtracted {
        /// The step whose output it is.
        step: StepId,
        /// Passages of the output, verbatim.
        excerpts: Payload,
        /// The number of tokens of the output.
        of: u64,
        /// The number of proposed passages that do not occur in the output.
        #[serde(default, skip_serializing_if = "is_zero")]
        left_out: u32,
    },
    /// A progress message was sent to the user.
    MessageTold {
        /// The message; empty if there is nothing to say.
        text: String,
    },
    /// A limit was reached, and nobody can be asked.
    WallHit(LimitReached),
    /// An experience of the finished task was kept.
    TaskLearnt(Box<Experience>),
    /// A call of a step is about to be made. The event is on disk before the call begins.
    StepStarted {
        /// The step.
        step: StepId,
        /// The number of the attempt, from one.
        attempt: u32,
        /// The generation that the attempt serves; it is part of the idempotency key.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        generation: u32,
        /// The tool, if it differs from the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// The arguments as sent; `null` where a hole is.
        arguments: Payload,
        /// Values of the arguments that are stored in blobs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holes: Vec<Hole>,
        /// The tokens reserved for a model that the call asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reserved: Option<Reserved>,
    },
    /// A call of a step ended, or will never end.
    StepFinished {
        /// The step.
        step: StepId,
        /// The attempt that ended.
        attempt: u32,
        /// The outcome of the call.
        outcome: CallOutcome,
        /// The time of the next retry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
        /// The token usage of a model that the call asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<TokenUsage>,
    },
    /// The result of a step was inherited from the task that this one was forked from. No call was made.
    StepInherited {
        /// The step.
        step: StepId,
        /// The tool, if it differs from the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// The arguments that the parent task sent.
        arguments: Payload,
        /// Values of the arguments that are stored in blobs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holes: Vec<Hole>,
        /// The output that the parent task got.
        output: Payload,
    },
    /// Values were found for parameters of a step that has not started.
    SlotsFilled {
        /// The step.
        step: StepId,
        /// The values with their sources, by JSON pointer.
        values: BTreeMap<String, FilledSlot>,
        /// The affected top-level parameters with the values set.
        arguments: Map<String, Value>,
    },
    /// A step could not start: its arguments are unavailable, or its call is denied. No call was made.
    StepRefused {
        /// The step.
        step: StepId,
        /// The reason.
        fault: Fault,
    },
    /// The frame of a step was opened with its variables.
    FrameOpened {
        /// The step that owns the frame.
        step: StepId,
        /// The variables, an object.
        variables: Payload,
    },
    /// A pass of the steps inside a step began.
    PassStarted {
        /// The step that owns the frame.
        step: StepId,
        /// The number of the pass, from one.
        pass: u32,
        /// The variables of this pass of a loop: its `index`, and the `item` of the list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variables: Option<Payload>,
    },
    /// A pass of a loop, or a turn of an agent, ended.
    PassEnded {
        /// The step that owns the frame.
        step: StepId,
        /// The number of the pass.
        pass: u32,
        /// The step whose failure nothing handled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<StepId>,
        /// The new values of the loop's variables.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set: Option<Payload>,
        /// The value that the pass adds to the collected list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        collected: Option<Payload>,
    },
    /// Steps that no plan contains were added inside a step: the calls of an agent, or a search for values.
    StepsAdded {
        /// The step that owns the frame.
        step: StepId,
        /// The steps, with ids local to the frame.
        steps: Vec<PlannedStep>,
    },
    /// The next attempt of a step is due.
    RetryDue {
        /// The step.
        step: StepId,
    },
    /// A `check_with` call is about to find out if a call took effect.
    CheckStarted {
        /// The step in doubt.
        step: StepId,
    },
    /// The `check_with` call ended.
    CheckFinished {
        /// The step in doubt.
        step: StepId,
        /// The verdict.
        verdict: CheckVerdict,
    },
    /// A question was put to a person.
    QuestionAsked {
        /// The question.
        question: Question,
    },
    /// A question was answered; the first valid answer counts.
    QuestionAnswered {
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: QuestionAnswer,
        /// The person, or `expiry` if nobody answered in time.
        by: String,
    },
    /// The task used up its active time.
    TimeUsedUp {
        /// The active time that was used.
        after_ms: u64,
    },
    /// A cancellation was requested.
    CancelRequested {
        /// The reason, in words.
        reason: String,
        /// The requester.
        by: String,
    },
    /// The task ended. There is one per epoch; after it the task is only learnt from, unless it is reopened.
    TaskFinished {
        /// The ending.
        ending: TaskEnding,
        /// The steps whose outputs are the result.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        result_of: Vec<StepId>,
    },
    /// A failed or cancelled task was reopened. Idempotency keys stay.
    TaskReopened {
        /// The epoch; a submitted task is in epoch one.
        epoch: u32,
        /// Finished steps that run again as a new generation.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        invalidated: Vec<StepId>,
        /// The changed contracts of tools, if the caller asked for the current versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        contracts: Vec<Contract>,
        /// The requester.
        by: String,
    },
}

impl Event {
    /// Creates a `StepsPlanned` event for steps with their own ids.
    pub fn planned(revision: u32, steps: Vec<PlannedStep>) -> Self {
        Self::StepsPlanned { revision, steps, names: BTreeMap::new(), fixes: vec![] }
    }

    /// Creates a `PlanClosed` event without problems or promise.
    pub fn closed(revision: u32, outcome: PlanOutcome) -> Self {
        Self::PlanClosed { revision, outcome, problems: vec![], promise: None }
    }
}

/// Pattern of the events of a goal. A new event is added here or named in every match.
macro_rules! of_a_goal {
    () => {
        $crate::journal::event::Event::AskStarted { .. }
            | $crate::journal::event::Event::AskFinished { .. }
            | $crate::journal::event::Event::AnswerRefused { .. }
            | $crate::journal::event::Event::StrategyChosen { .. }
            | $crate::journal::event::Event::Recalled { .. }
            | $crate::journal::event::Event::ToolsSelected { .. }
            | $crate::journal::event::Event::PlanRevised(_)
            | $crate::journal::event::Event::StepsRewired { .. }
            | $crate::journal::event::Event::StepReflected { .. }
            | $crate::journal::event::Event::StepAmended { .. }
            | $crate::journal::event::Event::RepairWanted { .. }
            | $crate::journal::event::Event::RecoveryEnded { .. }
            | $crate::journal::event::Event::TaskJudged(_)
            | $crate::journal::event::Event::TaskReflected(_)
            | $crate::journal::event::Event::AnswerGiven { .. }
            | $crate::journal::event::Event::OutputExtracted { .. }
            | $crate::journal::event::Event::MessageTold { .. }
            | $crate::journal::event::Event::WallHit(_)
            | $crate::journal::event::Event::TaskLearnt(_)
    };
}

pub(crate) use of_a_goal;

/// Pattern of the events that only flows have.
macro_rules! of_a_flow {
    () => {
        $crate::journal::event::Event::FrameOpened { .. }
            | $crate::journal::event::Event::PassStarted { .. }
            | $crate::journal::event::Event::PassEnded { .. }
            | $crate::journal::event::Event::StepsAdded { .. }
            | $crate::journal::event::Event::SlotsFilled { .. }
    };
}

pub(crate) use of_a_flow;

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(generation: &u32) -> bool {
    *generation == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
