//! Seal-Tools: requests over 4,076 tools, with one call and with several.

use super::gold::{GoldCall, GoldValue};
use super::{PlanningRequest, PlanningSet, WHOLE};
use crate::cases::rows;
use crate::goals::sealtools::{SealToolsApi, SealToolsRecord};
use crate::goals::written::schema;
use crate::selection::tool;
use praxis_core::call::tool::Tool;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Reads both sets: `multi` and `single`.
pub(super) fn sets(folder: &Path) -> anyhow::Result<Vec<PlanningSet>> {
    let apis: Vec<SealToolsApi> = rows(&folder.join("catalog"), "")?;
    let tools: Vec<Tool> = apis.iter().map(declared).collect::<anyhow::Result<_>>()?;
    let (one, several): (Vec<SealToolsRecord>, Vec<SealToolsRecord>) =
        rows::<SealToolsRecord>(folder, "")?.into_iter().partition(|row| row.calling.len() == 1);
    let requests = |rows: Vec<SealToolsRecord>| rows.into_iter().map(request).collect();
    let of =
        |name: &str, requests: Vec<PlanningRequest>, gates: &[(&'static str, f64)]| PlanningSet {
            name: format!("sealtools {name}"),
            tools: tools.clone(),
            requests,
            gates: gates.to_vec(),
        };
    Ok(vec![
        of("multi", requests(several), &[("tool F1", 0.80), ("argument-value F1", 0.45)]),
        of("single", requests(one), &[(WHOLE, 0.60)]),
    ])
}

fn declared(api: &SealToolsApi) -> anyhow::Result<Tool> {
    let typed = |fields: &Map<String, Value>| -> Map<String, Value> {
        fields.iter().map(|(name, declared)| (name.clone(), schema(declared))).collect()
    };
    let input =
        json!({"type": "object", "properties": typed(&api.parameters), "required": api.required});
    let output = json!({"type": "object", "properties": typed(&api.responses)});
    tool((&api.name, &api.description), input, Some(output), json!([api.field]))
}

/// Converts a record. Labels of other calls' outputs stay text, because the data does not say which call they belong
/// to.
fn request(row: SealToolsRecord) -> PlanningRequest {
    let calls = row.calling.into_iter().map(|call| GoldCall {
        tool: call.api,
        arguments: call
            .parameters
            .into_iter()
            .map(|(name, value)| (name, GoldValue::Value(value)))
            .collect(),
    });
    PlanningRequest { id: row.id, text: row.query, calls: calls.collect() }
}
