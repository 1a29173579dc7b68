//! Reads `--context FILE`: preferences, history and documents that belong to a goal.
//!
//! - in: an object with `user_preferences`, `conversation_history`, `additional_info`, `documents`
//! - out: the `GoalContext`; or all problems of the file
//! - never: accepts an unknown field

use crate::failure::CommandFailure;
use crate::inputs;
use praxis_core::goal::spec::{GoalContext, GoalDocument};
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

const FIELDS: [&str; 4] =
    ["user_preferences", "conversation_history", "additional_info", "documents"];
const DOCUMENT_FIELDS: [&str; 4] = ["name", "content", "doc_type", "description"];

/// Reads the `GoalContext` from a file.
pub(crate) fn read(path: &Path) -> Result<GoalContext, CommandFailure> {
    let (name, value) = (path.display().to_string(), inputs::read_params(path)?);
    let mut reading = ContextFileReader { name, problems: Vec::new() };
    let material = reading.material(value);
    if reading.problems.is_empty() {
        return Ok(material);
    }
    Err(CommandFailure::refused(reading.problems, ""))
}

/// Reader that collects the problems of a file.
struct ContextFileReader {
    name: String,
    problems: Vec<Problem>,
}

impl ContextFileReader {
    fn material(&mut self, value: Value) -> GoalContext {
        let Some(mut fields) = self.object("", value) else { return GoalContext::default() };
        self.known("", &fields, &FIELDS);
        let mut take = |name: &str| fields.remove(name).unwrap_or_default();
        let [preferences, history, more, documents] = FIELDS.map(&mut take);
        GoalContext {
            user_preferences: self.texts("user_preferences", preferences),
            conversation_history: self.texts("conversation_history", history),
            additional_info: self.named("additional_info", more),
            documents: self.documents(documents),
        }
    }

    /// Reads one text or a list of texts; an object `{role, content}` becomes `role: content`.
    fn texts(&mut self, at: &str, value: Value) -> Vec<String> {
        let items = match value {
            Value::Null => return vec![],
            Value::Array(items) => items,
            one => vec![one],
        };
        let items = items.into_iter().enumerate();
        items.filter_map(|(index, item)| self.text(&format!("{at}[{index}]"), item)).collect()
    }

    fn text(&mut self, at: &str, value: Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text),
            Value::Object(said) => {
                let part = |name: &str| said.get(name).and_then(Value::as_str);
                let text = part("role").zip(part("content"));
                let text = text.map(|(role, content)| format!("{role}: {content}"));
                if text.is_none() {
                    self.wants(
                        at,
                        (
                            "a string, or an object {role, content}",
                            "字符串，或对象 {role, content}",
                        ),
                    );
                }
                text
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                self.wants(at, ("a string", "字符串"));
                None
            }
        }
    }

    fn named(&mut self, at: &str, value: Value) -> BTreeMap<String, Value> {
        if value.is_null() {
            return BTreeMap::new();
        }
        self.object(at, value).unwrap_or_default().into_iter().collect()
    }

    fn documents(&mut self, value: Value) -> Vec<GoalDocument> {
        let items = match value {
            Value::Null => return vec![],
            Value::Array(items) => items,
            _ => {
                self.wants("documents", ("a list", "列表"));
                return vec![];
            }
        };
        let items = items.into_iter().enumerate();
        items
            .filter_map(|(index, item)| self.document(&format!("documents[{index}]"), item))
            .collect()
    }

    fn document(&mut self, at: &str, value: Value) -> Option<GoalDocument> {
        let fields = self.object(at, value)?;
        self.known(at, &fields, &DOCUMENT_FIELDS);
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        for name in DOCUMENT_FIELDS {
            let is_needed = name == "name" || name == "content";
            let is_there = fields.get(name).is_some_and(|value| !value.is_null());
            if (is_needed || is_there) && text(name).is_none() {
                self.wants(&format!("{at}.{name}"), ("a string", "字符串"));
            }
        }
        Some(GoalDocument {
            name: text("name")?,
            content: Payload::json(Value::String(text("content")?)),
            doc_type: text("doc_type").unwrap_or_default(),
            description: text("description").unwrap_or_default(),
        })
    }

    fn object(&mut self, at: &str, value: Value) -> Option<Map<String, Value>> {
        match value {
            Value::Object(fields) => Some(fields),
            _ => {
                self.wants(at, ("an object of names and values", "由名称和值组成的对象"));
                None
            }
        }
    }

    fn known(&mut self, at: &str, fields: &Map<String, Value>, known: &[&str]) {
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let place = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            let words = (format!("unknown field `{name}`"), format!("未知字段 `{name}`"));
            self.refuse(&place, words, known);
        }
    }

    fn wants(&mut self, at: &str, (en, zh): (&str, &str)) {
        self.refuse(at, (format!("expected {en}"), format!("应为{zh}")), &FIELDS);
    }

    fn refuse(&mut self, at: &str, words: (String, String), known: &[&str]) {
        let place = if at.is_empty() { self.name.clone() } else { format!("{}, {at}", self.name) };
        let fields = known.join(", ");
        let next = (format!("known fields: {fields}"), format!("可用字段：{fields}"));
        self.problems.push(Problem::new("params_shape", &place, words).next(next));
    }
}
