//! Reads the tool specs of NESTFUL, which come in several formats.

use super::case::DeclaredTool;
use super::sample::{schema, schemas};
use crate::cases::files;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The name of the call that only collects the results for the user.
const COLLECT: &str = "var_result";

/// The default for parameters that a spec declares neither required nor optional.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Required unless declared optional.
    UnlessSaidOtherwise,
    /// Optional unless declared required.
    IfSaid,
}

/// All specs of a folder, by name.
pub(crate) struct Specs(BTreeMap<String, DeclaredTool>);

impl Specs {
    /// Reads every `*-spec.json`.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut specs: BTreeMap<String, DeclaredTool> = BTreeMap::new();
        for file in files(folder, "", "-spec.json")? {
            let listed: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
            for spec in &listed {
                let tool = declare(spec, Need::IfSaid);
                match specs.get_mut(&tool.id) {
                    Some(known) => merge(known, tool),
                    None => _ = specs.insert(tool.id.clone(), tool),
                }
            }
        }
        Ok(Self(specs))
    }

    /// Returns a tool by name.
    pub(crate) fn get(&self, id: &str) -> Option<DeclaredTool> {
        if id == COLLECT {
            return Some(open(id));
        }
        self.0.get(id).cloned()
    }
}

/// Merges two specs of the same name: the union of the fields, the intersection of the required parameters.
fn merge(known: &mut DeclaredTool, other: DeclaredTool) {
    let needed = |tool: &DeclaredTool| tool.required().map(str::to_owned).collect::<Vec<_>>();
    let (mine, theirs) = (needed(known), needed(&other));
    let required: Vec<&String> = mine.iter().filter(|name| theirs.contains(name)).collect();
    let properties = |schema: &Value| match schema.get("properties") {
        Some(Value::Object(properties)) => properties.clone(),
        _ => Map::new(),
    };
    let both = |a: &Value, b: &Value| {
        let mut all = properties(a);
        all.extend(properties(b));
        all
    };
    let inputs = both(&known.input_schema, &other.input_schema);
    let outputs = both(&known.output_schema, &other.output_schema);
    known.input_schema = json!({"type": "object", "properties": inputs, "required": required});
    known.output_schema = json!({"type": "object", "properties": outputs});
}

/// Returns a tool that accepts any object.
pub(crate) fn open(id: &str) -> DeclaredTool {
    let result = json!({"type": "object", "properties": {"result": {}}});
    DeclaredTool {
        id: id.to_owned(),
        input_schema: json!({"type": "object"}),
        output_schema: result,
    }
}

/// Converts a spec to a tool.
pub(crate) fn declare(spec: &Value, silent: Need) -> DeclaredTool {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let kinds = ["parameters", "query_parameters", "path_parameters", "arguments"];
    for written in kinds.iter().filter_map(|kind| spec.get(kind)?.as_object()) {
        let (inner, listed) = inside(written);
        for (name, declared) in inner {
            let said = match &listed {
                Some(listed) => listed.contains(&json!(name)),
                None => declared
                    .get("required")
                    .and_then(Value::as_bool)
                    .unwrap_or(silent == Need::UnlessSaidOtherwise),
            };
            required.extend(said.then(|| name.clone()));
            properties.insert(name.clone(), schema(declared));
        }
    }
    let outputs = ["output_parameters", "output_parameter"].iter().find_map(|key| spec.get(key));
    let outputs = outputs.and_then(Value::as_object).map(|written| schemas(inside(written).0));
    DeclaredTool {
        id: spec.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        input_schema: json!({"type": "object", "properties": properties, "required": required}),
        output_schema: json!({"type": "object", "properties": outputs.unwrap_or(json!({}))}),
    }
}

/// Returns the declared fields, written plainly or as a JSON Schema, and the `required` list of a schema.
fn inside(written: &Map<String, Value>) -> (&Map<String, Value>, Option<Vec<Value>>) {
    let is_schema = written.get("properties").and_then(Value::as_object);
    let is_schema = is_schema.filter(|_| written.get("type").is_none_or(Value::is_string));
    match is_schema {
        Some(properties) => {
            let required = written.get("required").and_then(Value::as_array);
            (properties, Some(required.cloned().unwrap_or_default()))
        }
        None => (written, None),
    }
}

impl DeclaredTool {
    /// Removes the types of the parameters, which the gold plans violate.
    pub(crate) fn untyped(mut self) -> Self {
        forget_types(&mut self.input_schema);
        self
    }

    /// Removes the types of the outputs, which the recorded runs violate.
    pub(crate) fn any_output(mut self) -> Self {
        forget_types(&mut self.output_schema);
        self
    }
}

fn forget_types(schema: &mut Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(|property| *property = json!({}));
    }
}
