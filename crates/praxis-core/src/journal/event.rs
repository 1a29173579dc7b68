//! The facts about a task. The journal holds nothing else.
//!
//! Variants are past tense and keep their meaning forever; a new meaning is a new variant.

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

/// The number of the rules by which `decide` works. It grows when the same journal would be decided
/// otherwise; the old rules are then kept for the tasks that began under them.
pub const RULES: u32 = 1;

/// A fact with its place in the task and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts from one within the task.
    pub seq: u64,
    /// From the engine's clock; never decreases within a task.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// One fact about a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A caller handed the task in.
    TaskSubmitted(Box<Submission>),
    /// An engine took the task up again after its last one stopped. What lay between is no active time.
    Woken {
        /// Which engine.
        by: String,
    },
    /// A model is about to be asked. On disk before the request goes out.
    AskStarted {
        /// Counts from one.
        ask: u32,
        /// What for.
        #[serde(flatten)]
        errand: Purpose,
        /// Who, by the name in the settings.
        model: String,
        /// What is set aside for it.
        reserved: Reserved,
        /// The request, word for word.
        request: Payload,
    },
    /// The model answered, or will never.
    AskFinished {
        /// Which call.
        ask: u32,
        /// How it ended.
        outcome: AskOutcome,
    },
    /// An answer could not be used. It is asked for once more, with the reasons.
    AnswerRefused {
        /// Which call.
        ask: u32,
        /// What it was for.
        #[serde(flatten)]
        errand: Purpose,
        /// What was said, cut.
        said: String,
        /// What the model thought before it, cut. Some endpoints want it back with the words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// Everything that is wrong with it.
        problems: Vec<Problem>,
    },
    /// It is known how the request stands to earlier work.
    StrategyChosen {
        /// How.
        strategy: StrategyDecision,
        /// Who found it: `model`, `keywords` or `caller`.
        by: String,
        /// How sure that is, of 100.
        confidence: u32,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
    },
    /// What earlier tasks taught was looked up, once; nothing if there was nothing like it. What is taught later
    /// does not change it.
    Recalled {
        /// The tasks whose goals are nearest, the nearest first.
        memories: Vec<RecalledTask>,
    },
    /// The tools of the task were chosen.
    ToolsSelected {
        /// Which, by whom and why.
        selection: Box<ToolSelection>,
        /// What decisions need to know of them.
        contracts: Vec<Contract>,
    },
    /// Steps entered the plan. They may name only steps that stand before them.
    StepsPlanned {
        /// Counts from one.
        revision: u32,
        /// In an order that can run.
        steps: Vec<PlannedStep>,
        /// What the model called them, where that is something else.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        names: BTreeMap<String, StepId>,
        /// What was put right on the way, in words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixes: Vec<Problem>,
    },
    /// The revision is complete, or will never be.
    PlanClosed {
        /// Which.
        revision: u32,
        /// How it ended.
        outcome: PlanOutcome,
        /// Why it was not accepted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Problem>,
        /// What it says of its own outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        promise: Option<Box<PlanPromise>>,
    },
    /// Parts of the plan were kept, changed, given up. What is added comes after.
    PlanRevised(Box<PlanRevision>),
    /// Steps wait for something else than before.
    StepsRewired {
        /// What waits for what.
        changes: Vec<PlanAdjustment>,
    },
    /// A failed step was thought about.
    StepReflected {
        /// Which.
        step: StepId,
        /// What was made of it.
        reflection: Box<StepReflection>,
    },
    /// A step was changed: a new effect is wanted.
    StepAmended {
        /// Which.
        step: StepId,
        /// Which rung did it.
        rung: RecoveryRung,
        /// The tool, if that changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// The parameters as written anew, placeholders included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parameters: Option<Value>,
        /// Values by JSON pointer. They are data.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        set: BTreeMap<String, Value>,
        /// Why.
        why: String,
        /// The model that said so.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        by: String,
    },
    /// Reflection wants a step to be planned anew by itself.
    RepairWanted {
        /// Which.
        step: StepId,
    },
    /// Nothing more is tried to help a step.
    RecoveryEnded {
        /// Which.
        step: StepId,
        /// Whether the whole task is to be reflected on.
        overall: bool,
        /// Why, in one word: `repeated`, `hopeless`, `advised`, `no_idea`, `capped`, `no_model`.
        why: String,
    },
    /// The outcome was judged.
    TaskJudged(Box<Judgement>),
    /// The whole task was thought about.
    TaskReflected(Box<TaskReflection>),
    /// The answer to the goal.
    AnswerGiven {
        /// In words, or in the form that was asked for.
        answer: Payload,
        /// Who put it together: `model` or `rules`.
        by: String,
        /// What the answer is called, in a few words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        title: String,
    },
    /// What the goal needs was taken out of an output that is too long to be shown.
    OutputExtracted {
        /// Whose output.
        step: StepId,
        /// Passages of it, word for word.
        excerpts: Payload,
        /// How many tokens the output has.
        of: u64,
        /// How many passages were said that do not stand in it.
        #[serde(default, skip_serializing_if = "is_zero")]
        left_out: u32,
    },
    /// The user is told how it goes; nothing if there is nothing to say.
    MessageTold {
        /// In words.
        text: String,
    },
    /// A limit was reached, and nobody can be asked.
    WallHit(LimitReached),
    /// A finished task was looked back on.
    TaskLearnt(Box<Experience>),
    /// A step's call is about to be made. On disk before the call begins.
    StepStarted {
        /// Which.
        step: StepId,
        /// Counts from one.
        attempt: u32,
        /// Which wish it serves; the idempotency key is made of it.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        generation: u32,
        /// The tool, where it is not the plan's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// The arguments as sent; `null` where a hole is.
        arguments: Payload,
        /// Values of the arguments that are in blobs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holes: Vec<Hole>,
        /// What is set aside for a model that the call asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reserved: Option<Reserved>,
    },
    /// A step's call came back, or will never come back.
    StepFinished {
        /// Which.
        step: StepId,
        /// The attempt that ended.
        attempt: u32,
        /// How.
        outcome: CallOutcome,
        /// When it will be tried again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
        /// What a model that the call asked has cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<TokenUsage>,
    },
    /// A step's result was taken over from the task that this one was forked from. No call was made.
    StepInherited {
        /// Which.
        step: StepId,
        /// The tool, where it is not the plan's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// What the parent sent.
        arguments: Payload,
        /// Values of the arguments that are in blobs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holes: Vec<Hole>,
        /// What it got.
        output: Payload,
    },
    /// Values were found for parameters of a step that has not started.
    SlotsFilled {
        /// Which.
        step: StepId,
        /// The values by JSON pointer, and where each was found.
        values: BTreeMap<String, FilledSlot>,
        /// The parameters that they are part of, as they are with them.
        arguments: Map<String, Value>,
    },
    /// A step could not start: its arguments are not to be had. No call was made.
    StepRefused {
        /// Which.
        step: StepId,
        /// Why.
        fault: Fault,
    },
    /// The steps inside a step can be told what it was given.
    FrameOpened {
        /// The step that holds them.
        step: StepId,
        /// Its variables, an object.
        variables: Payload,
    },
    /// The steps inside a step begin.
    PassStarted {
        /// The step that holds them.
        step: StepId,
        /// Counts from one.
        pass: u32,
        /// What this pass of a loop alone has: its number, and its item of the list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variables: Option<Payload>,
    },
    /// A pass of a loop is over.
    PassEnded {
        /// The loop.
        step: StepId,
        /// Which pass.
        pass: u32,
        /// The step inside that failed, with which nothing dealt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<StepId>,
        /// What it made of the variables.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set: Option<Payload>,
        /// What is kept of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        collected: Option<Payload>,
    },
    /// Steps that nobody wrote come inside a step: what an agent wants to call, or a look for values.
    StepsAdded {
        /// The step that holds them.
        step: StepId,
        /// The steps, with ids of their own inside it.
        steps: Vec<PlannedStep>,
    },
    /// The time for the next attempt of a step has come.
    RetryDue {
        /// Which.
        step: StepId,
    },
    /// The tool that knows is about to be asked whether a call took effect.
    CheckStarted {
        /// The step in doubt.
        step: StepId,
    },
    /// It answered.
    CheckFinished {
        /// The step in doubt.
        step: StepId,
        /// What it said.
        verdict: CheckVerdict,
    },
    /// A person is needed.
    QuestionAsked {
        /// What is asked.
        question: Question,
    },
    /// A person answered; the first valid answer counts.
    QuestionAnswered {
        /// Which question.
        question: QuestionId,
        /// What they said.
        answer: QuestionAnswer,
        /// Who.
        by: String,
    },
    /// The task used up its active time.
    TimeUsedUp {
        /// How much it had.
        after_ms: u64,
    },
    /// Somebody wants the task to stop.
    CancelRequested {
        /// Their words.
        reason: String,
        /// Who.
        by: String,
    },
    /// The task ended. One per epoch, and nothing after it but a reopening.
    TaskFinished {
        /// How.
        ending: TaskEnding,
        /// The steps whose outputs are the result.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        result_of: Vec<StepId>,
    },
    /// A failed or cancelled task was taken up again. Keys stay.
    TaskReopened {
        /// Counts from one; a submitted task is in epoch one.
        epoch: u32,
        /// Finished steps that are to run again, as a new effect.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        invalidated: Vec<StepId>,
        /// Tools whose contract changed, if the current ones were asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        contracts: Vec<Contract>,
        /// Who.
        by: String,
    },
}

impl Event {
    /// Steps that enter a plan as they are written.
    pub fn planned(revision: u32, steps: Vec<PlannedStep>) -> Self {
        Self::StepsPlanned { revision, steps, names: BTreeMap::new(), fixes: vec![] }
    }

    /// The end of a plan with which nothing is wrong.
    pub fn closed(revision: u32, outcome: PlanOutcome) -> Self {
        Self::PlanClosed { revision, outcome, problems: vec![], promise: None }
    }
}

/// The events by which a goal is worked out, as a pattern. A new one is put here or named in every match.
macro_rules! of_the_course {
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

pub(crate) use of_the_course;

/// The events that only flows have, as a pattern.
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
