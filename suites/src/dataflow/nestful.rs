//! NESTFUL: nested calls with `$label.field$` references, with a recorded run (v2) or without results (v1).

use super::case::{DeclaredTool, GoldPlan, GoldStep};
use super::nestful_specs::{Need, Specs, declare, open};
use super::reference::{CutReferences, ReferencePiece, expected, translate};
use super::sample::sample;
use crate::cases::rows;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Deserialize)]
struct NestfulDataflowRecord {
    #[serde(alias = "sample_id")]
    id: String,
    output: Vec<NestfulDataflowCall>,
    #[serde(default)]
    tools: Vec<Value>,
    #[serde(default)]
    trace: Vec<Traced>,
    gold_answer: Option<Value>,
}

#[derive(Deserialize)]
struct NestfulDataflowCall {
    name: String,
    arguments: Map<String, Value>,
    label: Option<String>,
}

#[derive(Deserialize)]
struct Traced {
    label: String,
    result: Value,
}

impl NestfulDataflowCall {
    /// Returns the id of the step: the label, or the name of the call that only collects results, which has no label.
    fn id(&self) -> &str {
        self.label.as_ref().map_or(&self.name, |label| label.trim_start_matches('$'))
    }
}

/// Splits a text such as `5 * $var1.Ask Price$` into literal text and references.
fn cut(text: &str) -> Vec<ReferencePiece> {
    let (mut pieces, mut literal, mut rest) = (Vec::new(), String::new(), text);
    while let Some(start) = rest.find('$') {
        let (before, after) = (&rest.get(..start), rest.get(start + 1..).unwrap_or_default());
        literal.push_str(before.unwrap_or_default());
        match after.split_once('$').and_then(|(inner, left)| Some((read(inner)?, left))) {
            Some((found, left)) => {
                if !literal.is_empty() {
                    pieces.push(ReferencePiece::Text(std::mem::take(&mut literal)));
                }
                pieces.push(found);
                rest = left;
            }
            None => {
                literal.push('$');
                rest = after;
            }
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() || pieces.is_empty() {
        pieces.push(ReferencePiece::Text(literal));
    }
    pieces
}

/// Parses a reference such as `var1.movies[0].title`; `None` if it does not begin with a label.
fn read(inner: &str) -> Option<ReferencePiece> {
    let flat = inner.replace('[', ".").replace(']', "");
    let mut parts = flat.split('.').map(str::to_owned);
    let step = parts.next()?;
    let number = step.strip_prefix("var")?.trim_start_matches('_');
    let is_label = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_label.then(|| ReferencePiece::Read { step, path: parts.collect() })
}

/// Reads the plans with a recorded run.
pub(crate) fn traced(folder: &Path) -> anyhow::Result<Vec<GoldPlan>> {
    Ok(rows(folder, "v2_")?.into_iter().map(traced_case).collect())
}

fn traced_case(row: NestfulDataflowRecord) -> GoldPlan {
    let declared = row.tools.iter().map(|spec| declare(spec, Need::UnlessSaidOtherwise));
    let declared: BTreeMap<String, DeclaredTool> =
        declared.map(|tool| (tool.id.clone(), tool)).collect();
    let used: BTreeSet<&str> = row.output.iter().map(|call| call.name.as_str()).collect();
    let mut only = BTreeMap::new();
    for call in &row.output {
        let field = declared.get(&call.name).and_then(single_output);
        only.insert(call.id(), field.unwrap_or("result"));
    }
    // A step with a single output satisfies any field name.
    let cut = |text: &str| {
        let single = |piece| match piece {
            ReferencePiece::Read { step, .. } => {
                let field = only.get(step.as_str()).copied().unwrap_or("result");
                ReferencePiece::Read { step, path: vec![field.to_owned()] }
            }
            text @ ReferencePiece::Text(_) => text,
        };
        cut(text).into_iter().map(single).collect()
    };
    // Arguments are computed from outputs: those in the trace were recorded after the call, which may have changed
    // them.
    let outputs = row.trace.iter().map(|traced| {
        let field = only.get(traced.label.as_str()).copied().unwrap_or("result");
        (traced.label.clone(), json!({field: traced.result}))
    });
    let outputs: BTreeMap<String, Value> = outputs.collect();
    let steps = steps(&row.output, &cut, &outputs);
    let last = row.output.last().and_then(|call| only.get(call.id()));
    let answer = row.gold_answer.as_ref().zip(last).map(|(gold, field)| json!({*field: gold}));
    let tools = used.into_iter().map(|id| declared.get(id).cloned().unwrap_or_else(|| open(id)));
    let tools = tools.map(|tool| tool.untyped().any_output()).collect();
    GoldPlan { id: row.id, steps, tools, answer, contradictions: BTreeSet::new() }
}

/// Converts calls to steps with the expected arguments and outputs.
fn steps(
    calls: &[NestfulDataflowCall],
    cut: CutReferences<'_>,
    outputs: &BTreeMap<String, Value>,
) -> Vec<GoldStep> {
    let step = |call: &NestfulDataflowCall| {
        let (parameters, reads) = translate(&call.arguments, cut);
        GoldStep {
            id: call.id().to_owned(),
            tool: call.name.clone(),
            parameters,
            reads,
            arguments: expected(&Value::Object(call.arguments.clone()), cut, outputs),
            output: outputs.get(call.id()).cloned().unwrap_or_default(),
        }
    };
    calls.iter().map(step).collect()
}

fn single_output(tool: &DeclaredTool) -> Option<&str> {
    let properties = tool.output_schema.get("properties")?.as_object()?;
    properties.keys().next().filter(|_| properties.len() == 1).map(String::as_str)
}

/// Reads the plans without results; every tool returns a generated value of its declared type.
pub(crate) fn planned(folder: &Path) -> anyhow::Result<Vec<GoldPlan>> {
    let specs = Specs::read(folder)?;
    Ok(rows(folder, "v1_")?.into_iter().map(|row| planned_case(row, &specs)).collect())
}

fn planned_case(row: NestfulDataflowRecord, specs: &Specs) -> GoldPlan {
    let used: BTreeSet<&str> = row.output.iter().map(|call| call.name.as_str()).collect();
    let tools: Vec<DeclaredTool> = used.into_iter().filter_map(|id| specs.get(id)).collect();
    let schema_of = |name: &str| {
        tools.iter().find(|tool| tool.id == name).map_or(Value::Null, |t| t.output_schema.clone())
    };
    let schemas: BTreeMap<&str, Value> =
        row.output.iter().map(|call| (call.id(), schema_of(&call.name))).collect();
    let outputs: BTreeMap<String, Value> =
        schemas.iter().map(|(id, schema)| ((*id).to_owned(), sample(schema, id))).collect();
    let steps = steps(&row.output, &cut, &outputs);
    let contradictions = contradictions(&row.output, &tools, &schemas);
    let tools = tools.into_iter().map(DeclaredTool::untyped).collect();
    GoldPlan { id: row.id, steps, tools, answer: None, contradictions }
}

/// Returns the contradictions between a plan and its tool specs: code and place of each expected problem.
fn contradictions(
    calls: &[NestfulDataflowCall],
    tools: &[DeclaredTool],
    schemas: &BTreeMap<&str, Value>,
) -> BTreeSet<(String, String)> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for call in calls {
        let at = format!("step `{}`", call.id());
        let mut note = |code: &str, at: String| found.insert((code.to_owned(), at));
        if !seen.insert(call.id()) {
            note("duplicate_step", at.clone());
        }
        match tools.iter().find(|tool| tool.id == call.name) {
            Some(tool) => {
                let missing = tool.required().filter(|name| !call.arguments.contains_key(*name));
                missing.for_each(|name| {
                    note("missing_parameter", format!("{at}, parameters/{name}"));
                });
            }
            None => {
                note("unknown_tool", at.clone());
            }
        }
        for (pointer, step, path) in reads(&call.arguments) {
            let place = format!("{at}, parameters{pointer}");
            match schemas.get(step.as_str()) {
                None => note("unknown_step", place),
                // If two steps share a label, a step may read itself.
                Some(_) if step == call.id() => note("self_dependency", place),
                Some(schema) if !declares(schema, &path) => note("unknown_output_field", place),
                Some(_) => false,
            };
        }
    }
    found
}

/// Returns the references in arguments: pointer, step and path.
fn reads(arguments: &Map<String, Value>) -> Vec<(String, String, Vec<String>)> {
    let whole = Value::Object(arguments.clone());
    let mut found = Vec::new();
    let (_, places) = translate(arguments, &cut);
    let mut pointers: Vec<&str> = places.iter().map(|read| read.pointer.as_str()).collect();
    pointers.dedup();
    for pointer in pointers {
        let text = whole.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        for piece in cut(text) {
            if let ReferencePiece::Read { step, path } = piece {
                found.push((pointer.to_owned(), step, path));
            }
        }
    }
    found
}

fn declares(schema: &Value, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    if first.parse::<usize>().is_ok() {
        return schema.get("items").is_none_or(|items| declares(items, rest));
    }
    match schema.get("properties") {
        Some(properties) => properties.get(first).is_some_and(|inner| declares(inner, rest)),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(step: &str, path: &[&str]) -> ReferencePiece {
        let path = path.iter().map(|&name| name.to_owned()).collect();
        ReferencePiece::Read { step: step.to_owned(), path }
    }

    #[test]
    fn a_reference_is_found_and_a_price_is_none() {
        assert_eq!(cut("$var1.movies[0]$"), [read_of("var1", &["movies", "0"])]);
        let text = |text: &str| ReferencePiece::Text(text.to_owned());
        assert_eq!(cut("5 * $var_2$"), [text("5 * "), read_of("var_2", &[])]);
        assert_eq!(cut("$100-$200"), [text("$100-$200")]);
        assert_eq!(cut("var1.id$"), [text("var1.id$")]);
    }
}
