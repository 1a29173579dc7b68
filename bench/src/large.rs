//! W3: ten steps, each with a result of 1 MiB that the next one reads.

use crate::child;
use crate::report::FigureLine;
use crate::rig::{disk_bytes, engine, folder, peak_rss_mib, request, runtime};
use praxis_core::journal::options::RunOptions;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Value, json};
use std::path::Path;

const STEPS: usize = 10;
const SIZE: usize = 1 << 20;
const MIB: f64 = 1_048_576.0;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let folder = folder()?;
    let told = child::run("large", folder.path())?;
    let peak = told.get("rss_peak_mib").and_then(Value::as_f64).unwrap_or(f64::MAX);
    emit(FigureLine::praxis("W3", "rss_peak_mib", peak).at_most(100.0));
    let disk = disk_bytes(folder.path())? / MIB / STEPS as f64;
    emit(FigureLine::praxis("W3", "disk_mib_per_step", disk).at_most(1.05));
    Ok(())
}

/// Runs the workload in a process of its own, so that its peak memory is measured alone.
pub(crate) fn alone(folder: &Path) -> anyhow::Result<Value> {
    let manifest = json!({"id": "grow", "risk": "read"});
    let tools = ScriptedTools::quiet(manifest, |call| {
        let n = call.arguments.get("n").and_then(Value::as_u64).unwrap_or_default();
        // Every result is different: equal contents would be stored only once.
        Ok(json!({"text": n.to_string().repeat(SIZE).chars().take(SIZE).collect::<String>()}))
    });
    let step = |n: usize| {
        let before =
            if n == 0 { json!(null) } else { json!(format!("{{{{s{}.outputs.text}}}}", n - 1)) };
        json!({"step_id": format!("s{n}"), "tool": "grow", "parameters": {"n": n, "before": before}})
    };
    let plan = json!({"steps": (0..STEPS).map(step).collect::<Vec<_>>()});
    let request = request(&tools, &plan, RunOptions::default())?;
    runtime()?.block_on(async {
        let engine = engine(folder, tools)?;
        let accepted = engine.submit(request).await?;
        engine.finished(&accepted.task).await;
        anyhow::Ok(json!({"rss_peak_mib": peak_rss_mib()?}))
    })
}
