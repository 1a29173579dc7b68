//! Recorded calls of `WorkBench` (an office). The data has no schemas: a tool's parameters are all names that its
//! calls use.

use super::bfcl::BfclCall;
use super::case::{GoalCase, manifest};
use crate::cases::rows;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct WorkbenchRecord {
    id: String,
    query: String,
    gold: Vec<BfclCall>,
}

/// Reads all cases of a folder.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<GoalCase>> {
    let rows: Vec<WorkbenchRecord> = rows(folder, "")?;
    let mut properties: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for call in rows.iter().flat_map(|row| &row.gold) {
        let known = properties.entry(call.tool.clone()).or_default();
        let given = call.args.as_object().into_iter().flatten();
        known.extend(given.map(|(name, _)| (name.clone(), json!({}))));
    }
    let tool = |(id, properties): (&String, &Map<String, Value>)| {
        manifest(id, "", &json!({"type": "object", "properties": properties}))
    };
    let tools: Vec<Value> = properties.iter().map(tool).collect();
    let case = |row: WorkbenchRecord| {
        let calls = row.gold.into_iter().enumerate().map(|(at, call)| call.gold(at)).collect();
        GoalCase { id: row.id, goal: row.query, tools: tools.clone(), calls }
    };
    Ok(rows.into_iter().map(case).collect())
}
