//! `RestBench`: requests over the operations of a real `OpenAPI` description.

use super::{SelectionRequest, SelectionSet, tool};
use crate::cases::rows;
use anyhow::Context;
use praxis_core::call::tool::Tool;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Maximum depth to which references are followed.
const DEEPEST: usize = 6;

#[derive(Deserialize)]
struct RestBenchRecord {
    id: Value,
    query: String,
    solution: Vec<String>,
}

pub(super) fn set(folder: &Path) -> anyhow::Result<SelectionSet> {
    let text = std::fs::read_to_string(folder.join("tmdb_oas.json")).context("tmdb_oas.json")?;
    let document: Value = serde_json::from_str(&text)?;
    let mut tools = Vec::new();
    let is_method = |name: &str| ["get", "put", "post", "delete", "patch"].contains(&name);
    for (path, operations) in entries(&document, "paths") {
        let operations = operations.as_object().into_iter().flatten();
        for (method, operation) in operations.filter(|(name, _)| is_method(name)) {
            tools.push(declared(
                &document,
                &format!("{} {path}", method.to_uppercase()),
                operation,
            )?);
        }
    }
    let rows: Vec<RestBenchRecord> = rows(folder, "")?;
    let requests = rows.into_iter().map(|row| SelectionRequest {
        id: row.id.to_string(),
        text: row.query,
        gold: row.solution.iter().map(|name| name.trim().into()).collect(),
    });
    Ok(SelectionSet {
        name: "restbench".to_owned(),
        tools,
        requests: requests.collect(),
        least: 0.60,
    })
}

fn declared(document: &Value, id: &str, operation: &Value) -> anyhow::Result<Tool> {
    let words = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
    let about = format!("{}. {}", words("summary"), words("description"));
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for parameter in listed(operation, "parameters") {
        let Some(name) = parameter.get("name").and_then(Value::as_str) else { continue };
        let about = parameter.get("description").cloned().unwrap_or_default();
        properties.insert(name.to_owned(), json!({"description": about}));
    }
    for name in id.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
        properties.entry(name).or_insert_with(|| json!({}));
        required.push(name);
    }
    let input = json!({"type": "object", "properties": properties, "required": required});
    let answer = operation.pointer("/responses/200/content/application~1json/schema");
    let output = answer.map(|answer| resolved(document, answer, 0));
    let tags: Vec<&Value> = listed(operation, "tags").collect();
    tool((id, &about), input, output, json!(tags))
}

fn listed<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn entries<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flatten()
}

/// Returns a schema with its references resolved.
fn resolved(document: &Value, schema: &Value, depth: usize) -> Value {
    if depth > DEEPEST {
        return json!({});
    }
    let place = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
    if let Some(place) = place {
        let found = document.pointer(place).cloned().unwrap_or_default();
        return resolved(document, &found, depth + 1);
    }
    let mut properties = Map::new();
    for (name, inner) in entries(schema, "properties") {
        properties.insert(name.clone(), resolved(document, inner, depth + 1));
    }
    for part in ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|key| listed(schema, key)) {
        let part = resolved(document, part, depth + 1);
        properties
            .extend(entries(&part, "properties").map(|(name, it)| (name.clone(), it.clone())));
    }
    let items = schema.get("items").map(|items| resolved(document, items, depth + 1));
    json!({"properties": properties, "items": items.unwrap_or_default()})
}
