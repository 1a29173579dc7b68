//! The state of one step.

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

/// Status of a step. The names are those of the step history on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StepStatus {
    /// Planned; a step before it has not ended, or it is queued.
    Init,
    /// Failed and waiting for a retry or for recovery; also a `wait` step that waits.
    Waiting,
    /// Running: its call is under way, or the steps of its frame run.
    Running,
    /// Ended with success.
    Success,
    /// Failed for good.
    Error,
    /// Waiting for a value or an approval from a person, or for a look-up of missing values.
    Param,
    /// Cancelled: the task ended before the step did.
    Cancelled,
    /// Skipped: a step that it needs did not succeed, or no edge to it was taken.
    Skipped,
    /// In doubt: the effect of its call is unknown.
    InDoubt,
}

impl StepStatus {
    /// Returns true if nothing more happens to the step in this epoch.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Success | Self::Error | Self::Cancelled | Self::Skipped)
    }
}

/// A planned step and its progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The step as planned.
    pub plan: PlannedStep,
    /// Its parameters as a parsed template.
    pub template: ParameterTemplate,
    /// The current status.
    pub status: StepStatus,
    /// The number of the last attempt; 0 before the first.
    pub attempt: u32,
    /// The generation: the effect that the attempts are to bring about. Each has its own idempotency key.
    pub generation: u32,
    /// Number of retries after a failure.
    pub retries: u32,
    /// Number of calls whose end Praxis did not see, because it stopped.
    pub losses: u32,
    /// Start of the last attempt.
    pub started_at: Option<Timestamp>,
    /// End of the last attempt.
    pub finished_at: Option<Timestamp>,
    /// The call of this generation; every attempt sends the same.
    pub sent: Option<SentCall>,
    /// The budget reserved for the model call that the step makes now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    /// True if `check_with` could not tell the effect of this generation.
    pub checked: bool,
    /// The last fault; cleared by a success.
    pub fault: Option<Fault>,
    /// True if the last completed call timed out; a lost call does not change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_slow: bool,
    /// True if a person approved this generation.
    pub approved: bool,
    /// The fingerprint of the call that was approved; `None` if a plan was approved and not this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_print: Option<String>,
    /// Values that replace planned parameters, by JSON pointer: from a person, a recovery rung, a slot or a fork.
    pub given: BTreeMap<String, ParameterOverride>,
    /// True if missing parameter values were looked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_filled: bool,
    /// Number of such look-ups.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fills: u32,
    /// True if a person allowed a model to guess unknown values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_guessed: bool,
    /// Number of its dependencies and incoming edges that are not settled yet.
    pub open: u32,
    /// Number of incoming edges that were taken.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub taken: u32,
    /// The step whose frame contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<StepIndex>,
    /// The steps that depend on it.
    pub dependents: Vec<Dependent>,
    /// The length of the longest chain from this step to the end of the plan, in expected milliseconds.
    pub rank: u64,
    /// The plan revision that added it.
    #[serde(default)]
    pub revision: u32,
    /// True if a later revision gave it up; its output is recorded and never used.
    #[serde(default)]
    pub dropped: bool,
}

/// A step that depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependent {
    /// The dependent step.
    pub step: StepIndex,
    /// The condition that it waits for.
    pub needs: StepNeeds,
}

/// The condition under which a dependent step can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepNeeds {
    /// The other step must succeed.
    Success,
    /// The other step must end, with any status.
    End,
    /// The incoming edge with this index in the dependent's `ways()` must be decided: taken or not.
    Way(u32),
}

/// A call as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentCall {
    /// The tool, if it differs from the planned one.
    pub tool: Option<ToolId>,
    /// The arguments; `null` at each hole.
    pub arguments: Payload,
    /// Values that stay in blobs until the call is made.
    pub holes: Vec<Hole>,
}

impl SentCall {
    /// Returns the blobs that hold all or parts of the arguments.
    pub fn blobs(&self) -> Vec<BlobId> {
        let holes = self.holes.iter().map(|hole| hole.blob.clone());
        self.arguments.blob().cloned().into_iter().chain(holes).collect()
    }
}

/// A value that replaces a planned parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterOverride {
    /// The value.
    pub value: Value,
    /// The person, model or rule that set it.
    pub by: String,
    /// The question that it answers; `None` if it was set by a fork or not by a person.
    pub question: Option<QuestionId>,
    /// The recovery rung that set it, and the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<(RecoveryRung, String)>,
    /// True if a rule removed the planned parameter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// The source and the confidence of a value that filled a slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<(SlotSource, u32)>,
}

impl Step {
    /// Creates a step in its initial state.
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

    /// Returns the tool that the next attempt calls.
    pub fn tool(&self) -> &ToolId {
        self.sent.as_ref().and_then(|sent| sent.tool.as_ref()).unwrap_or(&self.plan.tool)
    }

    /// Returns true if the step is to run now that all its needs are settled: it has no incoming edges, or one was
    /// taken.
    pub fn is_due(&self) -> bool {
        self.plan.ways().is_empty() || self.taken > 0
    }

    /// Returns the duration of the last attempt.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.finished_at?.since(self.started_at?))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Returns true if missing parameters of the step are filled. Only steps of flows are.
pub fn is_filled(step: &Step) -> bool {
    step.plan.node.as_ref().is_some_and(|node| node.fill.unwrap_or(true))
}
