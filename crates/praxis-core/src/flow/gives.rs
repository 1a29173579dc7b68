//! Finds the declared outputs of nodes, and reports references to fields that a node does not give.

use super::file::{FlowItem, NodeBody};
use super::position::FlowPosition;
use super::problems::FlowProblems;
use super::references::{FlowNames, local};
use super::types::{kind, part};
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::choice::kind::JsonKind;
use crate::dataflow::path::{Segment, print};
use crate::dataflow::template::{ParameterTemplate, Placeholder, PlaceholderTarget};
use crate::near::near;
use crate::problem::Bilingual;
use crate::schema::may_have;
use crate::slot::merge::merge;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

impl<'a> FlowNames<'a> {
    /// Reports a field that the declared output cannot have.
    pub(super) fn field(
        &self,
        id: &str,
        path: &[Segment],
        (source, here): (&str, &FlowPosition<'_>),
        findings: &mut FlowProblems,
    ) {
        let Some(declared) = self.output_of(id) else {
            return self.given_field(id, path, (source, here), findings);
        };
        let mut schema = &*declared;
        for (walked, segment) in path.iter().enumerate() {
            let (Segment::Key(name) | Segment::Quoted(name)) = segment else { return };
            if !may_have(schema, name) {
                let fields = schema.get("properties").and_then(Value::as_object);
                let fields: Vec<&str> =
                    fields.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                let reached = print(path.get(..walked).unwrap_or_default());
                let mend: Bilingual = if fields.is_empty() {
                    ("it has no fields; refer to another node", "它没有字段；请引用其他节点").into()
                } else {
                    let (en, zh) = (fields.join(", "), fields.join("、"));
                    (format!("its fields are {en}"), format!("它的字段有 {zh}")).into()
                };
                findings.blame_near(
                    ("flow_reference", &here.at),
                    (
                        format!("`{source}`: `{}`{reached} has no field `{name}`", local(id)),
                        format!("`{source}`：`{}`{reached} 没有字段 `{name}`", local(id)),
                    ),
                    &near(name, fields.iter().copied()),
                    mend,
                );
                return;
            }
            match part(schema, std::slice::from_ref(segment)) {
                Some(inner) => schema = inner,
                None => return,
            }
        }
    }

    /// Reports a field that is not among the outputs of inner nodes or of a called flow.
    fn given_field(
        &self,
        id: &str,
        path: &[Segment],
        (source, here): (&str, &FlowPosition<'_>),
        findings: &mut FlowProblems,
    ) {
        let Some(Segment::Key(name) | Segment::Quoted(name)) = path.first() else { return };
        let Some(fields) = self.nodes.get(id).and_then(|item| self.gives(item)) else { return };
        if fields.iter().any(|field| **field == **name) {
            return;
        }
        let mend = if fields.is_empty() {
            (
                format!("declare the output in that node: `outputs: {{{name}: …}}`"),
                format!("在该节点中声明此输出：`outputs: {{{name}: …}}`"),
            )
        } else {
            (
                format!(
                    "its outputs are {}; declare others under its `outputs`",
                    fields.join(", ")
                ),
                format!("它的输出有 {}；其他输出请在它的 `outputs` 下声明", fields.join("、")),
            )
        };
        findings.blame_near(
            ("flow_reference", &here.at),
            (
                format!("`{source}`: `{}` has no output `{name}`", local(id)),
                format!("`{source}`：`{}` 没有输出 `{name}`", local(id)),
            ),
            &near(name, fields.iter().copied()),
            mend,
        );
    }

    /// Returns the output names of a node with nodes inside, or `None` if they are known only at run time.
    fn gives(&self, item: &'a FlowItem) -> Option<Vec<&'a str>> {
        let names = |outputs: &'a Map<String, Value>| outputs.keys().map(String::as_str);
        if !item.output.is_empty() {
            return None;
        }
        match &item.inside {
            NodeBody::Nothing | NodeBody::Choice(_) | NodeBody::Agent(_) => None,
            NodeBody::Nodes(nested) => Some(names(&nested.outputs).collect()),
            NodeBody::Flow(name) => Some(names(&self.ground.flows.get(name)?.outputs).collect()),
            NodeBody::Loop(repeated) => {
                let own = ["iteration_count", "stop_reason", "failed_count"].into_iter();
                let kept = repeated.collect.as_ref().map(|_| "collected");
                Some(own.chain(kept).chain(names(&repeated.nested.outputs)).collect())
            }
        }
    }

    /// Returns the declared output schema of a node, with the node's overrides.
    pub(super) fn output_of(&self, id: &str) -> Option<Cow<'a, Value>> {
        let item = self.nodes.get(id)?;
        if item.graph().is_some() || matches!(item.inside, NodeBody::Flow(_)) {
            return None;
        }
        let tool = self.ground.tool(&item.call)?;
        let declared = match own(&tool.id) {
            Some(OwnCall::Convert) => converted(item).map(Cow::Owned),
            Some(OwnCall::Empty) => Some(Cow::Owned(json!({"properties": {}}))),
            // The outputs of these are known only at run time.
            Some(OwnCall::SubFlow | OwnCall::Loop) => None,
            Some(_) | None => tool.output_schema.as_ref().map(Cow::Borrowed),
        };
        if item.output.is_empty() {
            return declared;
        }
        let declared =
            declared.unwrap_or_else(|| Cow::Owned(json!({"additionalProperties": true})));
        merge(&declared, &item.output).ok().map(Cow::Owned)
    }

    /// Returns the kind of a value, if it is declared.
    pub(super) fn kind_of(&self, value: &Value, here: &FlowPosition<'_>) -> Option<JsonKind> {
        match self.template(value, here) {
            ParameterTemplate::Literal(value) => Some(JsonKind::of(&value)),
            ParameterTemplate::Whole(placeholder) => {
                self.schema_of(&placeholder).and_then(|it| kind(&it))
            }
            ParameterTemplate::Text(_) => Some(JsonKind::String),
            ParameterTemplate::Array(_) => Some(JsonKind::List),
            ParameterTemplate::Object(_) => Some(JsonKind::Object),
        }
    }

    /// Returns the declared schema of the value that a placeholder refers to.
    pub(super) fn schema_of(&self, placeholder: &Placeholder) -> Option<Value> {
        match &placeholder.target {
            PlaceholderTarget::Output { step, path } | PlaceholderTarget::Field { step, path } => {
                let id = self.context.id_of(*step)?;
                part(&*self.output_of(id.as_str())?, path).cloned()
            }
            PlaceholderTarget::Name { name, path, .. }
            | PlaceholderTarget::Initial { name, path } => {
                part(self.flow.inputs.get(&**name)?, path).cloned()
            }
            PlaceholderTarget::Variable { .. }
            | PlaceholderTarget::UnknownStep { .. }
            | PlaceholderTarget::Malformed(_) => None,
        }
    }
}

/// Returns the output schema of `Convert`: its `text` and `data`, or the fields of `data` if that is all it gets.
fn converted(item: &FlowItem) -> Option<Value> {
    let given = |name: &str| item.params.get(name).or_else(|| item.known.get(name));
    match (given("text"), given("data")) {
        (None, Some(data @ Value::Object(_))) => Some(shape(data)),
        // A placeholder may resolve to an object, and a missing value may be asked for.
        (None, _) => None,
        (Some(_), None) => Some(json!({"properties": {"text": {"type": "string"}}})),
        (Some(_), Some(data)) => {
            Some(json!({"properties": {"text": {"type": "string"}, "data": shape(data)}}))
        }
    }
}

/// Derives a schema from a value as it is written in the file.
fn shape(written: &Value) -> Value {
    match written {
        Value::Object(fields) => {
            let fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect();
            json!({"type": "object", "properties": fields})
        }
        Value::Array(_) => json!({"type": "array"}),
        Value::String(text) if text.contains("{{") || text.contains('$') => json!({}),
        Value::String(_) => json!({"type": "string"}),
        Value::Number(_) => json!({"type": "number"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Null => json!({}),
    }
}
