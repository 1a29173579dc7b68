//! Catalog of the data of a task, without contents: counts, structures and references.

use super::context::{Context, StepIndex, StepResult};
use super::resolve::{LoadedBlobs, OnUnresolved, resolve};
use super::template::ParameterTemplate;
use crate::payload::{Payload, shape};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the catalog: the number of results, in total and by tool, and the structure of each.
pub fn catalog(context: &Context) -> Value {
    let results: Vec<&StepResult> =
        indexes(context).filter_map(|index| context.result(index)).collect();
    let mut by_tool: BTreeMap<&str, u64> = BTreeMap::new();
    for result in &results {
        *by_tool.entry(result.tool_id.as_str()).or_default() += 1;
    }
    let described: Vec<Value> = results.iter().map(|result| describe(result)).collect();
    json!({
        "initial_metadata": context.initial().keys().map(|key| &**key).collect::<Vec<_>>(),
        "results": results.len(),
        "by_tool": by_tool,
        "steps": described,
    })
}

fn indexes(context: &Context) -> impl Iterator<Item = StepIndex> + '_ {
    context.step_ids().filter_map(|id| context.index_of(id.as_str()))
}

fn describe(result: &StepResult) -> Value {
    json!({
        "step_id": result.step_id,
        "tool_id": result.tool_id,
        "is_success": result.is_success,
        "reference": format!("{{{{{}.output}}}}", result.step_id),
        "structure": structure_of(&result.output),
    })
}

/// Returns the structure of a value: names and types, never contents.
pub fn structure(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let inner: Map<String, Value> =
                map.iter().map(|(key, value)| (key.clone(), structure(value))).collect();
            Value::Object(inner)
        }
        Value::Array(items) => json!({"array": items.len(), "of": items.first().map(structure)}),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Value::from(shape(value))
        }
    }
}

fn structure_of(payload: &Payload) -> Value {
    match payload {
        Payload::Json(value) => structure(value),
        Payload::Blob(stored) => json!({
            "blob": stored.blob, "bytes": stored.bytes, "shape": stored.shape,
            "fields": stored.fields.keys().map(|key| &**key).collect::<Vec<_>>(),
        }),
    }
}

/// Returns the value at a placeholder path such as `step_1.outputs.rows[0].id`, if there is one.
pub fn extract_by_path(context: &Context, blobs: &LoadedBlobs, path: &str) -> Option<Value> {
    let template = ParameterTemplate::parse(&Value::String(format!("{{{{{path}}}}}")), context);
    let resolved = resolve(&template, context, blobs, OnUnresolved::Error).ok()?;
    match resolved.holes.as_slice() {
        [] => Some(resolved.value),
        [hole] => {
            let whole = blobs.get(&hole.blob)?;
            hole.key
                .as_ref()
                .map_or_else(|| Some(whole.as_ref().clone()), |key| whole.get(key).cloned())
        }
        _ => None,
    }
}

/// Returns the values at those of the paths that exist.
pub fn extract_relevant(
    context: &Context,
    blobs: &LoadedBlobs,
    paths: &[&str],
) -> BTreeMap<String, Value> {
    let found = |path: &&str| Some(((*path).to_owned(), extract_by_path(context, blobs, path)?));
    paths.iter().filter_map(found).collect()
}
