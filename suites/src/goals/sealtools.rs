//! Seal-Tools: requests over a large catalog. Results are generated from the declared responses.

use super::case::{ExpectedCall, GoalCase};
use super::offered::{Catalog, lengthen_all, result};
use super::pace::RESULT_TOKENS;
use super::written::{literal, schema};
use crate::cases::rows;
use crate::dataflow::placeholder;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A request and the calls that fulfil it.
#[derive(Deserialize)]
pub(crate) struct SealToolsRecord {
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) calling: Vec<SealToolsCall>,
}

/// One call of a record.
#[derive(Deserialize)]
pub(crate) struct SealToolsCall {
    pub(crate) api: String,
    pub(crate) parameters: Map<String, Value>,
    #[serde(default)]
    responses: Vec<String>,
}

/// A tool of the catalog.
#[derive(Deserialize)]
pub(crate) struct SealToolsApi {
    #[serde(rename = "api_name")]
    pub(crate) name: String,
    #[serde(rename = "api_description")]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) field: String,
    pub(crate) parameters: Map<String, Value>,
    #[serde(default)]
    pub(crate) required: Vec<String>,
    #[serde(default)]
    pub(crate) responses: Map<String, Value>,
}

/// Reads the cases with more than one call.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<GoalCase>> {
    let apis: Vec<SealToolsApi> = rows(&folder.join("catalog"), "")?;
    let apis: BTreeMap<String, SealToolsApi> =
        apis.into_iter().map(|api| (plain(&api.name), api)).collect();
    let catalog =
        Catalog::new(apis.iter().map(|(id, api)| (id.clone(), declared(id, api))).collect());
    let rows: Vec<SealToolsRecord> = rows(folder, "")?;
    let several = rows.into_iter().filter(|row| row.calling.len() > 1);
    Ok(several.filter_map(|row| case(row, &apis, &catalog)).collect())
}

/// Builds the manifest of a tool. Its parameters are untyped, because the expected calls violate the declared types.
fn declared(id: &str, api: &SealToolsApi) -> Value {
    let described = |(name, declared): (&String, &Value)| {
        let words = declared.get("description").cloned().unwrap_or_default();
        (name.clone(), json!({"description": words}))
    };
    let properties: Map<String, Value> = api.parameters.iter().map(described).collect();
    let outputs: Map<String, Value> =
        api.responses.iter().map(|(name, inner)| (name.clone(), schema(inner))).collect();
    json!({"id": id, "description": api.description, "idempotent": true,
        "risk": if super::case::reads(id) { "read" } else { "write" },
        "input_schema": {"type": "object", "properties": properties},
        "output_schema": {"type": "object", "properties": outputs}})
}

/// Replaces characters that a tool id must not contain with `_`.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

fn case(
    row: SealToolsRecord,
    apis: &BTreeMap<String, SealToolsApi>,
    catalog: &Catalog,
) -> Option<GoalCase> {
    // Maps a label such as `API_call_3` to a call, a field of its response and the value of that field.
    let mut fields: BTreeMap<String, (usize, String, Value)> = BTreeMap::new();
    let mut calls: Vec<ExpectedCall> = Vec::new();
    for (at, call) in row.calling.into_iter().enumerate() {
        let tool = plain(&call.api);
        let api = apis.get(&tool)?;
        let (mut parameters, mut arguments) = (Map::new(), Map::new());
        let mut needs = Vec::new();
        for (name, value) in call.parameters {
            match value.as_str().and_then(|text| fields.get(text)) {
                Some((producer, field, known)) => {
                    let written =
                        placeholder(&format!("call_{producer}"), std::slice::from_ref(field));
                    parameters.insert(name.clone(), Value::from(written));
                    arguments.insert(name, known.clone());
                    needs.push(*producer);
                }
                None => {
                    parameters.insert(name.clone(), literal(&value));
                    arguments.insert(name, value);
                }
            }
        }
        needs.dedup();
        let output = result(&api.responses, &format!("{}-{at}", row.id));
        for (label, field) in call.responses.into_iter().zip(api.responses.keys()) {
            let known = output.get(field).cloned().unwrap_or_default();
            fields.insert(label, (at, field.clone(), known));
        }
        let (arguments, parameters) = (Value::Object(arguments), Value::Object(parameters));
        calls.push(ExpectedCall { tool, arguments, parameters, needs, answer: Ok(output) });
    }
    lengthen_all(&mut calls, RESULT_TOKENS);
    let tools = catalog.offer(&row.id, &calls);
    Some(GoalCase { id: row.id, goal: row.query, tools, calls })
}
