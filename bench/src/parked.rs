//! A hundred thousand tasks that wait for a person.

use crate::child;
use crate::report::FigureLine;
use crate::rig::{Stopwatch, engine, folder, request, rss_mib, runtime};
use anyhow::{Context, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use praxis_adapters::sqlite::JournalReader;
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::arrival::TaskCommand;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const TASKS: usize = 100_000;
const AT_ONCE: usize = 256;
/// Tasks submitted before memory is measured for the first time.
const WARM_UP: usize = 1000;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let folder = folder()?;
    let number = |told: &Value, name| told.get(name).and_then(Value::as_f64).context("no figure");
    let parked = child::run("park", folder.path())?;
    emit(FigureLine::praxis("parked", "rss_mib", number(&parked, "rss_mib")?).at_most(100.0));
    let back = child::run("unpark", folder.path())?;
    emit(FigureLine::praxis("parked", "ready_s", number(&back, "ready_s")?).at_most(5.0));
    emit(FigureLine::praxis("parked", "answer_ms", number(&back, "answer_ms")?));
    Ok(())
}

fn tools() -> ScriptedTools {
    ScriptedTools::quiet(json!({"id": "give", "risk": "read"}), |call| Ok(call.arguments.clone()))
}

/// Submits tasks that ask a question at once, and returns the memory that they took.
pub(crate) fn park(folder: &Path) -> anyhow::Result<Value> {
    runtime()?.block_on(async {
        let tools = tools();
        let engine = engine(folder, tools.clone())?;
        let step = json!({"step_id": "s", "tool": "give", "parameters": {"v": "{{nowhere}}"}});
        let request = request(&tools, &json!({"steps": [step]}), RunOptions::default())?;
        let submit = |_| {
            let (engine, request) = (engine.clone(), request.clone());
            async move {
                let accepted = engine.submit(request).await?;
                engine.finished(&accepted.task).await;
                anyhow::Ok(())
            }
        };
        let all = |count| stream::iter(0..count).map(submit).buffer_unordered(AT_ONCE);
        all(WARM_UP).try_for_each(|()| async { Ok(()) }).await?;
        let before = rss_mib()?;
        all(TASKS - WARM_UP).try_for_each(|()| async { Ok(()) }).await?;
        anyhow::Ok(json!({"rss_mib": rss_mib()? - before}))
    })
}

/// Measures the time from the start of the engine until `recover` returns, then the time to answer one question.
pub(crate) fn ready(folder: &Path) -> anyhow::Result<Value> {
    let watch = Stopwatch::start();
    runtime()?.block_on(async {
        let engine = engine(folder, tools())?;
        engine.recover().await?;
        let ready_s = watch.seconds();
        let reader = JournalReader::open(&folder.join("praxis.db"))?;
        let task = reader.last()?.context("there is no task")?;
        let state = State::replay(&reader.entries(&task, 0)?)?;
        let question = state.questions.keys().next().context("nobody waits")?.clone();
        let values = BTreeMap::from([("/v".to_owned(), json!(1))]);
        let (answer, by) = (QuestionAnswer::Values { values }, "bench".to_owned());
        let watch = Stopwatch::start();
        engine.command(&task, TaskCommand::Answer { question, answer, by }).await?;
        engine.finished(&task).await;
        let answer_ms = watch.seconds() * 1000.0;
        let state = State::replay(&reader.entries(&task, 0)?)?;
        ensure!(state.status() == TaskStatus::Completed, "the answered task did not end");
        anyhow::Ok(json!({"ready_s": ready_s, "answer_ms": answer_ms}))
    })
}
