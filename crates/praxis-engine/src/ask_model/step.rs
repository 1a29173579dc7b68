//! Makes the model call of a step: the reply is streamed while it arrives, and becomes the output of the step.

use crate::arrival::{Arrival, UnsuccessfulCall};
use crate::driver::TaskDriver;
use crate::engine::{EngineInner, LiveText, LiveTextSource};
use crate::large::{BlobRoom, keep};
use crate::perform::{fill, unfinished};
use crate::seams::{FailedCall, Model, ModelAnswered, ModelCallFailed};
use crate::stop::StopSignal;
use crate::tools::ReadyTool;
use futures::FutureExt;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::TokenUsage;
use praxis_core::ask::request::ModelRequest;
use praxis_core::call::chunk::{FoldedOutput, OutputChunk};
use praxis_core::dataflow::context::StepIndex;
use praxis_core::execute::model_step::situation::ModelCallContext;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_core::payload::Payload;
use praxis_core::recover::retry::patience_ms;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Maximum timeout of `Callable::about`.
const LONGEST_TELLING_MS: u64 = 30_000;

/// Starts the model call of a step; the result arrives in the driver's inbox as `Arrival::Returned`.
pub(crate) fn ask(driver: &TaskDriver, index: StepIndex) {
    let Some(step) = driver.state.step_at(index) else { return };
    let Some(ready) = driver.tools.get(step.tool()) else { return };
    let timeout_ms = patience_ms(&driver.state, step, ready.contract.timeout_ms);
    let (outbox, attempt) = (driver.outbox.clone(), step.attempt);
    let mut situation = ModelCallContext::of(&driver.state, step, &driver.tools);
    let telling: Vec<Arc<ReadyTool>> = situation
        .iter()
        .flat_map(ModelCallContext::telling)
        .filter_map(|tool| driver.tools.get(tool).map(Arc::clone))
        .collect();
    let pinned_model = driver.state.step_model().map(|(pinned_model, _)| pinned_model.clone());
    let sent = step.sent.clone();
    let node = step.plan.node.as_ref();
    let to_user = node.and_then(|node| node.to_user).unwrap_or_default();
    let by = LiveTextSource::Step { step: step.plan.id.clone(), attempt };
    let (engine, stop) = (Arc::clone(&driver.engine), driver.stop.subscribe());
    let (task, tool) = (driver.task.clone(), step.tool().clone());
    tokio::spawn(async move {
        let asked = async {
            let (Some(pinned_model), Some(sent), Some(situation)) =
                (pinned_model, sent, &mut situation)
            else {
                return (Err(Fault::ModelNeeded.into()), None);
            };
            let arguments = match fill(&*engine.blobs, sent.arguments, &sent.holes, &tool).await {
                Ok(arguments) => arguments,
                Err(fault) => return (Err(fault.into()), None),
            };
            let unless_stopped = stop.clone();
            let told = told(&telling, timeout_ms);
            for (tool, words) in stopped_or(told, (index, unless_stopped)).await.unwrap_or_default()
            {
                situation.hears(&tool, &words);
            }
            let request = match situation.request(&arguments, &pinned_model) {
                Ok(request) => request,
                Err(fault) => return (Err(fault.into()), None),
            };
            let Some(model) = engine.models.get(&pinned_model.model) else {
                return (Err(Fault::ModelNeeded.into()), None);
            };
            let spoken = LiveText { task: task.clone(), by, delta: Delta::ReclassifyAsReasoning };
            let listener = to_user.then_some((&*engine, spoken));
            let asked =
                ModelCallInFlight { model: &*model, request: &request, timeout_ms, listener };
            let (answer, usage) = asked.answer((index, stop)).await;
            (answer.and_then(|reply| Ok(situation.output(&arguments, &reply)?)), usage)
        };
        let (result, usage): (Result<Value, FailedCall>, Option<TokenUsage>) = asked.await;
        let result = kept(&engine, &task, result).await;
        // If the driver is gone, nobody needs the outcome: the call is recorded as lost on resume.
        let _ = outbox.send(Arrival::Returned { step: index, attempt, result, usage }).await;
    });
}

/// Asks each tool for its `about` text; a failure is passed on as the text.
async fn told(telling: &[Arc<ReadyTool>], timeout_ms: u64) -> Vec<(ToolId, String)> {
    let timeout_ms = timeout_ms.min(LONGEST_TELLING_MS);
    let one = |ready: &Arc<ReadyTool>| {
        let ready = Arc::clone(ready);
        async move {
            let about = AssertUnwindSafe(ready.call.about(timeout_ms)).catch_unwind();
            let words = match tokio::time::timeout(Duration::from_millis(timeout_ms), about).await {
                Ok(Ok(Ok(words))) => words,
                Ok(Ok(Err(fault))) => fault.to_string(),
                Ok(Err(_)) => "it panicked and tells nothing".to_owned(),
                Err(_) => "it did not tell in time".to_owned(),
            };
            (ready.tool.id.clone(), words)
        }
    };
    futures::future::join_all(telling.iter().map(one)).await
}

/// Awaits a future; returns `None` if the step is stopped first.
async fn stopped_or<T>(
    something: impl Future<Output = T>,
    (index, mut stop): (StepIndex, watch::Receiver<StopSignal>),
) -> Option<T> {
    tokio::select! {
        biased;
        it = something => Some(it),
        _ = stop.wait_for(|stop| stop.all || stop.steps.contains(&index)) => None,
    }
}

async fn kept(
    engine: &EngineInner,
    task: &praxis_core::ids::TaskId,
    result: Result<Value, FailedCall>,
) -> Result<Payload, UnsuccessfulCall> {
    match result {
        Ok(output) => keep(&*engine.blobs, Arc::new(output), BlobRoom::Awaited(engine, task))
            .await
            .map_err(|error| {
                let fault = praxis_core::ask::fault::ModelFault::ModelUnreachable {
                    message: error.to_string(),
                };
                Fault::ModelFailed { fault: Box::new(fault) }.into()
            }),
        Err(failed) => Err(unfinished(engine, task, failed).await),
    }
}

/// A model call, and the receiver of its live text.
struct ModelCallInFlight<'a> {
    model: &'a dyn Model,
    request: &'a ModelRequest,
    timeout_ms: u64,
    listener: Option<(&'a EngineInner, LiveText)>,
}

impl ModelCallInFlight<'_> {
    async fn answer(
        self,
        (index, mut stop): (StepIndex, watch::Receiver<StopSignal>),
    ) -> (Result<praxis_core::ask::reply::ModelReply, FailedCall>, Option<TokenUsage>) {
        let mut heard = FoldedOutput::default();
        let mut said = |delta: Delta| {
            // Reasoning is not shown to the user.
            let told = self.listener.as_ref().filter(|_| !matches!(delta, Delta::Reasoning(_)));
            if let Some((engine, spoken)) = told {
                engine.speak(LiveText { delta: delta.clone(), ..spoken.clone() });
            }
            if let Delta::Text(words) = delta {
                heard.add(OutputChunk::Text(words));
            }
        };
        let ask = AssertUnwindSafe(self.model.ask(self.request, &mut said)).catch_unwind();
        let timed = tokio::time::timeout(Duration::from_millis(self.timeout_ms), ask);
        let silent = |fault: praxis_core::ask::fault::ModelFault| Fault::ModelFailed {
            fault: Box::new(fault),
        };
        let ended = tokio::select! {
            biased;
            ended = timed => match ended {
                Ok(Ok(Ok(ModelAnswered { reply, spent }))) => {
                    let usage = reply.usage.plus(spent);
                    return (Ok(reply), Some(usage));
                }
                Ok(Ok(Err(ModelCallFailed { fault, spent }))) => (silent(fault), Some(spent)),
                Ok(Err(_)) => {
                    let message = "the client panicked".to_owned();
                    (silent(praxis_core::ask::fault::ModelFault::ModelUnreachable { message }), None)
                }
                Err(_) => {
                    let after_ms = self.timeout_ms;
                    (silent(praxis_core::ask::fault::ModelFault::ModelSilent { after_ms }), None)
                }
            },
            _ = stop.wait_for(|stop| stop.all || stop.steps.contains(&index)) => {
                (Fault::Cancelled { reason: "the task is stopping".to_owned() }, None)
            }
        };
        let (fault, usage) = ended;
        (Err(FailedCall { fault, output: heard.unfinished() }), usage)
    }
}
