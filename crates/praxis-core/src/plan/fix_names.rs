//! Fixes unambiguous mistakes in a step before the model is asked again.
//!
//! - in: a step as a model wrote it, the tools, and the steps that it may refer to
//! - out: the fixed step, and a note for every change
//! - never: picks one of several candidates, or guesses the purpose of a call that changes something

use crate::ask::names::resolve;
use crate::call::risk::Risk;
use crate::call::tool::Tool;
use crate::dataflow::lex::{self, LexedPiece};
use crate::dataflow::path::Segment;
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::library::Library;
use crate::problem::Problem;
use crate::schema;
use crate::schema::coerce::coerced;
use serde_json::{Map, Value};

/// Fixes a step in place and returns a note for every change.
pub fn step(
    step: &mut PlannedStep,
    library: &Library,
    tools: &[ToolId],
    known: &[StepId],
) -> Vec<Problem> {
    let mut notes = Vec::new();
    tool_name(step, tools, library, &mut notes);
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

/// The steps that a step may refer to, and their outputs.
pub struct StepSources<'a> {
    /// The tools.
    pub library: &'a Library,
    /// All steps in the order of writing, each with its tool.
    pub steps: Vec<(String, ToolId)>,
    /// The number of steps written before this one: only those are sure not to depend on it.
    pub before: usize,
}

impl<'a> StepSources<'a> {
    fn schema(&self, id: &str) -> Option<&'a Value> {
        let (_, tool) = self.steps.iter().find(|(known, _)| known == id)?;
        self.library.tool(tool)?.output_schema.as_ref()
    }

    /// Returns the step and field that a reference means: the only field of the step within one typo, else the same
    /// field of the only other step that declares it.
    fn meant(&self, step: &str, field: &str) -> Option<(String, String)> {
        let schema = self.schema(step).filter(|schema| !schema::may_have(schema, field))?;
        let names = schema.get("properties")?.as_object()?.keys();
        let near = names.filter(|name| field.len() > 2 && strsim::osa_distance(name, field) <= 1);
        if let [only] = near.collect::<Vec<_>>().as_slice() {
            return Some((step.to_owned(), (*only).clone()));
        }
        let declares = |id: &str| {
            let properties = self.schema(id).and_then(|schema| schema.get("properties"));
            properties.is_some_and(|properties| properties.get(field).is_some())
        };
        let mut others = self.steps.iter().take(self.before).filter(|(id, _)| declares(id));
        let (only, _) = others.next()?;
        others.next().is_none().then(|| (only.clone(), field.to_owned()))
    }
}

/// Fixes the output fields of other steps that a step refers to, if the step only reads.
pub fn references(step: &mut PlannedStep, sources: &StepSources<'_>) -> Vec<Problem> {
    let reads = sources.library.tool(&step.tool).is_some_and(only_reads);
    let mut notes = Vec::new();
    if reads {
        in_texts(&mut step.parameters, &mut |text| {
            if let Some((now, was, field)) = with_meant_field(text, sources) {
                *text = now;
                notes.push(note(
                    "parameters",
                    format!("changed `{was}` to `{field}`"),
                    format!("已将 `{was}` 改为 `{field}`"),
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

/// Returns the text with its first wrong field fixed, the old field and the new one; `None` if no field is wrong.
fn with_meant_field(text: &str, sources: &StepSources<'_>) -> Option<(String, String, String)> {
    let mut pieces = lex::lex(text);
    for at in 0..pieces.len() {
        let Some(LexedPiece::Reference(reference)) = pieces.get_mut(at) else { continue };
        let [Segment::Key(step), Segment::Key(word), Segment::Key(field), ..] =
            reference.segments.as_mut_slice()
        else {
            continue;
        };
        if !matches!(&**word, "outputs" | "output") {
            continue;
        }
        let Some((source, meant)) = sources.meant(step, field) else { continue };
        let was = format!("{step}.{field}");
        let now = format!("{source}.{meant}");
        (*step, *field) = (source.as_str().into(), meant.as_str().into());
        return Some((lex::print(&pieces), was, now));
    }
    None
}

/// Fixes a tool name: a prefix, case or separators; for tools that only read also a typo.
fn tool_name(
    step: &mut PlannedStep,
    tools: &[ToolId],
    library: &Library,
    notes: &mut Vec<Problem>,
) {
    if step.gathers() || tools.contains(&step.tool) {
        return;
    }
    let offered: Vec<&str> = tools.iter().map(ToolId::as_str).collect();
    let reads = |name: &&str| library.tool(&ToolId::from(*name)).is_some_and(only_reads);
    let near = || near(step.tool.as_str(), &offered).filter(reads);
    if let Some(meant) = resolve(step.tool.as_str(), &offered).or_else(near) {
        let (was, now) = (step.tool.to_string(), meant.to_owned());
        notes.push(note(
            "tool",
            format!("changed `{was}` to `{now}`"),
            format!("已将 `{was}` 改为 `{now}`"),
        ));
        step.tool = ToolId::from(meant);
    }
}

fn only_reads(tool: &Tool) -> bool {
    tool.risk() == Risk::Read
}

/// Returns the only name within one or two typos. Names below four characters are too short for typos.
fn near<'a>(written: &str, offered: &[&'a str]) -> Option<&'a str> {
    let problems = match written.chars().count() {
        0..4 => return None,
        4..6 => 1,
        _ => 2,
    };
    let mut found = offered.iter().filter(|name| strsim::osa_distance(name, written) <= problems);
    let only = found.next()?;
    found.next().is_none().then_some(*only)
}

/// Removes a dependency on the step itself, and fixes ids that differ only in case or separators.
fn dependencies(step: &mut PlannedStep, known: &[StepId], notes: &mut Vec<Problem>) {
    let own = step.id.clone();
    let before = step.depends_on.len();
    step.depends_on.retain(|id| *id != own);
    if step.depends_on.len() < before {
        let (en, zh) = ("removed the dependency of the step on itself", "已删除步骤对自身的依赖");
        notes.push(note("depends_on", en.to_owned(), zh.to_owned()));
    }
    let offered: Vec<&str> = known.iter().map(StepId::as_str).collect();
    for id in &mut step.depends_on {
        let meant = resolve(id.as_str(), &offered).filter(|meant| *meant != id.as_str());
        if let Some(meant) = meant {
            notes.push(note(
                "depends_on",
                format!("changed `{id}` to `{meant}`"),
                format!("已将 `{id}` 改为 `{meant}`"),
            ));
            *id = StepId::from(meant);
        }
    }
}

/// Fixes parameter names: case and separators, else a typo. For a call that changes something, a typo is fixed only
/// in the name of a required parameter.
fn parameter_names(tool: &Tool, given: &mut Map<String, Value>, notes: &mut Vec<Problem>) {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties else { return };
    let offered: Vec<&str> = properties.keys().map(String::as_str).collect();
    let required: Vec<&str> = schema::required(&tool.input_schema).collect();
    let unknown: Vec<String> =
        given.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    for name in unknown {
        let wanted = |meant: &&str| only_reads(tool) || required.contains(meant);
        let meant = resolve(&name, &offered).or_else(|| near(&name, &offered).filter(wanted));
        let meant = meant.filter(|meant| !given.contains_key(*meant));
        if let Some(meant) = meant
            && let Some(value) = given.remove(&name)
        {
            notes.push(note(
                &name,
                format!("changed `{name}` to `{meant}`"),
                format!("已将 `{name}` 改为 `{meant}`"),
            ));
            given.insert(meant.to_owned(), value);
        }
    }
}

/// Converts literals of the wrong type that have an equivalent of the right type.
fn parameter_types(tool: &Tool, given: &mut Map<String, Value>, notes: &mut Vec<Problem>) {
    let may_guess = tool.risk() == Risk::Read;
    for (name, value) in given.iter_mut() {
        let property = tool.input_schema.get("properties").and_then(|p| p.get(name));
        let Some(property) = property else { continue };
        if value.as_str().is_some_and(|text| text.contains("{{") || text.contains("${")) {
            continue;
        }
        if let Some(fit) = coerced(value, property, may_guess) {
            notes.push(note(
                name,
                format!("changed {value} to {fit}"),
                format!("已将 {value} 改为 {fit}"),
            ));
            *value = fit;
        }
    }
}
