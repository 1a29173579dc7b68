//! Fills the metadata of a workflow from the words of a goal, not only from its `key: value` pairs.
//!
//! - in: a workflow, the goal, and the metadata that the caller gave
//! - out: values under the workflow's parameter names, the open parameters, and the share of the goal that is
//!   explained
//! - never: overrides a `key: value` pair of the goal

use super::bind::{BindingSource, StepToBind, bind_one};
use super::coverage::{self, UsedParts, sureness};
use super::needs::{PlannerTool, ToolField};
use super::planner::LexicalQuery;
use super::reading::RequestReading;
use super::values::FoundValue;
use crate::retrieve::search::LexicalSearch;
use crate::retrieve::synonyms::Synonyms;
use crate::weights::WEIGHTS;
use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::dataflow::lex::{LexedPiece, lex};
use praxis_core::dataflow::path::Segment;
use praxis_core::ids::ToolId;
use praxis_core::journal::selection::Sureness;
use praxis_core::planner::FilledWorkflow;
use praxis_core::route::instantiate::called;
use praxis_core::route::instantiate::{known, told};
use praxis_core::route::intent::without_intent;
use praxis_core::route::workflow::Workflow;
use praxis_core::schema::description::{TRANSLATIONS, descriptions};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The index of a value in `RequestReading::said`, with the parameter name and the value that it is used as.
type TakenValue = (usize, (String, Value));

/// Fills a workflow with the values that a goal states.
pub fn fill(workflow: &Workflow, wanted: &LexicalQuery<'_>) -> FilledWorkflow {
    let reading = RequestReading::of(&without_intent(wanted.goal));
    let read = metadata(workflow);
    let pairs = pairs(workflow, wanted.goal, (&reading, &read));
    let called = called(workflow, wanted.given);
    let taken = |key: &String| {
        pairs.contains_key(key) || wanted.given.contains_key(key) || called.contains_key(key)
    };
    let Some(tool) = as_tool(workflow, wanted.catalog, taken) else {
        return FilledWorkflow { said: pairs, ..FilledWorkflow::default() };
    };
    // A pair whose key the workflow does not read may still show by that key which parameter its value is for.
    let pair = |one: &FoundValue| {
        let name = known(workflow, one.key.as_ref()?);
        pairs.contains_key(&name).then_some(name)
    };
    let all = || reading.said.iter().enumerate();
    let is_read = |one: &FoundValue| pair(one).is_some_and(|name| read.contains(&name));
    let free = all().filter(|(_, one)| !is_read(one)).map(|(at, _)| at).collect();
    let of_pairs = all().filter(|(_, one)| pair(one).is_some()).map(|(at, _)| at);
    let (bound, open) = bound(&reading, &tool, free);
    let mut values: BTreeSet<usize> = bound.iter().map(|(at, _)| *at).collect();
    values.extend(of_pairs);
    let used = UsedParts { values, places: vec![] };
    let sureness = explained(workflow, &tool, (wanted.catalog, &reading, &used));
    let mut said: Map<String, Value> = bound.into_iter().map(|(_, pair)| pair).collect();
    said.extend(pairs);
    FilledWorkflow { said, open, sureness }
}

/// Returns the named values of the goal: its pairs, and values preceded by one of the workflow's parameter names, as
/// in `预测小时数为12`.
fn pairs(
    workflow: &Workflow,
    goal: &str,
    (reading, read): (&RequestReading, &BTreeSet<String>),
) -> Map<String, Value> {
    let named = reading.said.iter().filter_map(|one| {
        let name = known(workflow, one.key.as_ref()?);
        read.contains(&name).then(|| (name, one.value.clone()))
    });
    let mut pairs: Map<String, Value> = named.collect();
    pairs.extend(told(workflow, goal));
    pairs
}

/// Returns the metadata keys that steps take unchanged as a parameter.
fn metadata(workflow: &Workflow) -> BTreeSet<String> {
    let templates = workflow.steps.iter().flat_map(|step| step.parameters.iter().flatten());
    templates.filter_map(|(_, value)| metadata_key(value.as_str()?)).collect()
}

/// Binds values to the parameters of a workflow, required ones first; optional ones get the remaining values. Also
/// returns the required parameters that stay open.
fn bound(
    reading: &RequestReading,
    tool: &Tool,
    mut free: Vec<usize>,
) -> (Vec<TakenValue>, Vec<String>) {
    let own = PlannerTool::of(tool);
    let (must, may): (Vec<ToolField>, Vec<ToolField>) =
        own.needs.iter().cloned().partition(|slot| slot.required);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for needs in [must, may] {
        let said = free.iter().filter_map(|at| reading.said.get(*at).cloned()).collect();
        let rest = RequestReading { said, ..reading.clone() };
        let known = PlannerTool { needs, ..own.clone() };
        let part = StepToBind::of(&known, 0..reading.pieces.len());
        let mut taken = BTreeSet::new();
        for one in bind_one(&rest, &part, &[], &[]) {
            let [key] = one.slot.path.as_slice() else { continue };
            let key = key.clone();
            match one.source.filter(|_| one.score >= WEIGHTS.plans.least_said) {
                Some(BindingSource::Said { value, said, .. }) => {
                    taken.insert(said);
                    // Values implied by words that are no value themselves have no index.
                    let at = free.get(said).copied().unwrap_or(usize::MAX);
                    found.push((at, (key, value)));
                }
                Some(BindingSource::Output { .. } | BindingSource::Given { .. }) | None
                    if one.slot.required =>
                {
                    open.push(key);
                }
                Some(BindingSource::Output { .. } | BindingSource::Given { .. }) | None => {}
            }
        }
        let mut at = 0;
        free.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
    }
    (found, open)
}

/// Computes the share of a goal that the words of a workflow and of its tools explain.
fn explained(
    workflow: &Workflow,
    own: &Tool,
    (catalog, reading, used): (&Toolbox, &RequestReading, &UsedParts),
) -> Sureness {
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    search.put(own);
    let steps = workflow.steps.iter().filter_map(|step| catalog.get(&step.tool_id));
    let mut tools: Vec<&ToolId> = vec![&own.id];
    for tool in steps {
        search.put(tool);
        tools.push(&tool.id);
    }
    sureness(reading, &coverage::known(reading, &search, tools.into_iter()), used)
}

/// Presents a workflow as one tool, whose parameters are the metadata that its steps take unchanged.
fn as_tool(
    workflow: &Workflow,
    catalog: &Toolbox,
    taken: impl Fn(&String) -> bool,
) -> Option<Tool> {
    let mut properties = Map::new();
    for step in &workflow.steps {
        let schema = catalog.get(&step.tool_id).map(|tool| &tool.input_schema);
        for (name, value) in step.parameters.iter().flatten() {
            let Some(key) = value.as_str().and_then(metadata_key) else { continue };
            let property = schema.and_then(|schema| schema.get("properties")?.get(name));
            let fresh = !taken(&key) && !properties.contains_key(&key);
            if let Some(property) = property.filter(|_| fresh) {
                let written = described(property, workflow, &key);
                properties.insert(key, written);
            }
        }
    }
    let required: Vec<&String> =
        properties.keys().filter(|key| !workflow.defaults.contains_key(*key)).collect();
    let about = |lang: fn(&praxis_core::problem::Bilingual) -> &str| {
        workflow.description.as_ref().map(lang).unwrap_or_default().to_owned()
    };
    let manifest = json!({
        "id": format!("{}.workflow", workflow.id), "builtin": "noop",
        "name": format!("{} {}", workflow.name.en, workflow.name.zh),
        "description": format!("{} {}", about(|words| &words.en), about(|words| &words.zh)),
        "tags": workflow.keywords,
        "input_schema": {"type": "object", "required": required, "properties": properties},
    });
    serde_json::from_value(manifest).ok()
}

/// Returns the schema of a parameter with its aliases in the workflow added to the description. The tool's default is
/// removed: the workflow has its own defaults.
fn described(property: &Value, workflow: &Workflow, key: &str) -> Value {
    let mut written = property.clone();
    let names = workflow.names.get(key).map(|names| names.join(" ")).unwrap_or_default();
    let about = descriptions(property);
    if let Value::Object(fields) = &mut written {
        fields.insert("description".to_owned(), format!("{about} {names}").into());
        fields.remove(TRANSLATIONS);
        fields.remove("default");
    }
    written
}

/// Returns the metadata key if a template is nothing but a reference to it.
fn metadata_key(template: &str) -> Option<String> {
    let pieces = lex(template);
    let [LexedPiece::Reference(reference)] = pieces.as_slice() else { return None };
    let [Segment::Key(key)] = reference.segments.as_slice() else { return None };
    Some(key.to_string())
}
