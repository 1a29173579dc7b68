//! One step as it is at a moment of the task.

use crate::budget::ledger::Reserved;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::Hole;
use crate::dataflow::template::ParameterTemplate;
use crate::fault::Fault;
use crate::ids::{BlobId, QuestionId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::journal::rung::RecoveryRung;
use crate::journal::slot::SlotSource;
use crate::payload::Payload;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Where a step stands. The names are those of the step history on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StepStatus {
    /// Planned; something before it has not ended, or its turn has not come.
    Init,
    /// It failed and will be tried again at a time.
    Waiting,
    /// Its call is being made.
    Running,
    /// It gave its output.
    Success,
    /// It will not be tried again.
    Error,
    /// It needs a value from a person.
    Param,
    /// The task ended before it did.
    Cancelled,
    /// A step that it needs did not succeed.
    Skipped,
    /// Nobody knows yet whether its call took effect.
    InDoubt,
}

impl StepStatus {
    /// Whether nothing more happens to the step in this epoch.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Success | Self::Error | Self::Cancelled | Self::Skipped)
    }
}

/// A planned unit and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// As planned.
    pub plan: PlannedStep,
    /// Its parameters, parsed once.
    pub template: ParameterTemplate,
    /// Where it stands.
    pub status: StepStatus,
    /// The last attempt; zero before the first.
    pub attempt: u32,
    /// The wish that the attempts serve.
    pub generation: u32,
    /// How often it was tried again after a failure.
    pub retries: u32,
    /// How often Praxis stopped while it ran.
    pub losses: u32,
    /// When the last attempt began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// What the attempts of this generation send. Every attempt sends the same.
    pub sent: Option<SentCall>,
    /// What is set aside for a model that its call asks now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    /// `check_with` was asked about this generation and could not tell.
    pub checked: bool,
    /// Why it did not succeed, the last time.
    pub fault: Option<Fault>,
    /// Its last call that ended took too long. One that Praxis lost ended nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_slow: bool,
    /// A person approved of this generation.
    pub approved: bool,
    /// The print of the call that they were shown, if it was that call and not its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_print: Option<String>,
    /// Values that came from a person, by JSON pointer in the parameters.
    pub given: BTreeMap<String, GivenValue>,
    /// A model was asked for what was missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_filled: bool,
    /// How often that was done.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fills: u32,
    /// A person lets a model guess what nobody knows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_guessed: bool,
    /// Steps before it that have not ended as it needs.
    pub open: u32,
    /// Ways to it that were taken.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub taken: u32,
    /// The step that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<StepIndex>,
    /// Steps that wait for it.
    pub dependents: Vec<Dependent>,
    /// The length of the longest chain from its start to the end of the plan.
    pub rank: u64,
    /// The revision that it came with.
    #[serde(default)]
    pub revision: u32,
    /// A later revision gave it up: what it still gives is seen and never used.
    #[serde(default)]
    pub dropped: bool,
}

/// A step that waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependent {
    /// Who waits.
    pub step: StepIndex,
    /// For what.
    pub needs: StepNeeds,
}

/// What a step needs of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepNeeds {
    /// That it succeeded.
    Success,
    /// That it ended, however.
    End,
    /// That this way of the step that waits is taken, or another one.
    Way(u32),
}

/// What a call sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentCall {
    /// The tool, where it is not the plan's.
    pub tool: Option<ToolId>,
    /// The arguments; `null` where a hole is.
    pub arguments: Payload,
    /// Values that are in blobs.
    pub holes: Vec<Hole>,
}

impl SentCall {
    /// The blobs that hold a part of it, or all.
    pub fn blobs(&self) -> Vec<BlobId> {
        let holes = self.holes.iter().map(|hole| hole.blob.clone());
        self.arguments.blob().cloned().into_iter().chain(holes).collect()
    }
}

/// A value that a person gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenValue {
    /// What they gave.
    pub value: Value,
    /// Who.
    pub by: String,
    /// In answer to what; none if it was set when the task was forked, or not by a person.
    pub question: Option<QuestionId>,
    /// The rung of recovery that set it, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<(RecoveryRung, String)>,
    /// It was planned and is not sent any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// Where it was found, and how sure that is, if it filled a slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<(SlotSource, u32)>,
}

impl Step {
    /// A step that nothing has happened to.
    pub fn new(plan: PlannedStep, template: ParameterTemplate) -> Self {
        Self {
            plan,
            template,
            status: StepStatus::Init,
            attempt: 0,
            generation: 1,
            retries: 0,
            losses: 0,
            started_at: None,
            finished_at: None,
            sent: None,
            reserved: None,
            checked: false,
            fault: None,
            was_slow: false,
            approved: false,
            approved_print: None,
            given: BTreeMap::new(),
            was_filled: false,
            fills: 0,
            may_be_guessed: false,
            open: 0,
            taken: 0,
            frame: None,
            dependents: vec![],
            rank: 0,
            revision: 0,
            dropped: false,
        }
    }

    /// The tool that the next attempt calls.
    pub fn tool(&self) -> &ToolId {
        self.sent.as_ref().and_then(|sent| sent.tool.as_ref()).unwrap_or(&self.plan.tool)
    }

    /// Whether its turn has come, now that nothing it waits for is open.
    pub fn is_due(&self) -> bool {
        self.plan.ways().is_empty() || self.taken > 0
    }

    /// From the start of the last attempt to its end.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.finished_at?.since(self.started_at?))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Whether missing parameters of a step are filled. Only flows say so.
pub fn is_filled(step: &Step) -> bool {
    step.plan.node.as_ref().is_some_and(|node| node.fill.unwrap_or(true))
}
