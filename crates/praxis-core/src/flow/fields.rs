//! Reads single fields of a flow file: texts, tables, flags; and reports unknown fields.

use super::problems::FlowProblems;
use super::reader::FlowReader;
use crate::lang::type_zh;
use crate::near::near;
use crate::payload::shape;
use crate::problem::Bilingual;
use serde_json::{Map, Value};

/// Reports a value of the wrong shape, with an example of the right one.
pub(super) fn misshapen(
    findings: &mut FlowProblems,
    at: &str,
    wanted: impl Into<Bilingual>,
    (example, found): (&str, &Value),
) {
    let Bilingual { en, zh } = wanted.into();
    let found = shape(found);
    findings.blame(
        "flow_shape",
        at,
        (format!("{en}, got `{found}`"), format!("{zh}，实际为{}", type_zh(found))),
        (format!("write it like `{example}`"), format!("写成 `{example}` 的形式")),
    );
}

impl FlowReader<'_> {
    /// Reports a value of the wrong shape, with an example of the right one.
    pub(super) fn shape(
        &mut self,
        at: &str,
        wanted: impl Into<Bilingual>,
        example: &str,
        found: &Value,
    ) {
        misshapen(self.findings, at, wanted, (example, found));
    }

    /// Reports every key that is not a known field.
    pub(super) fn known_keys(&mut self, map: &Map<String, Value>, known: &[&[&str]], at: &str) {
        let known: Vec<&str> = known.concat();
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            self.findings.blame_near(
                ("unknown_field", at.trim_end_matches(", ")),
                (format!("unknown field `{key}`"), format!("未知字段 `{key}`")),
                &near(key, known.iter().copied()),
                (
                    format!("remove it; known fields: {}", known.join(", ")),
                    format!("删除它；可用字段：{}", known.join("、")),
                ),
            );
        }
    }

    /// Reads a text; empty if it is absent.
    pub(super) fn text(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> String {
        match map.get(key) {
            None => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => {
                let example = format!("{key}: \"…\"");
                self.shape(
                    &format!("{at}{key}"),
                    ("expected a string", "应为字符串"),
                    &example,
                    other,
                );
                String::new()
            }
        }
    }

    /// Reads a table; empty if it is absent.
    pub(super) fn table(
        &mut self,
        map: &Map<String, Value>,
        key: &str,
        at: &str,
    ) -> Map<String, Value> {
        match map.get(key) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(table)) => table.clone(),
            Some(other) => {
                let value = if key == "inputs" { "{type: string}" } else { "value" };
                let example = format!("{key}: {{name: {value}}}");
                self.shape(
                    &format!("{at}{key}"),
                    ("expected an object", "应为对象"),
                    &example,
                    other,
                );
                Map::new()
            }
        }
    }

    /// Reads a boolean; `None` if it is absent.
    pub(super) fn flag(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Option<bool> {
        let value = map.get(key)?;
        if value.as_bool().is_none() {
            let wanted = ("expected true or false", "应为 true 或 false");
            self.shape(&format!("{at}{key}"), wanted, &format!("{key}: true"), value);
        }
        value.as_bool()
    }
}
