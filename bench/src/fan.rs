//! W2: one step, then a hundred parallel steps of 10 ms, then one that depends on all of them.

use crate::report::FigureLine;
use crate::rig::{self, Stopwatch, engine, folder, request, runtime};
use praxis_core::journal::options::RunOptions;
use praxis_testkit::tools::{ScriptedTools, ToolScript};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const WIDTH: usize = 100;
const SLEEP: Duration = Duration::from_millis(10);

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let script: ToolScript = Arc::new(|call| {
        Box::pin(async move {
            rig::sleep(SLEEP).await;
            Ok(json!({"n": call.arguments.get("n").cloned().unwrap_or(Value::Null)}))
        })
    });
    let tools = ScriptedTools::default()
        .answering(json!({"id": "instant", "risk": "read"}), |_| Ok(json!({"n": 1})))
        .with(json!({"id": "sleep", "risk": "read"}), script);
    let options = RunOptions { parallel_max_concurrent: 128, ..RunOptions::default() };
    let request = request(&tools, &plan(), options)?;
    let (makespan, submitted) = runtime()?.block_on(async {
        let folder = folder()?;
        let engine = engine(folder.path(), tools)?;
        let mut best = (f64::MAX, 0.0);
        for _ in 0..20 {
            let intake = Stopwatch::start();
            let accepted = engine.submit(request.clone()).await?;
            let (submitted, makespan) = (intake.seconds(), Stopwatch::start());
            engine.finished(&accepted.task).await;
            let makespan = makespan.seconds();
            if makespan < best.0 {
                best = (makespan, submitted);
            }
        }
        anyhow::Ok(best)
    })?;
    // Measured from the moment at which the task is durable, as in the scheduler suite. The first and the last step
    // take no time, so the ideal is one `SLEEP`.
    emit(FigureLine::praxis("W2", "x_ideal", makespan / SLEEP.as_secs_f64()).at_most(1.5));
    emit(FigureLine::praxis("W2", "submit_ms", submitted * 1000.0));
    Ok(())
}

fn plan() -> Value {
    let middle = |n: usize| {
        let parameters = json!({"n": "{{first.outputs.n}}"});
        json!({"step_id": format!("middle_{n}"), "tool": "sleep", "parameters": parameters})
    };
    let mut steps = vec![json!({"step_id": "first", "tool": "instant"})];
    steps.extend((0..WIDTH).map(middle));
    let all: Vec<String> = (0..WIDTH).map(|n| format!("middle_{n}")).collect();
    steps.push(json!({"step_id": "last", "tool": "instant", "depends_on": all}));
    json!({ "steps": steps })
}
