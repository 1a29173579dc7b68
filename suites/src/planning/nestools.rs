//! `NesTools`: requests whose tools and order are given; the suite finds the arguments that come from earlier calls.

use super::PlanningRequest;
use super::gold::{GoldCall, GoldValue};
use crate::dataflow::nestools::{NestToolsApi, NestToolsRecord};
use crate::goals::written::schema;
use crate::selection::tool;
use praxis_core::call::tool::Tool;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the requests, each with its own tools.
pub(super) fn rows(folder: &Path) -> anyhow::Result<Vec<(PlanningRequest, Vec<Tool>)>> {
    let rows: Vec<NestToolsRecord> = crate::cases::rows(folder, "")?;
    rows.iter()
        .map(|row| {
            let tools = row.api.iter().map(declared).collect::<anyhow::Result<_>>()?;
            Ok((request(row), tools))
        })
        .collect()
}

fn declared(api: &NestToolsApi) -> anyhow::Result<Tool> {
    let typed = |fields: &mut dyn Iterator<Item = (&String, &Value)>| -> Map<String, Value> {
        fields.map(|(name, declared)| (name.clone(), schema(declared))).collect()
    };
    let input = typed(&mut api.parameters.iter());
    let output = typed(&mut api.responses.0.iter().map(|(name, declared)| (name, declared)));
    let input = json!({"type": "object", "properties": input, "required": api.required});
    let output = json!({"type": "object", "properties": output});
    tool((&api.name, &api.description), input, Some(output), json!([]))
}

fn request(row: &NestToolsRecord) -> PlanningRequest {
    let mut made: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut calls = Vec::new();
    for (at, call) in row.call.iter().enumerate() {
        let given = |value: &Value| match value.as_str().and_then(|name| made.get(name)) {
            Some((step, field)) => GoldValue::Output(*step, (*field).to_owned()),
            None => GoldValue::Value(value.clone()),
        };
        let arguments = call.parameters.iter().map(|(name, value)| (name.clone(), given(value)));
        calls.push(GoldCall { tool: call.api_name.clone(), arguments: arguments.collect() });
        let api = row.api.iter().find(|api| api.name == call.api_name);
        let fields = api.into_iter().flat_map(|api| &api.responses.0);
        for (name, (field, _)) in call.responses.iter().zip(fields) {
            made.insert(name, (at, field));
        }
    }
    PlanningRequest { id: row.test_id.to_string(), text: row.task.clone(), calls }
}
