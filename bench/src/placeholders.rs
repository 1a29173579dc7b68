//! W6: 200 placeholders in an object of 50 fields, whole and embedded, with their origins.

use crate::report::FigureLine;
use crate::rig::{cpu_seconds, median};
use anyhow::{Context as _, ensure};
use praxis_core::dataflow::context::{Context, StepResult};
use praxis_core::dataflow::resolve::{LoadedBlobs, OnUnresolved, resolve};
use praxis_core::dataflow::template::ParameterTemplate;
use praxis_core::ids::StepId;
use praxis_core::payload::Payload;
use serde_json::{Map, Value, json};

const FIELDS: usize = 50;
const PLACEHOLDERS: usize = 200;
/// Enough rounds for the CPU clock, which ticks a hundred times a second.
const ROUNDS: usize = 10_000;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let context = context()?;
    let template = ParameterTemplate::parse(&parameters(), &context);
    let mut counted = 0;
    template.each_placeholder(&mut |_| counted += 1);
    ensure!(counted == PLACEHOLDERS, "{counted} placeholders");
    let blobs = LoadedBlobs::new();
    let mut samples = Vec::new();
    for _ in 0..5 {
        let before = cpu_seconds();
        for _ in 0..ROUNDS {
            let resolved = resolve(&template, &context, &blobs, OnUnresolved::Ask);
            let resolved = resolved.map_err(|misses| anyhow::anyhow!("{misses:?}"))?;
            ensure!(resolved.origins.len() == PLACEHOLDERS, "an origin is missing");
            std::hint::black_box(resolved);
        }
        samples.push((cpu_seconds() - before) * 1e9 / (ROUNDS * PLACEHOLDERS) as f64);
    }
    emit(FigureLine::praxis("W6", "ns_per_placeholder", median(samples)).at_most(150.0));
    Ok(())
}

/// Builds a context of five steps with nested outputs, and some metadata.
fn context() -> anyhow::Result<Context> {
    let initial = json!({"region": "north", "limits": {"low": 1, "high": [2, 3]}});
    let mut context = Context::of_values(initial.as_object().context("an object")?);
    for n in 0..5 {
        let id = StepId::from(format!("step_{n}"));
        let index = context.declare(&id);
        let output = json!({
            "id": format!("source_{n}"),
            "rows": [{"at": "2024-01-01", "load": {"mw": 812.5}}, {"at": "2024-01-02", "load": {"mw": 799}}],
            "meta": {"unit": {"name": "MW"}, "count": 2},
        });
        let result = StepResult {
            step_id: id,
            step_name: "read".into(),
            tool_id: "read".into(),
            output: Payload::json(output),
            is_success: true,
            error_message: None,
            duration_ms: 1,
        };
        context.record(index, result, &[]).map_err(|_| anyhow::anyhow!("not synced"))?;
    }
    Ok(context)
}

/// Builds four placeholders per field, in a text, a list and an object by turns, with paths of up to four parts.
fn parameters() -> Value {
    let field = |n: usize| {
        let step = n % 5;
        let load = format!("{{{{step_{step}.outputs.rows[1].load.mw}}}}");
        let limit = format!("{{{{metadata.limits.high[{}]}}}}", n % 2);
        let unit = format!(
            "unit {{{{step_{step}.outputs.meta.unit.name}}}} of ${{step_{step}.output.id}}"
        );
        let value = match n % 3 {
            0 => json!(format!("{load} MW, at most {limit}, {unit}")),
            1 => json!([load, limit, unit]),
            _ => json!({"load": load, "limit": limit, "unit": unit}),
        };
        (format!("field_{n}"), value)
    };
    Value::Object((0..FIELDS).map(field).collect::<Map<_, _>>())
}
