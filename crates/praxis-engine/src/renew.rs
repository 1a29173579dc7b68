//! Continues a failed or cancelled flow with its current version.
//!
//! - in: the task, and the current flow
//! - out: a new task that keeps the results of unchanged steps; the old task stays as it is
//! - never: continues while a call is in doubt

use crate::arrival::CommandError;
use crate::arrival::CommandRefusal;
use crate::engine::Engine;
use crate::fork::{self, ForkOrder, ForkPoint, inconsistent, invalid};
use crate::large;
use crate::refused::{OrderRefused, RefusedKind, no_step};
use crate::retry::can_be_reopened;
use crate::seams::{BlobError, Blobs};
use crate::stopped::DriverStopped;
use crate::submit::{self, Accepted, SubmitError, flow_steps, kept_metadata, pin_of};
use praxis_core::call::tool::Toolbox;
use praxis_core::flow::file::Bundle;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::intake::plan::PlannedStep;
use praxis_core::journal::submission::{EffectMode, StepModel, Submission};
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use praxis_core::recover::keep_done::inherited_by_plan;
use praxis_core::state::State;
use praxis_core::state::step::{Step, StepStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Metadata key present in every task; all other keys are inputs of its flow.
const SESSION: &str = "session_id";

/// The order to continue a task with the current version of its flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RenewOrder {
    /// The failed or cancelled task.
    pub task: TaskId,
    /// The current flow.
    pub flow: Bundle,
    /// The tools that it may use.
    pub toolbox: Arc<Toolbox>,
    /// The model that its steps may ask, if the task had none.
    #[serde(rename = "minds")]
    pub step_model: Option<Box<StepModel>>,
    /// A step that runs again in any case, with all steps after it.
    pub from: Option<StepId>,
    /// The person who gave the order.
    pub by: String,
}

impl Engine {
    /// Creates the new task. When this returns, the task is persisted and a driver is running it.
    pub async fn renew(&self, renew: RenewOrder) -> Result<Accepted, OrderRefused> {
        let running = || CommandError::from(CommandRefusal::Running);
        // The seat is kept until the end, so that no other driver can load the old task.
        let _seat = self.seated(&renew.task).ok_or_else(running)?;
        let entries = self.entries_of(&renew.task).await?;
        let old = State::replay(&entries).map_err(inconsistent)?;
        can_be_reopened(&old)?;
        check_flow_replaceable(&old, &renew.flow)?;
        let mut given = self.given(&old, &renew.flow).await.map_err(stopped)?;
        let steps =
            flow_steps(&renew.flow, &renew.toolbox, &mut given).map_err(with_input_advice)?;
        check_step_exists(renew.from.as_ref(), &steps)?;
        let pinned = self.pinned_for(&steps, &renew.toolbox).await.map_err(SubmitError::Tool)?;
        let mut submission = self.renewed(&renew, &old, given).await?;
        submission.contracts = pinned.contracts();
        let opening = self.opening(&submission, None);
        let mut events = submit::opening_events(submission, &steps);
        events.extend(inherited_by_plan(&old, &entries, &steps, renew.from.as_ref()));
        Ok(self.open(events, opening, (pinned, None)).await?)
    }

    /// Returns the inputs of the old task that the flow still has.
    async fn given(&self, old: &State, bundle: &Bundle) -> Result<Map<String, Value>, BlobError> {
        let mut given = Map::new();
        for (name, payload) in old.context.initial() {
            if !bundle.flow.inputs.contains_key(&**name) && **name != *SESSION {
                continue;
            }
            let value = match payload {
                Payload::Json(value) => (**value).clone(),
                Payload::Blob(stored) => large::read(&*self.inner.blobs, &stored.blob).await?,
            };
            given.insert(name.to_string(), value);
        }
        Ok(given)
    }

    /// Returns the `Submission` of a fork at the end of the task, with the current flow.
    async fn renewed(
        &self,
        renew: &RenewOrder,
        old: &State,
        given: Map<String, Value>,
    ) -> Result<Submission, OrderRefused> {
        let task = self.new_task();
        let fork = ForkOrder {
            task: renew.task.clone(),
            at: ForkPoint::Seq(old.seq),
            set: Map::new(),
            overrides: BTreeMap::new(),
            effects: EffectMode::Real,
            by: renew.by.clone(),
        };
        let metadata = kept_metadata(given, &task, &*self.inner.blobs).await.map_err(stopped)?;
        let text = Arc::new(renew.flow.text().into_bytes());
        let document = self.inner.blobs.put(text).await.map_err(stopped)?;
        let submission = fork::submission(&fork, old, old, task)?;
        Ok(Submission {
            metadata,
            flow: Some(pin_of(&renew.flow)),
            document: Some(document),
            step_model: submission.step_model.clone().or_else(|| renew.step_model.clone()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..submission
        })
    }
}

fn stopped(error: BlobError) -> SubmitError {
    SubmitError::Stopped(DriverStopped::Blob(error))
}

/// Checks that the flow can replace the one that the task ran, and that no call is in doubt.
fn check_flow_replaceable(old: &State, now: &Bundle) -> Result<(), OrderRefused> {
    let ran = old.submission.as_ref().and_then(|submission| submission.flow.as_ref());
    let Some(ran) = ran else {
        let words = ("the task did not run a flow", "该任务执行的不是流程");
        return Err(invalid(Problem::new("flow_changed", "", words)));
    };
    let (was, is) = (&ran.name, &now.flow.name);
    if was != is {
        let words = (
            format!("the task ran the flow `{was}`, but this flow is `{is}`"),
            format!("任务执行的流程是 `{was}`，而当前流程是 `{is}`"),
        );
        return Err(invalid(Problem::new("flow_changed", "flow", words)));
    }
    let doubt = |step: &Step| step.status == StepStatus::InDoubt;
    let Some((_, step)) = old.steps.everywhere().find(|(_, step)| doubt(step)) else {
        return Ok(());
    };
    let id = &step.plan.id;
    let words = (
        format!("it is unknown whether the call of step `{id}` took effect"),
        format!("无法确定步骤 `{id}` 的调用是否已生效"),
    );
    let next = (
        "run `praxis retry TASK --with original`: it asks about the call, then continues with the old version",
        "运行 `praxis retry TASK --with original`：先询问该调用是否已生效，再按旧版本继续",
    );
    Err(invalid(Problem::new("flow_changed", id.as_str(), words).next(next)))
}

/// Adds advice to problems about inputs that the current flow needs and the task was not given.
fn with_input_advice(problems: Vec<Problem>) -> OrderRefused {
    let told = |problem: Problem| {
        if problem.code != "flow_input" {
            return problem;
        }
        problem.next((
            "give the input a default, or run the flow from the start with `praxis flow run`",
            "为该输入设置默认值，或用 `praxis flow run` 从头执行流程",
        ))
    };
    let problems = problems.into_iter().map(told).collect();
    OrderRefused { kind: RefusedKind::Invalid, problems }
}

fn check_step_exists(from: Option<&StepId>, steps: &[PlannedStep]) -> Result<(), OrderRefused> {
    match from.filter(|id| steps.iter().all(|step| step.id != **id)) {
        Some(from) => Err(OrderRefused::new(RefusedKind::NotFound, no_step(from))),
        None => Ok(()),
    }
}
