//! W7: a loop of forty thousand passes, each with its own variables and one call.

use crate::report::FigureLine;
use crate::rig::{self, Stopwatch, disk_bytes, engine, folder, median, rss_mib, runtime};
use anyhow::ensure;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Event;
use praxis_core::journal::options::RunOptions;
use praxis_engine::engine::PublishedEntries;
use praxis_engine::submit::PlanRequest;
use praxis_testkit::tools::ScriptedTools;
use serde_json::json;

const PASSES: usize = 40_000;
/// The number of passes whose first and last `PART` are compared by the gate.
const TOLD: usize = 10_000;
const PART: usize = 100;
/// The pass from which memory is compared: until then the store fills its page cache, which is bounded.
const WARM: usize = 30_000;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let folder = folder()?;
    let tools = ScriptedTools::quiet(json!({"id": "next", "risk": "read"}), |call| {
        let n = call.arguments.get("n").and_then(serde_json::Value::as_u64).unwrap_or_default();
        Ok(json!({"n": n + 1}))
    });
    let request = request(&tools)?;
    let (times, memory) = runtime()?.block_on(async {
        let engine = engine(folder.path(), tools)?;
        let mut events = engine.subscribe();
        let task = engine.submit(request).await?.task;
        let (mut times, mut watch, mut memory) = (Vec::new(), Stopwatch::start(), Vec::new());
        while times.len() < PASSES {
            for _ in 0..passes_begun(&*events.recv().await?, &task) {
                times.push(watch.seconds());
                watch = Stopwatch::start();
                if times.len() % 1000 == 0 && times.len() >= WARM {
                    memory.push(rss_mib()?);
                }
            }
        }
        engine.finished(&task).await;
        anyhow::Ok((times, memory))
    })?;
    let part = |from: usize, length: usize| median(times.iter().skip(from).take(length).copied());
    let ratio = part(TOLD - PART, PART) / part(1, PART);
    emit(FigureLine::praxis("W7", "last_over_first", ratio).at_most(1.1));
    // Over all passes the speed of the disk varies: reported without a gate.
    let (first, last) = (part(1, 10 * PART), part(PASSES - 10 * PART, 10 * PART));
    emit(FigureLine::praxis("W7", "last_over_first_of_40000", last / first));
    let (warm, end) = (memory.first(), memory.last());
    let grown = end.zip(warm).map_or(0.0, |(end, warm)| end - warm);
    emit(FigureLine::praxis("W7", "rss_growth_mib", grown).at_most(1.0));
    emit(FigureLine::praxis("W7", "us_per_pass", median(times) * 1e6));
    let disk = disk_bytes(folder.path())? / 1024.0 / PASSES as f64;
    emit(FigureLine::praxis("W7", "disk_kib_per_pass", disk));
    Ok(())
}

fn passes_begun(published: &PublishedEntries, task: &TaskId) -> usize {
    let begun = published.entries.iter().filter(|e| matches!(e.event, Event::PassStarted { .. }));
    if published.task == *task { begun.count() } else { 0 }
}

fn request(tools: &ScriptedTools) -> anyhow::Result<PlanRequest> {
    let written = json!({
        "flow": "passes",
        "nodes": [{
            "id": "each", "call": "Loop", "max": PASSES, "variables": {"n": 0},
            "until": {"all": [{"left": "{{n}}", "is": "at_least", "right": PASSES + 1}]},
            "nodes": [{"id": "a", "call": "next", "params": {"n": "{{n}}"}}],
            "set": {"n": "{{a.outputs.n}}"},
            "outputs": {"n": "{{n}}"},
        }],
        "outputs": {"n": "{{each.outputs.n}}"},
    });
    let mut findings = FlowProblems::default();
    let flow = read(&written, &mut findings);
    ensure!(findings.problems.is_empty(), "{:?}", findings.problems);
    let plan = json!({"steps": [{"step_id": "none", "tool": "next"}]});
    let request = rig::request(tools, &plan, RunOptions::default())?;
    Ok(PlanRequest { flow: Some(Box::new(Bundle { flow, ..Bundle::default() })), ..request })
}
