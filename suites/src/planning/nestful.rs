//! NESTFUL: requests whose calls use each other's outputs, over the tools declared in the data.

use super::gold::{GoldCall, GoldValue};
use super::{PlanningRequest, PlanningSet};
use crate::cases::rows;
use crate::goals::written::schema;
use crate::selection::tool;
use anyhow::Context;
use praxis_core::call::tool::Tool;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The pseudo call that only collects the results for the user.
const COLLECT: &str = "var_result";

#[derive(Deserialize)]
struct NestfulPlanRecord {
    id: String,
    input: String,
    output: Vec<NestfulCall>,
}

#[derive(Deserialize)]
struct NestfulCall {
    name: String,
    arguments: Map<String, Value>,
    label: Option<String>,
}

/// Reads the sets that have gates; the id of a row begins with the name of its set.
pub(super) fn sets(folder: &Path) -> anyhow::Result<Vec<PlanningSet>> {
    let glaive = [("tool F1", 0.83), ("edge F1", 0.25), ("argument-value F1", 0.45)];
    let sgd = [("tool F1", 0.80), ("edge F1", 0.50)];
    let mut sets = Vec::new();
    for (name, gates) in [("glaive", glaive.to_vec()), ("sgd", sgd.to_vec())] {
        let tools = tools(&folder.join(format!("non-executable-{name}-spec.json")))?;
        let rows = rows::<NestfulPlanRecord>(folder, "v1_")?.into_iter();
        let own = rows.filter(|row| row.id.starts_with(name));
        // Some rows call undeclared tools.
        let is_known = |row: &NestfulPlanRecord| {
            calls(row).all(|call| tools.iter().any(|tool| tool.id.as_str() == call.name))
        };
        let requests = own.filter(is_known).map(|row| request(&row)).collect();
        sets.push(PlanningSet { name: format!("nestful {name}"), tools, requests, gates });
    }
    Ok(sets)
}

fn tools(file: &Path) -> anyhow::Result<Vec<Tool>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    let specs: Vec<Value> = serde_json::from_str(&text)?;
    let mut tools: Vec<Tool> = Vec::new();
    for spec in &specs {
        let tool = declared(spec)?;
        if !tools.iter().any(|known| known.id == tool.id) {
            tools.push(tool);
        }
    }
    Ok(tools)
}

fn declared(spec: &Value) -> anyhow::Result<Tool> {
    let kinds = ["query_parameters", "parameters", "arguments"];
    let parameters = kinds.iter().find_map(|kind| spec.get(kind)?.as_object());
    let parameters = parameters.cloned().unwrap_or_default();
    let must = |(_, declared): &(&String, &Value)| declared.get("required") == Some(&json!(true));
    let required: Vec<&String> = parameters.iter().filter(must).map(|(name, _)| name).collect();
    let properties: Map<String, Value> =
        parameters.iter().map(|(name, declared)| (name.clone(), with_choices(declared))).collect();
    let outputs = spec.get("output_parameters").and_then(Value::as_object);
    let outputs: Map<String, Value> = outputs
        .into_iter()
        .flatten()
        .map(|(name, declared)| (name.clone(), with_choices(declared)))
        .collect();
    let text = |name: &str| spec.get(name).and_then(Value::as_str).unwrap_or_default();
    tool(
        (text("name"), text("description")),
        json!({"type": "object", "properties": properties, "required": required}),
        Some(json!({"type": "object", "properties": outputs})),
        json!([]),
    )
}

/// Converts a schema, including the keys for enums and defaults that only this data uses.
fn with_choices(declared: &Value) -> Value {
    let mut schema = schema(declared);
    let listed = ["allowed_values", "possible_values"].iter().find_map(|name| declared.get(name));
    let choices = listed.and_then(Value::as_array).filter(|choices| !choices.is_empty());
    if let (Some(schema), Some(choices)) = (schema.as_object_mut(), choices) {
        schema.insert("enum".to_owned(), json!(choices));
    }
    if let (Some(schema), Some(value)) = (schema.as_object_mut(), declared.get("default_value")) {
        schema.insert("default".to_owned(), value.clone());
    }
    schema
}

fn calls(row: &NestfulPlanRecord) -> impl Iterator<Item = &NestfulCall> {
    row.output.iter().filter(|call| call.name != COLLECT)
}

fn request(row: &NestfulPlanRecord) -> PlanningRequest {
    let labels: BTreeMap<&str, usize> = calls(row)
        .enumerate()
        .filter_map(|(at, call)| Some((call.label.as_deref()?, at)))
        .collect();
    let given = |value: &Value| {
        let inner = value.as_str().and_then(|text| text.strip_prefix('$')?.strip_suffix('$'));
        let read = inner.map(|inner| inner.split_once('.').unwrap_or((inner, "")));
        let read = read.and_then(|(label, field)| Some((*labels.get(label)?, field)));
        read.map_or_else(
            || GoldValue::Value(value.clone()),
            |(step, field)| GoldValue::Output(step, field.to_owned()),
        )
    };
    let made = calls(row).map(|call| GoldCall {
        tool: call.name.clone(),
        arguments: call
            .arguments
            .iter()
            .map(|(name, value)| (name.clone(), given(value)))
            .collect(),
    });
    PlanningRequest { id: row.id.clone(), text: row.input.clone(), calls: made.collect() }
}
