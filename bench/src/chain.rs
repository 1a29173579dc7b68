//! W1: tasks of ten dependent no-op steps, each reading the output of the one before.

use crate::limits::RawLimits;
use crate::report::FigureLine;
use crate::rig::{self, Stopwatch, cpu_seconds, engine, folder, median, runtime};
use praxis_core::fault::Fault;
use praxis_core::journal::options::RunOptions;
use praxis_engine::engine::Engine;
use praxis_engine::seams::Invocation;
use praxis_engine::submit::PlanRequest;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) const STEPS: usize = 10;
pub(crate) const TASKS_AT_ONCE: usize = 64;
const TASKS: usize = 4096;

pub(crate) fn manifest() -> Value {
    json!({
        "id": "add_one",
        "risk": "read",
        "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    })
}

pub(crate) fn add_one(call: &Invocation) -> Result<Value, Fault> {
    let n = call.arguments.get("n").and_then(Value::as_i64).unwrap_or_default();
    Ok(json!({"n": n + 1}))
}

pub(crate) fn tools() -> ScriptedTools {
    ScriptedTools::quiet(manifest(), add_one)
}

pub(crate) fn request(tools: &ScriptedTools, steps: usize) -> anyhow::Result<PlanRequest> {
    Ok(rig::request(tools, &json!({"steps": plan(steps)}), RunOptions::default())?)
}

/// Builds the same plan with a last step whose placeholder cannot be resolved, so that the task waits for a person.
pub(crate) fn waiting(tools: &ScriptedTools, steps: usize) -> anyhow::Result<PlanRequest> {
    let mut plan = plan(steps);
    let (last, n) = (format!("step_{steps}"), json!({"n": "{{nowhere}}"}));
    plan.push(json!({"step_id": "ask", "tool": "add_one", "parameters": n, "depends_on": [last]}));
    Ok(rig::request(tools, &json!({ "steps": plan }), RunOptions::default())?)
}

fn plan(steps: usize) -> Vec<Value> {
    let step = |index: usize| {
        let n =
            if index == 0 { json!(0) } else { json!(format!("{{{{step_{}.outputs.n}}}}", index)) };
        json!({"step_id": format!("step_{}", index + 1), "tool": "add_one", "parameters": {"n": n}})
    };
    (0..steps).map(step).collect()
}

pub(crate) fn run(limits: &RawLimits, emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let folder = folder()?;
        let tools = tools();
        let engine = engine(folder.path(), tools.clone())?;
        let seen = subscribe(&engine);
        let (watch, cpu) = (Stopwatch::start(), cpu_seconds());
        submit_all(&engine, &request(&tools, STEPS)?).await?;
        let steps = (TASKS * STEPS) as f64;
        let per_s = steps / watch.seconds();
        emit(
            FigureLine::praxis("W1", "conc64_steps_per_s", per_s)
                .at_least(4.0 * limits.wal_full_commits_per_s),
        );
        let us = (cpu_seconds() - cpu) * 1e6 / steps;
        emit(FigureLine::praxis("W1", "conc64_cpu_us_per_step", us).at_most(60.0));
        emit(FigureLine::praxis("W1", "events_seen", seen.load(Ordering::Relaxed) as f64));
        serial(&engine, &request(&tools, 1000)?, limits, emit).await
    })
}

fn subscribe(engine: &Engine) -> Arc<AtomicUsize> {
    let seen = Arc::new(AtomicUsize::new(0));
    let (mut events, count) = (engine.subscribe(), Arc::clone(&seen));
    tokio::spawn(async move {
        while let Ok(published) = events.recv().await {
            count.fetch_add(published.entries.len(), Ordering::Relaxed);
        }
    });
    seen
}

async fn submit_all(engine: &Engine, request: &PlanRequest) -> anyhow::Result<()> {
    let next = Arc::new(AtomicUsize::new(0));
    let worker = || {
        let (engine, request, next) = (engine.clone(), request.clone(), Arc::clone(&next));
        tokio::spawn(async move {
            while next.fetch_add(1, Ordering::Relaxed) < TASKS {
                let accepted = engine.submit(request.clone()).await?;
                engine.finished(&accepted.task).await;
            }
            anyhow::Ok(())
        })
    };
    for worker in (0..TASKS_AT_ONCE).map(|_| worker()).collect::<Vec<_>>() {
        worker.await??;
    }
    Ok(())
}

async fn serial(
    engine: &Engine,
    request: &PlanRequest,
    limits: &RawLimits,
    emit: &mut dyn FnMut(FigureLine),
) -> anyhow::Result<()> {
    let mut events = engine.subscribe();
    let accepted = engine.submit(request.clone()).await?;
    let mut watch = Stopwatch::start();
    let mut times = Vec::new();
    while times.len() < 990 {
        let published = events.recv().await?;
        if published.task == accepted.task {
            times.push(watch.seconds() * 1000.0);
            watch = Stopwatch::start();
        }
    }
    engine.finished(&accepted.task).await;
    emit(
        FigureLine::praxis("W1", "serial_step_p50_ms", median(times))
            .at_most(1.5 * limits.commit_p50_ms),
    );
    Ok(())
}
