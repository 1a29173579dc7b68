//! Puts right what can only have been meant in one way, before a model is asked again.
//!
//! - in: a step as a model wrote it, the tools, and the steps it may name
//! - out: the step put right, and a note for every change
//! - never: picks one of several, or guesses at what a call that changes something is to do

use crate::ask::names::resolve;
use crate::call::schema;
use crate::call::tool::{Risk, Tool};
use crate::dataflow::lex::{self, Piece};
use crate::dataflow::path::Segment;
use crate::goal::library::Library;
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::intake::problem::Problem;
use crate::recover::coerce::coerced;
use serde_json::{Map, Value};

/// Puts a step right, and says what was done.
pub fn step(
    step: &mut PlannedStep,
    library: &Library,
    tools: &[ToolId],
    known: &[StepId],
) -> Vec<Problem> {
    let mut notes = Vec::new();
    tool_name(step, tools, &mut notes);
    dependencies(step, known, &mut notes);
    let Some(tool) = library.tool(&step.tool) else { return notes };
    if let Value::Object(given) = &mut step.parameters {
        parameter_names(tool, given, &mut notes);
        parameter_types(tool, given, &mut notes);
    }
    let at = format!("step `{}`", step.id);
    notes.into_iter().map(|note| note.within(&at)).collect()
}

fn note(at: &str, en: String, zh: String) -> Problem {
    Problem::new("plan_put_right", at, (en, zh))
}

/// Puts right the fields that a step which only reads names of other steps: a slip that only one declared
/// field is near to. `tool_of` knows what a step invokes.
pub fn references(
    step: &mut PlannedStep,
    library: &Library,
    tool_of: &dyn Fn(&str) -> Option<ToolId>,
) -> Vec<Problem> {
    let reads = library.tool(&step.tool).is_some_and(|tool| tool.risk() == Risk::Read);
    let mut notes = Vec::new();
    if reads {
        let declared = |id: &str| library.tool(&tool_of(id)?)?.output_schema.as_ref();
        in_texts(&mut step.parameters, &mut |text| {
            if let Some((now, was, field)) = with_near_field(text, &declared) {
                *text = now;
                notes.push(note(
                    "parameters",
                    format!("`{was}` is `{field}`"),
                    format!("`{was}` 即 `{field}`"),
                ));
            }
        });
    }
    let at = format!("step `{}`", step.id);
    notes.into_iter().map(|note| note.within(&at)).collect()
}

fn in_texts(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| in_texts(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| in_texts(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text with the first slip in a field put right, the slip and the field; none if there is no slip.
fn with_near_field<'a>(
    text: &str,
    declared: &dyn Fn(&str) -> Option<&'a Value>,
) -> Option<(String, String, String)> {
    let mut pieces = lex::lex(text);
    for at in 0..pieces.len() {
        let Some(Piece::Reference(reference)) = pieces.get_mut(at) else { continue };
        let [Segment::Key(step), Segment::Key(word), Segment::Key(field), ..] =
            reference.segments.as_slice()
        else {
            continue;
        };
        let schema = declared(step).filter(|_| matches!(&**word, "outputs" | "output"));
        let Some(schema) = schema.filter(|schema| !schema::may_have(schema, field)) else {
            continue;
        };
        let names = schema.get("properties").and_then(Value::as_object)?.keys();
        let near: Vec<&String> = names
            .filter(|name| strsim::osa_distance(name, field) <= 1 && field.len() > 2)
            .collect();
        let [only] = near.as_slice() else { continue };
        let (was, now) = (field.to_string(), (*only).clone());
        if let Some(segment) = reference.segments.get_mut(2) {
            *segment = Segment::Key(now.as_str().into());
        }
        return Some((lex::print(&pieces), was, now));
    }
    None
}

/// A prefix, another case or other marks between words; never another word.
fn tool_name(step: &mut PlannedStep, tools: &[ToolId], notes: &mut Vec<Problem>) {
    if step.gathers() || tools.contains(&step.tool) {
        return;
    }
    let offered: Vec<&str> = tools.iter().map(ToolId::as_str).collect();
    if let Some(meant) = resolve(step.tool.as_str(), &offered) {
        let (was, now) = (step.tool.to_string(), meant.to_owned());
        notes.push(note("tool", format!("`{was}` is `{now}`"), format!("`{was}` 即 `{now}`")));
        step.tool = ToolId::from(meant);
    }
}

/// A step does not wait for itself, and a dependency that differs only in its marks is the same.
fn dependencies(step: &mut PlannedStep, known: &[StepId], notes: &mut Vec<Problem>) {
    let own = step.id.clone();
    let before = step.depends_on.len();
    step.depends_on.retain(|id| *id != own);
    if step.depends_on.len() < before {
        let (en, zh) = ("it waited for itself", "步骤依赖自身");
        notes.push(note("depends_on", en.to_owned(), zh.to_owned()));
    }
    let offered: Vec<&str> = known.iter().map(StepId::as_str).collect();
    for id in &mut step.depends_on {
        let meant = resolve(id.as_str(), &offered).filter(|meant| *meant != id.as_str());
        if let Some(meant) = meant {
            notes.push(note(
                "depends_on",
                format!("`{id}` is `{meant}`"),
                format!("`{id}` 即 `{meant}`"),
            ));
            *id = StepId::from(meant);
        }
    }
}

/// A name that differs from a parameter only in its marks or case.
fn parameter_names(tool: &Tool, given: &mut Map<String, Value>, notes: &mut Vec<Problem>) {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties else { return };
    let offered: Vec<&str> = properties.keys().map(String::as_str).collect();
    let unknown: Vec<String> =
        given.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    for name in unknown {
        let meant = resolve(&name, &offered).filter(|meant| !given.contains_key(*meant));
        if let Some(meant) = meant
            && let Some(value) = given.remove(&name)
        {
            notes.push(note(
                &name,
                format!("`{name}` is `{meant}`"),
                format!("`{name}` 即 `{meant}`"),
            ));
            given.insert(meant.to_owned(), value);
        }
    }
}

/// A literal of another type that says the same.
fn parameter_types(tool: &Tool, given: &mut Map<String, Value>, notes: &mut Vec<Problem>) {
    let may_guess = tool.risk() == Risk::Read;
    for (name, value) in given.iter_mut() {
        let property = tool.input_schema.get("properties").and_then(|p| p.get(name));
        let Some(property) = property else { continue };
        if value.as_str().is_some_and(|text| text.contains("{{") || text.contains("${")) {
            continue;
        }
        if let Some(fit) = coerced(value, property, may_guess) {
            notes.push(note(name, format!("{value} is {fit}"), format!("{value} 即 {fit}")));
            *value = fit;
        }
    }
}
