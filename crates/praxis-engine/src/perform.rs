//! Makes tool calls: fills in blobs, enforces the timeout, catches panics, stores large outputs.

use crate::arrival::{Arrival, UnsuccessfulCall};
use crate::driver::TaskDriver;
use crate::engine::{EngineInner, LiveText, LiveTextSource};
use crate::large::{self, BlobRoom, keep};
use crate::seams::{BlobError, Blobs, FailedCall, Invocation};
use crate::stop::StopSignal;
use crate::tools::ReadyTool;
use futures::{FutureExt, TryStreamExt};
use praxis_core::ask::reasoning::Delta;
use praxis_core::call::chunk::{FoldedOutput, OutputChunk};
use praxis_core::dataflow::context::StepIndex;
use praxis_core::dataflow::resolve::Hole;
use praxis_core::document::DEEPEST;
use praxis_core::execute::started::too_deep;
use praxis_core::execute::written;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::intake::node::FlowNode;
use praxis_core::journal::outcome::CheckVerdict;
use praxis_core::payload::{Payload, depth_is_within};
use praxis_core::recover::retry::patience_ms;
use praxis_core::schema::Schema;
use praxis_core::slot::merge::merge;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Limit on streamed text, in bytes, for a tool whose manifest sets no `output_bytes`.
const MOST_TEXT_BYTES: u64 = 16 << 20;
/// Maximum timeout of a `check_with` call.
const LONGEST_CHECK_MS: u64 = 60_000;

/// Starts the tool call of a step; the result arrives in the driver's inbox as `Arrival::Returned`.
pub(crate) fn make_call(driver: &TaskDriver, index: StepIndex) {
    let Some(step) = driver.state.step_at(index) else { return };
    let (outbox, attempt) = (driver.outbox.clone(), step.attempt);
    let arrival = move |result| Arrival::Returned { step: index, attempt, result, usage: None };
    let (Some(ready), Some(sent)) = (driver.tools.get(step.tool()), &step.sent) else {
        let fault = Fault::ToolNotFound { tool: step.tool().clone() };
        tokio::spawn(async move { outbox.send(arrival(Err(fault.into()))).await });
        return;
    };
    let invocation = Invocation {
        task: driver.task.clone(),
        step: step.plan.id.clone(),
        attempt,
        key: driver.state.effect_key(step),
        arguments: Value::Null,
        timeout_ms: patience_ms(&driver.state, step, ready.contract.timeout_ms),
        written: written::texts(&driver.state, step),
    };
    let node = step.plan.node.clone();
    let to_user = node.as_ref().and_then(|node| node.to_user);
    let to_user = to_user.or(ready.tool.to_user).unwrap_or_default();
    let (arguments, holes) = (sent.arguments.clone(), sent.holes.clone());
    let (ready, engine, stop) =
        (Arc::clone(ready), Arc::clone(&driver.engine), driver.stop.subscribe());
    let task = driver.task.clone();
    tokio::spawn(async move {
        let result = async {
            let arguments = fill(&*engine.blobs, arguments, &holes, &ready.tool.id).await?;
            if !holes.is_empty() {
                check_arguments(&ready, &arguments)?;
            }
            let listener = to_user.then_some(&*engine);
            let asked = ToolCallInFlight { ready: &ready, index, stop, listener };
            match run(asked, Invocation { arguments, ..invocation }).await {
                Ok(output) => {
                    let errors = output_errors(&ready, node.as_deref(), &output);
                    checked(&engine, &task, &ready, (output, errors)).await
                }
                Err(failed) => Err(unfinished(&engine, &task, failed).await),
            }
        };
        // If the driver is gone, nobody needs the outcome: the call is recorded as lost on resume.
        let _ = outbox.send(arrival(result.await)).await;
    });
}

/// Validates arguments that were not complete before: some of their values were in blobs.
fn check_arguments(ready: &ReadyTool, arguments: &Value) -> Result<(), Fault> {
    let errors = ready.input_errors(arguments);
    if errors.is_empty() { Ok(()) } else { Err(Fault::ParamsInvalid { errors }) }
}

/// Starts the `check_with` call that finds out if a call in doubt took effect.
pub(crate) fn make_check(driver: &TaskDriver, index: StepIndex) {
    let Some(step) = driver.state.step_at(index) else { return };
    let contract = driver.state.contract(step.tool());
    let checker = contract.and_then(|contract| contract.check_with.as_ref());
    let ready = checker.and_then(|tool| driver.tools.get(tool)).map(Arc::clone);
    let sent = step.sent.clone();
    let (outbox, engine, stop) =
        (driver.outbox.clone(), Arc::clone(&driver.engine), driver.stop.subscribe());
    let key = driver.state.effect_key(step);
    let started_at = step.started_at.unwrap_or_default();
    let (task, step) = (driver.task.clone(), step.plan.id.clone());
    tokio::spawn(async move {
        let asking = async {
            let (ready, sent) = (ready?, sent?);
            let tool = ready.tool.id.clone();
            let arguments = fill(&*engine.blobs, sent.arguments, &sent.holes, &tool).await.ok()?;
            let arguments = json!({"key": key, "arguments": arguments, "started_at": started_at});
            let timeout_ms = ready.contract.timeout_ms.min(LONGEST_CHECK_MS);
            let invocation = Invocation {
                task: task.clone(),
                step,
                attempt: 1,
                key,
                arguments,
                timeout_ms,
                written: BTreeMap::new(),
            };
            let asked = ToolCallInFlight { ready: &ready, index, stop, listener: None };
            Some(match run(asked, invocation).await {
                Ok(answer) => verdict(&engine, &task, answer).await,
                Err(failed) => CheckVerdict::Unknown { fault: Some(failed.fault) },
            })
        };
        let verdict = asking.await.unwrap_or(CheckVerdict::Unknown { fault: None });
        let _ = outbox.send(Arrival::Checked { step: index, verdict }).await;
    });
}

async fn verdict(engine: &EngineInner, task: &TaskId, answer: Value) -> CheckVerdict {
    match answer.get("state").and_then(Value::as_str) {
        Some("done") => {
            let output = answer.get("output").cloned().unwrap_or(Value::Null);
            match keep(&*engine.blobs, Arc::new(output), BlobRoom::Awaited(engine, task)).await {
                Ok(output) => CheckVerdict::Done { output },
                Err(_) => CheckVerdict::Unknown { fault: None },
            }
        }
        Some("not_done") => CheckVerdict::NotDone,
        _ => CheckVerdict::Unknown { fault: None },
    }
}

/// A tool call, with its stop signal and the receiver of its live text.
struct ToolCallInFlight<'a> {
    ready: &'a ReadyTool,
    index: StepIndex,
    stop: watch::Receiver<StopSignal>,
    /// The engine that publishes streamed text, if the output is shown to the user.
    listener: Option<&'a EngineInner>,
}

/// Makes the call within its timeout. A panic becomes a fault; a stop signal drops the call.
async fn run(asked: ToolCallInFlight<'_>, invocation: Invocation) -> Result<Value, FailedCall> {
    let ToolCallInFlight { ready, index, mut stop, listener } = asked;
    let tool = || ready.tool.id.clone();
    let after_ms = invocation.timeout_ms;
    let mut heard = OutputCollector { folded: FoldedOutput::default(), ready, listener };
    let call = AssertUnwindSafe(heard.all(invocation)).catch_unwind();
    let timed = tokio::time::timeout(Duration::from_millis(after_ms), call);
    let ended = tokio::select! {
        biased;
        ended = timed => match ended {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => Err(Fault::Panicked { tool: tool(), message: words(&*panic) }.into()),
            Err(_) => Err(Fault::Timeout { tool: tool(), after_ms }.into()),
        },
        _ = stop.wait_for(|stop| stop.all || stop.steps.contains(&index)) => {
            Err(Fault::Cancelled { reason: "the task is stopping".to_owned() }.into())
        }
    };
    let folded = heard.folded;
    match ended {
        Ok(()) => Ok(folded.output()),
        // Streamed text may have been read by the user: keep it, though it is incomplete.
        Err(FailedCall { fault, output }) => {
            Err(FailedCall { fault, output: output.or_else(|| folded.unfinished()) })
        }
    }
}

/// Folds the chunks of an output.
struct OutputCollector<'a> {
    folded: FoldedOutput,
    ready: &'a ReadyTool,
    listener: Option<&'a EngineInner>,
}

impl OutputCollector<'_> {
    async fn all(&mut self, invocation: Invocation) -> Result<(), FailedCall> {
        let by =
            LiveTextSource::Step { step: invocation.step.clone(), attempt: invocation.attempt };
        let task = invocation.task.clone();
        let most = self.ready.tool.limits.output_bytes.unwrap_or(MOST_TEXT_BYTES);
        let mut chunks = self.ready.call.exec(invocation);
        while let Some(chunk) = chunks.try_next().await? {
            let said = match &chunk {
                OutputChunk::Text(text) => self.listener.map(|listener| (listener, text.clone())),
                OutputChunk::Data(_) => None,
            };
            self.folded.add(chunk);
            if self.folded.text_bytes() as u64 > most {
                let tool = self.ready.tool.id.clone();
                return Err(Fault::OutputTooLarge { tool, limit: most }.into());
            }
            if let Some((listener, text)) = said {
                let (task, by) = (task.clone(), by.clone());
                listener.speak(LiveText { task, by, delta: Delta::Text(text) });
            }
        }
        Ok(())
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no words".to_owned())
}

/// Reads the arguments, and replaces each hole with its value from a blob.
pub(crate) async fn fill(
    blobs: &dyn Blobs,
    arguments: Payload,
    holes: &[Hole],
    tool: &ToolId,
) -> Result<Value, Fault> {
    let refused = |error: BlobError| Fault::refused(tool.clone(), error.words());
    let mut value = match arguments {
        Payload::Json(value) => Arc::unwrap_or_clone(value),
        Payload::Blob(stored) => large::read(blobs, &stored.blob).await.map_err(refused)?,
    };
    for hole in holes {
        let whole = large::read(blobs, &hole.blob).await.map_err(refused)?;
        let missing = || refused(BlobError::Missing(hole.blob.clone()));
        hole.fill(&mut value, Cow::Owned(whole)).ok_or_else(missing)?;
    }
    Ok(value)
}

/// Validates an output against the tool's output schema, merged with the overrides of the flow node.
fn output_errors(ready: &ReadyTool, node: Option<&FlowNode>, output: &Value) -> Vec<FieldError> {
    if !depth_is_within(output, DEEPEST) {
        return vec![too_deep()];
    }
    let Some(node) = node.filter(|node| !node.output.is_empty()) else {
        return ready.output_errors(output);
    };
    let own = ready.tool.output_schema.clone().unwrap_or_else(|| json!({"type": "object"}));
    let unusable = |why: String| vec![FieldError::untranslated("", why)];
    match merge(&own, &node.output) {
        Ok(schema) => Schema::compile(&schema).map_or_else(unusable, |it| it.errors(output)),
        Err(errors) => errors,
    }
}

/// Converts a valid output to a `Payload`, or an invalid one to a fault.
async fn checked(
    engine: &EngineInner,
    task: &TaskId,
    ready: &ReadyTool,
    (output, errors): (Value, Vec<FieldError>),
) -> Result<Payload, UnsuccessfulCall> {
    let tool = ready.tool.id.clone();
    if !errors.is_empty() {
        let too_deep = !depth_is_within(&output, DEEPEST);
        let output = Some(output).filter(|_| !too_deep);
        let failed = FailedCall { fault: Fault::OutputInvalid { tool, errors }, output };
        return Err(unfinished(engine, task, failed).await);
    }
    if let Some(wanted) = ready.tool.not_empty.as_ref().filter(|it| it.is_broken_by(&output)) {
        let fault = Fault::OutputEmpty { tool, field: wanted.field.clone() };
        return Err(unfinished(engine, task, FailedCall { fault, output: Some(output) }).await);
    }
    keep(&*engine.blobs, Arc::new(output), BlobRoom::Awaited(engine, task)).await.map_err(|error| {
        let words = (format!("cannot store it: {error}"), format!("无法存储：{error}"));
        let errors = vec![FieldError::new("", words)];
        Fault::OutputInvalid { tool, errors }.into()
    })
}

/// Keeps the output of a failed call. If it cannot be stored it is dropped; the fault stays the same.
pub(crate) async fn unfinished(
    engine: &EngineInner,
    task: &TaskId,
    failed: FailedCall,
) -> UnsuccessfulCall {
    let FailedCall { fault, output } = failed;
    let output = match output.filter(|output| depth_is_within(output, DEEPEST)) {
        Some(output) => {
            keep(&*engine.blobs, Arc::new(output), BlobRoom::Awaited(engine, task)).await.ok()
        }
        None => None,
    };
    UnsuccessfulCall { fault, output }
}
