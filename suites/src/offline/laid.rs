//! A plan as it entered a task, or its finished steps, with placeholders of metadata resolved.

use praxis_core::dataflow::lex::{LexedPiece, lex};
use praxis_core::ids::ToolId;
use praxis_core::intake::plan::PlannedStep;
use praxis_core::state::step::ParameterOverride;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A plan in the form that is compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laid {
    pub(crate) steps: Vec<LaidStep>,
    /// The default values of the workflow, which hold unless the goal overrides them.
    pub(crate) defaults: Vec<Value>,
}

/// A step of the plan.
#[derive(Clone, Debug)]
pub(crate) struct LaidStep {
    pub(crate) id: String,
    pub(crate) tool: ToolId,
    /// The arguments with metadata filled in; an argument whose metadata is missing is left out.
    pub(crate) arguments: Map<String, Value>,
    /// The ids of the steps that it refers to or depends on.
    pub(crate) after: BTreeSet<String>,
}

impl LaidStep {
    /// Converts a planned step; `ids` are the ids of all steps.
    pub(crate) fn of(
        step: &PlannedStep,
        metadata: &Map<String, Value>,
        ids: &BTreeSet<String>,
    ) -> Self {
        let mut filling = Filling { metadata, ids, after: BTreeSet::new() };
        let mut arguments = Map::new();
        for (name, value) in step.parameters.as_object().into_iter().flatten() {
            let value = filling.filled(value);
            arguments.extend(value.map(|value| (name.clone(), value)));
        }
        let mut after = filling.after;
        after.extend(step.depends_on.iter().map(ToString::to_string));
        Self { id: step.id.to_string(), tool: step.tool.clone(), arguments, after }
    }

    /// Applies the values that replaced arguments before the call. They come from repair rules, since nobody answers
    /// questions in this suite.
    pub(crate) fn put_right(mut self, given: &BTreeMap<String, ParameterOverride>) -> Self {
        let mut arguments = Value::Object(std::mem::take(&mut self.arguments));
        for (pointer, given) in given {
            let name = pointer.trim_start_matches('/');
            if let (false, Some(fields)) = (name.contains('/'), arguments.as_object_mut()) {
                fields.remove(name);
                let value = Some(&given.value).filter(|_| !given.left_out);
                fields.extend(value.map(|value| (name.to_owned(), value.clone())));
            } else if let Some(place) = arguments.pointer_mut(pointer) {
                *place = given.value.clone();
            }
        }
        if let Value::Object(fields) = arguments {
            self.arguments = fields;
        }
        self
    }
}

/// Resolves metadata, and collects the steps that are referred to.
struct Filling<'a> {
    metadata: &'a Map<String, Value>,
    ids: &'a BTreeSet<String>,
    after: BTreeSet<String>,
}

impl Filling<'_> {
    /// Returns a parameter with metadata filled in, or `None` if the metadata lacks a value for it.
    fn filled(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => self.filled_text(text),
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(fields) => {
                let mut field =
                    |(key, value): (&String, &Value)| Some((key.clone(), self.filled(value)?));
                fields.iter().map(&mut field).collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.clone()),
        }
    }

    fn filled_text(&mut self, text: &str) -> Option<Value> {
        match lex(text).as_slice() {
            [LexedPiece::Reference(expression)] => {
                let name = expression.segments.first()?.to_string();
                let name = name.trim_start_matches('.');
                if self.ids.contains(name) {
                    self.after.insert(name.to_owned());
                    return Some(Value::from(text));
                }
                self.metadata.get(name).cloned()
            }
            [LexedPiece::Literal(text)] => Some(Value::from(text.as_str())),
            _ => Some(Value::from(text)),
        }
    }
}
