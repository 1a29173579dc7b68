//! Converts a workflow to a plan in which every task is a step that sleeps.

use super::workflow::{SLOTS, Task, TimedWorkflow};
use crate::rig;
use futures::future::BoxFuture;
use praxis_core::fault::Fault;
use praxis_core::ids::StepId;
use praxis_core::journal::options::RunOptions;
use praxis_engine::seams::Invocation;
use praxis_engine::submit::PlanRequest;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The function with which a step sleeps.
pub(crate) type SleepFn = Arc<dyn Fn(StepId, Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// Returns the only tool, which sleeps for `seconds`.
pub(crate) fn tools(sleep: SleepFn) -> ScriptedTools {
    let manifest = json!({
        "id": "sleep",
        "risk": "read",
        "timeout": LONGEST_SECONDS,
        "input_schema": {
            "type": "object",
            "properties": {"seconds": {"type": "number"}},
            "required": ["seconds"],
        },
    });
    let script = move |call: Invocation| -> BoxFuture<'static, Result<Value, Fault>> {
        let seconds = call.arguments.get("seconds").and_then(Value::as_f64).unwrap_or_default();
        let asleep = sleep(call.step, duration(seconds));
        Box::pin(async move {
            asleep.await;
            Ok(json!({}))
        })
    };
    ScriptedTools::default().with(manifest, Arc::new(script))
}

/// Rounds to microseconds, so that whole milliseconds stay whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no time is so long")]
fn duration(seconds: f64) -> Duration {
    Duration::from_micros((seconds * 1e6).round() as u64)
}

/// Timeout of tool and task: longer than any makespan.
const LONGEST_SECONDS: u64 = 20_000_000;

/// Builds the request for a workflow, with every run time multiplied by `scale`.
pub(crate) fn request(
    workflow: &TimedWorkflow,
    scale: f64,
    tools: &ScriptedTools,
) -> anyhow::Result<PlanRequest> {
    let id = |index: &usize| workflow.tasks.get(*index).map(|task| task.id.as_str());
    let step = |task: &Task| {
        let seconds = task.runtime * scale;
        json!({
            "step_id": task.id,
            "tool": "sleep",
            "parameters": {"seconds": seconds},
            "depends_on": task.parents.iter().filter_map(id).collect::<Vec<_>>(),
            "expected_duration_sec": seconds,
        })
    };
    let document = json!({"steps": workflow.tasks.iter().map(step).collect::<Vec<_>>()});
    let options = RunOptions {
        parallel_max_concurrent: u32::try_from(SLOTS)?,
        task_timeout_ms: 1000 * LONGEST_SECONDS,
        ..RunOptions::default()
    };
    let request = rig::request(tools, &document, options)?;
    Ok(PlanRequest { goal: workflow.name.clone(), document: Some(document.to_string()), ..request })
}
