//! `UltraTool`: requests over 260 sparsely described tools, which past requests help to find.

use super::{SelectionRequest, SelectionSet, catalog, found, shuffle, told, tool};
use crate::cases::rows;
use crate::report::SuiteReport;
use anyhow::Context;
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// Number of requests that are tried; the others serve as past requests.
const TRIED: usize = 300;
/// The seed of the split.
const SEED: u64 = 20_261_116;

#[derive(Deserialize)]
struct UltraToolRecord {
    id: String,
    user_request: String,
    task_nodes: Vec<UltraToolNode>,
}

#[derive(Deserialize)]
struct UltraToolNode {
    task: String,
}

pub(super) fn run(folder: &Path, report: &mut SuiteReport) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(folder.join("tool_desc.json")).context("tool_desc.json")?;
    let described: Value = serde_json::from_str(&text)?;
    let nodes = described.get("nodes").and_then(Value::as_array);
    let tools: Vec<Tool> =
        nodes.into_iter().flatten().map(declared).collect::<anyhow::Result<_>>()?;
    let rows: Vec<UltraToolRecord> = rows(folder, "")?;
    let mut requests: Vec<SelectionRequest> = rows.into_iter().map(request).collect();
    shuffle(&mut requests, SEED);
    let past = requests.split_off(TRIED.min(requests.len()));
    let set = SelectionSet { name: "ultratool".to_owned(), tools, requests, least: 0.72 };
    super::measure(&set, report);
    let mut search = catalog(&set.tools);
    for case in &past {
        search.cases_mut().put(&case.id, &case.text, case.gold.iter().cloned().collect());
    }
    let name = "ultratool with experience";
    let found = found(&search, &set.requests, name, report);
    told(report, (name, 0.93), &found);
    Ok(())
}

fn declared(node: &Value) -> anyhow::Result<Tool> {
    let words = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default();
    tool((words("id"), words("desc")), json!({"type": "object"}), None, json!([]))
}

fn request(row: UltraToolRecord) -> SelectionRequest {
    let gold = row.task_nodes.iter().map(|node| ToolId::from(node.task.as_str())).collect();
    SelectionRequest { id: row.id, text: row.user_request, gold }
}
