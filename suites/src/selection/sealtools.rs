//! Seal-Tools: requests over 4,076 tools of many fields.

use super::{SelectionRequest, SelectionSet, tool};
use crate::cases::{files, rows};
use crate::goals::sealtools::{SealToolsApi, SealToolsRecord};
use praxis_core::call::tool::Tool;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Reads one set per file.
pub(super) fn sets(folder: &Path) -> anyhow::Result<Vec<SelectionSet>> {
    let apis: Vec<SealToolsApi> = rows(&folder.join("catalog"), "")?;
    let mut sets = Vec::new();
    for file in files(folder, "", ".jsonl")? {
        let stem =
            file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let own: Vec<SealToolsRecord> = rows(folder, &format!("{stem}."))?;
        let requests = own.into_iter().map(|row| SelectionRequest {
            id: row.id,
            text: row.query,
            gold: row.calling.iter().map(|call| call.api.as_str().into()).collect(),
        });
        sets.push(SelectionSet {
            name: format!("sealtools {stem}"),
            tools: apis.iter().map(declared).collect::<anyhow::Result<_>>()?,
            requests: requests.collect(),
            least: 0.93,
        });
    }
    Ok(sets)
}

fn declared(api: &SealToolsApi) -> anyhow::Result<Tool> {
    let described = |fields: &Map<String, Value>| -> Map<String, Value> {
        let one = |(name, it): (&String, &Value)| {
            (
                name.clone(),
                json!({"description": it.get("description").cloned().unwrap_or_default()}),
            )
        };
        fields.iter().map(one).collect()
    };
    let input = json!({"type": "object", "properties": described(&api.parameters), "required": api.required});
    let output = json!({"type": "object", "properties": described(&api.responses)});
    tool((&api.name, &api.description), input, Some(output), json!([api.field]))
}
