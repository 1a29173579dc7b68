//! Accepts plans and flows: they are checked, their tools are pinned, and the task is durable before it runs.

use crate::engine::Engine;
use crate::large::{BlobRoom, keep};
use crate::seams::{AppendError, BlobError, Blobs, ReadError, TaskOpening};
use crate::stopped::DriverStopped;
use crate::tools::{PinnedTools, ToolError};
use crate::unstored_blobs::UnstoredBlobs;
use praxis_core::call::tool::Toolbox;
use praxis_core::execute::slots::LOOK;
use praxis_core::flow;
use praxis_core::flow::compile::compile;
use praxis_core::flow::environment::FlowEnvironment;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::hash::content_hash;
use praxis_core::ids::{TaskId, Tenant, ToolId};
use praxis_core::intake::check::check;
use praxis_core::intake::plan::{Plan, PlannedStep};
use praxis_core::journal::event::{Event, RULES};
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::outcome::PlanOutcome;
use praxis_core::journal::submission::{FlowPin, ForkParent, StepModel, Submission};
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of steps in one plan event, which bounds its size.
const STEPS_PER_EVENT: usize = 100;

/// A plan or a flow to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanRequest {
    /// The goal in words.
    pub goal: String,
    /// The plan as written.
    pub plan: Plan,
    /// The tools that it may use.
    pub toolbox: Arc<Toolbox>,
    /// The caller's metadata.
    pub metadata: Map<String, Value>,
    /// The options of execution.
    pub options: RunOptions,
    /// The idempotency key: the same key means the same task.
    pub idempotency_key: Option<String>,
    /// The document that the plan was read from.
    pub document: Option<String>,
    /// The model that the steps may ask, and its budget.
    #[serde(rename = "minds", default)]
    pub step_model: Option<Box<StepModel>>,
    /// The flow to be run instead of a plan.
    #[serde(default)]
    pub flow: Option<Box<Bundle>>,
    /// The tenant that the task belongs to.
    pub tenant: Tenant,
    /// The task that it was forked from.
    pub parent: Option<ForkParent>,
}

/// The reply to an accepted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The task; it is durable.
    pub task: TaskId,
    /// True if the idempotency key already belonged to the task.
    pub replayed: bool,
}

/// The reason for which a request was refused. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The plan, the flow or the goal is invalid; contains all problems.
    #[error("the plan was rejected: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Problem>),
    /// A scene or a workflow that the request names does not exist.
    #[error("{0}")]
    Unknown(Box<Problem>),
    /// The journal cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// A tool cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The idempotency key belongs to a task with a different request.
    #[error("the idempotency key was already used by {0} for a different request")]
    KeyMismatch(TaskId),
    /// An intake limit is reached; a later attempt may succeed.
    #[error(transparent)]
    Crowded(AppendError),
    /// The task could not be made durable.
    #[error(transparent)]
    Stopped(#[from] DriverStopped),
}

impl Engine {
    /// Accepts a task. When this returns, the task is durable and its first steps start.
    pub async fn submit(&self, request: PlanRequest) -> Result<Accepted, SubmitError> {
        let (request, steps) = planned(request).map_err(SubmitError::Refused)?;
        let pinned = self.pinned_for(&steps, &request.toolbox).await?;
        let fingerprint = fingerprint(&request);
        let opening_key = request.idempotency_key.clone().map(|key| (key, fingerprint));
        let submission = self.submission(request, &pinned).await.map_err(DriverStopped::Blob)?;
        let opening = self.opening(&submission, opening_key);
        self.open(opening_events(submission, &steps), opening, (pinned, None)).await
    }

    /// Pins the tools of the steps.
    pub(crate) async fn pinned_for(
        &self,
        steps: &[PlannedStep],
        toolbox: &Toolbox,
    ) -> Result<PinnedTools, ToolError> {
        let mut wanted: BTreeSet<&ToolId> = BTreeSet::new();
        for step in steps {
            tools_of(step, &mut wanted);
        }
        // A model, if there is one, looks for missing inputs of a flow before a person is asked.
        let look = ToolId::from(LOOK);
        wanted.extend(steps.iter().any(|step| step.node.is_some()).then_some(&look));
        let wanted: Vec<&ToolId> = wanted.into_iter().collect();
        self.inner.tools.pin(toolbox, &wanted).await
    }

    /// Returns the data of a new task for the store.
    pub(crate) fn opening(
        &self,
        submission: &Submission,
        key: Option<(String, String)>,
    ) -> TaskOpening {
        TaskOpening {
            tenant: submission.tenant.clone(),
            goal: submission.goal.clone(),
            key,
            at: self.inner.clock.now(),
            intake_limits: self.inner.intake_limits,
        }
    }

    /// Makes a new task durable, together with the blobs that are not stored yet, and drives it.
    pub(crate) async fn open(
        &self,
        events: Vec<Event>,
        opening: TaskOpening,
        (tools, unstored): (PinnedTools, Option<Box<UnstoredBlobs>>),
    ) -> Result<Accepted, SubmitError> {
        let task = match events.first() {
            Some(Event::TaskSubmitted(submission)) => submission.task.clone(),
            _ => (self.inner.new_id)(),
        };
        // Take the seat before the task is durable: somebody who sees it cannot drive it a second time.
        let Some(mut driver) = self.seated(&task) else {
            return Err(
                DriverStopped::Append(AppendError::Conflict { expected: 0, found: 1 }).into()
            );
        };
        (driver.tools, driver.opening, driver.unstored) = (tools, Some(opening), unstored);
        let refused = match driver.advance(events).await {
            Ok(()) => {
                self.spawn(driver);
                return Ok(Accepted { task, replayed: false });
            }
            Err(refused) => refused,
        };
        match refused {
            DriverStopped::Append(AppendError::KeyTaken { task, same: true }) => {
                Ok(Accepted { task, replayed: true })
            }
            DriverStopped::Append(AppendError::KeyTaken { task, same: false }) => {
                Err(SubmitError::KeyMismatch(task))
            }
            DriverStopped::Append(
                over @ (AppendError::TooManyTasks { .. } | AppendError::TooManyRequests { .. }),
            ) => Err(SubmitError::Crowded(over)),
            DriverStopped::NoPlan(problems) => Err(SubmitError::Refused(problems)),
            stopped => Err(stopped.into()),
        }
    }

    async fn submission(
        &self,
        request: PlanRequest,
        pinned: &PinnedTools,
    ) -> Result<Submission, BlobError> {
        let task = (self.inner.new_id)();
        let metadata = kept_metadata(request.metadata, &task, &*self.inner.blobs).await?;
        let pin = request.flow.as_deref().map(pin_of);
        let written = || request.flow.as_ref().map(|bundle| bundle.text());
        let document = match request.document.or_else(written) {
            Some(text) => Some(self.inner.blobs.put(Arc::new(text.into_bytes())).await?),
            None => None,
        };
        Ok(Submission {
            task,
            tenant: request.tenant,
            goal: request.goal,
            plan_id: request.plan.plan_id,
            metadata,
            contracts: pinned.contracts(),
            options: request.options,
            rules: RULES,
            idempotency_key: request.idempotency_key,
            parent: request.parent,
            document,
            flow: pin,
            step_model: request.step_model,
            brief: None,
            tags: BTreeMap::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

/// Converts initial metadata to payloads, and adds a `session_id` if the caller gave none.
pub(crate) async fn kept_metadata(
    given: Map<String, Value>,
    task: &TaskId,
    blobs: &dyn Blobs,
) -> Result<BTreeMap<Arc<str>, Payload>, BlobError> {
    let mut metadata: BTreeMap<Arc<str>, Payload> = BTreeMap::new();
    for (key, value) in given {
        metadata.insert(key.into(), keep(blobs, Arc::new(value), BlobRoom::Needed).await?);
    }
    let session = task.as_str().replacen("task_", "session_", 1);
    metadata.entry("session_id".into()).or_insert_with(|| Payload::json(Value::from(session)));
    Ok(metadata)
}

/// Returns the name, version and source of a flow.
pub(crate) fn pin_of(bundle: &Bundle) -> FlowPin {
    let (name, version) = (bundle.flow.name.clone(), bundle.version());
    FlowPin { name, version, source: bundle.source.clone() }
}

/// Returns the checked steps of the plan, or of the flow after its defaults are added to the metadata.
fn planned(mut request: PlanRequest) -> Result<(PlanRequest, Vec<PlannedStep>), Vec<Problem>> {
    let Some(bundle) = &request.flow else {
        let plan = check(&request.plan, &request.toolbox, &request.metadata, &BTreeSet::new())?;
        return Ok((request, plan.steps));
    };
    let unknown = flow::inputs::unknown(&bundle.flow, &request.metadata);
    let (steps, problems) = match flow_steps(bundle, &request.toolbox, &mut request.metadata) {
        Ok(steps) => (steps, unknown),
        Err(problems) => (vec![], [problems, unknown].concat()),
    };
    if problems.is_empty() { Ok((request, steps)) } else { Err(problems) }
}

/// Checks and compiles a flow; adds the defaults of its inputs to `given`.
pub(crate) fn flow_steps(
    bundle: &Bundle,
    toolbox: &Toolbox,
    given: &mut Map<String, Value>,
) -> Result<Vec<PlannedStep>, Vec<Problem>> {
    let Bundle { flow, flows, .. } = bundle;
    let mut findings = FlowProblems::default();
    for flow in [flow].into_iter().chain(flows.values()) {
        flow::check::check(flow, FlowEnvironment { toolbox, flows }, &mut findings);
    }
    findings.problems.extend(flow::inputs::missing(flow, given));
    if !findings.problems.is_empty() {
        return Err(findings.problems);
    }
    flow::inputs::complete(flow, given);
    Ok(compile(flow, flows))
}

/// Collects the tools of a step and of the steps inside it.
fn tools_of<'a>(step: &'a PlannedStep, found: &mut BTreeSet<&'a ToolId>) {
    if !step.gathers() {
        found.insert(&step.tool);
    }
    let agent = step.body().and_then(|body| body.agent.as_ref());
    found.extend(agent.into_iter().flat_map(|agent| &agent.tools));
    let inner = step.body().into_iter().flat_map(|body| &body.steps);
    inner.for_each(|step| tools_of(step, found));
}

/// Returns the first events of a task: its submission and its plan.
pub(crate) fn opening_events(submission: Submission, steps: &[PlannedStep]) -> Vec<Event> {
    let mut events = vec![Event::TaskSubmitted(Box::new(submission))];
    let chunks = steps.chunks(STEPS_PER_EVENT);
    events.extend(chunks.map(|steps| Event::planned(1, steps.to_vec())));
    events.push(Event::closed(1, PlanOutcome::Complete));
    events
}

/// Returns the hash of the request, to detect one idempotency key with two different requests.
fn fingerprint(request: &PlanRequest) -> String {
    let flow = request.flow.as_ref().map(|bundle| bundle.version());
    let document = request.document.as_deref();
    let asked = (document, &request.goal, &request.metadata, &request.options);
    if let Some(flow) = flow {
        let written = serde_json::to_string(&(flow, asked)).unwrap_or_default();
        return content_hash(written.as_bytes());
    }
    content_hash(serde_json::to_string(&asked).unwrap_or_default().as_bytes())
}
