//! BFCL: requests over the functions of all rows, pooled by name.

use super::{SelectionRequest, SelectionSet, tool};
use crate::cases::rows;
use praxis_core::call::tool::Tool;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct BfclSelectionRecord {
    id: String,
    question: Vec<Vec<BfclMessage>>,
    function: Vec<BfclFunction>,
    #[serde(default)]
    ground_truth: Option<Vec<Map<String, Value>>>,
}

#[derive(Deserialize)]
struct BfclMessage {
    role: String,
    content: String,
}

#[derive(Deserialize)]
struct BfclFunction {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

pub(super) fn set(folder: &Path) -> anyhow::Result<SelectionSet> {
    let rows: Vec<BfclSelectionRecord> = rows(folder, "single")?;
    let mut pooled: BTreeMap<&str, Tool> = BTreeMap::new();
    for function in rows.iter().flat_map(|row| &row.function) {
        if !pooled.contains_key(function.name.as_str()) {
            pooled.insert(&function.name, declared(function)?);
        }
    }
    // Some rows have no right call.
    let asked = rows.iter().filter_map(|row| Some((row, row.ground_truth.as_ref()?)));
    let requests = asked.filter(|(_, calls)| !calls.is_empty()).map(|(row, calls)| {
        let said = row.question.iter().flatten().filter(|message| message.role == "user");
        let said: Vec<&str> = said.map(|message| message.content.as_str()).collect();
        let gold = calls.iter().flat_map(Map::keys).map(|name| name.as_str().into());
        SelectionRequest { id: row.id.clone(), text: said.join(" "), gold: gold.collect() }
    });
    let requests = requests.collect();
    Ok(SelectionSet {
        name: "bfcl pooled".to_owned(),
        tools: pooled.into_values().collect(),
        requests,
        least: 0.94,
    })
}

fn declared(function: &BfclFunction) -> anyhow::Result<Tool> {
    let properties = function.parameters.get("properties").cloned().unwrap_or_else(|| json!({}));
    let required = function.parameters.get("required").cloned().unwrap_or_else(|| json!([]));
    let input = json!({"type": "object", "properties": properties, "required": required});
    tool((&function.name, &function.description), input, None, json!([]))
}
