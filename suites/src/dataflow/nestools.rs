//! `NesTools`: calls whose parameters name earlier responses (`API_call_0`), over tools with typed responses.

use super::case::{DeclaredTool, GoldPlan, GoldStep};
use super::reference::{ReferencePiece, expected, translate};
use super::sample::{sample, schema, schemas};
use crate::cases::rows;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

#[derive(Deserialize)]
pub(crate) struct NestToolsRecord {
    pub(crate) test_id: u64,
    #[serde(default)]
    pub(crate) task: String,
    pub(crate) api: Vec<NestToolsApi>,
    pub(crate) call: Vec<NestToolsCall>,
}

#[derive(Deserialize)]
pub(crate) struct NestToolsApi {
    #[serde(rename = "api_name")]
    pub(crate) name: String,
    #[serde(rename = "api_description", default)]
    pub(crate) description: String,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) required: Vec<String>,
    pub(crate) responses: Ordered,
}

#[derive(Deserialize)]
pub(crate) struct NestToolsCall {
    pub(crate) api_name: String,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) responses: Vec<String>,
}

/// The responses in the order of the data, which is the order of the response names of a call.
pub(crate) struct Ordered(pub(crate) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Ordered;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Ordered, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        from.deserialize_map(InOrder)
    }
}

/// Reads the plans of a folder.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<GoldPlan>> {
    Ok(rows(folder, "")?.into_iter().map(case).collect())
}

fn case(row: NestToolsRecord) -> GoldPlan {
    let apis: BTreeMap<&str, &NestToolsApi> =
        row.api.iter().map(|api| (api.name.as_str(), api)).collect();
    let mut made: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut outputs = BTreeMap::new();
    for (index, call) in row.call.iter().enumerate() {
        let Some(api) = apis.get(call.api_name.as_str()) else { continue };
        let id = format!("call_{index}");
        for (name, (field, _)) in call.responses.iter().zip(&api.responses.0) {
            made.insert(name.clone(), (id.clone(), field.clone()));
        }
        let fields = api.responses.0.iter();
        let values = fields
            .map(|(field, declared)| {
                (field.clone(), sample(&schema(declared), &format!("{id}/{field}")))
            })
            .collect();
        outputs.insert(id, Value::Object(values));
    }
    let cut = |text: &str| match made.get(text) {
        Some((step, field)) => {
            vec![ReferencePiece::Read { step: step.clone(), path: vec![field.clone()] }]
        }
        None => vec![ReferencePiece::Text(text.to_owned())],
    };
    let step = |(index, call): (usize, &NestToolsCall)| {
        let (id, (parameters, reads)) =
            (format!("call_{index}"), translate(&call.parameters, &cut));
        GoldStep {
            tool: call.api_name.clone(),
            parameters,
            reads,
            arguments: expected(&Value::Object(call.parameters.clone()), &cut, &outputs),
            output: outputs.get(&id).cloned().unwrap_or_default(),
            id,
        }
    };
    let steps = row.call.iter().enumerate().map(step).collect();
    let used: BTreeSet<&str> = row.call.iter().map(|call| call.api_name.as_str()).collect();
    let tools = used.into_iter().filter_map(|id| apis.get(id)).map(|api| declare(api)).collect();
    let (id, contradictions) = (row.test_id.to_string(), BTreeSet::new());
    GoldPlan { id, steps, tools, answer: None, contradictions }
}

fn declare(api: &NestToolsApi) -> DeclaredTool {
    let responses: Map<String, Value> = api.responses.0.iter().cloned().collect();
    let (inputs, required) = (schemas(&api.parameters), &api.required);
    let names: Vec<&String> = responses.keys().collect();
    let outputs = schemas(&responses);
    DeclaredTool {
        id: api.name.clone(),
        input_schema: json!({"type": "object", "properties": inputs, "required": required}),
        output_schema: json!({"type": "object", "properties": outputs, "required": names}),
    }
}
