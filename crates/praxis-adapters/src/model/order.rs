//! Serializes JSON with the fields of an answer's schema in the order in which a model should fill them in.
//!
//! - in: a value, whose keys have no order of their own, and a `SchemaGuide`
//! - out: its text: keys unknown to the guide first, then the known ones in the guide's order; `properties` of a
//!   schema without a guide in the order of its `required`
//! - never: adds, drops or changes a value

use praxis_core::prompt::schema_text;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// Order in which keys are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SchemaGuide {
    /// Keys of an object in order, each with the guide of its value.
    Keys(Vec<(String, SchemaGuide)>),
    /// Guides of the items of an array.
    Items(Vec<SchemaGuide>),
    /// Nothing to order.
    Plain,
}

impl SchemaGuide {
    /// Reads the order of a stage's schema from its file.
    pub(super) fn of_stage(name: &str) -> Option<Self> {
        serde_json::from_str(schema_text(name)?).ok()
    }

    /// Returns a guide that applies `inner` to the value below the path `keys`.
    pub(super) fn at(keys: &[&str], inner: Self) -> Self {
        let within = |inner, key: &&str| Self::Keys(vec![((*key).to_owned(), inner)]);
        keys.iter().rev().fold(inner, within)
    }

    /// Merges guides for different keys of one object.
    pub(super) fn all(guides: impl IntoIterator<Item = Self>) -> Self {
        let keys = guides.into_iter().flat_map(|guide| match guide {
            Self::Keys(keys) => keys,
            Self::Items(_) | Self::Plain => Vec::new(),
        });
        Self::Keys(keys.collect())
    }
}

/// Serializes a value in the order of a guide.
pub(super) fn text(value: &Value, guide: Option<&SchemaGuide>) -> String {
    let written = serde_json::to_string(&OrderedJson { value, guide });
    written.unwrap_or_else(|_| value.to_string())
}

struct OrderedJson<'a> {
    value: &'a Value,
    guide: Option<&'a SchemaGuide>,
}

impl Serialize for OrderedJson<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match (self.value, self.guide) {
            (Value::Object(map), Some(SchemaGuide::Keys(keys))) => {
                let mut written = out.serialize_map(Some(map.len()))?;
                let is_known = |name: &String| keys.iter().any(|(known, _)| known == name);
                for (name, value) in map.iter().filter(|(name, _)| !is_known(name)) {
                    let guide = as_required(map, name);
                    written.serialize_entry(name, &OrderedJson { value, guide: guide.as_ref() })?;
                }
                for (name, guide) in keys {
                    let Some(value) = map.get(name) else { continue };
                    written.serialize_entry(name, &OrderedJson { value, guide: Some(guide) })?;
                }
                written.end()
            }
            (Value::Array(items), Some(SchemaGuide::Items(guides))) => {
                let mut written = out.serialize_seq(Some(items.len()))?;
                for (position, value) in items.iter().enumerate() {
                    let guide = guides.get(position);
                    written.serialize_element(&OrderedJson { value, guide })?;
                }
                written.end()
            }
            (Value::Object(map), _) => {
                let mut written = out.serialize_map(Some(map.len()))?;
                for (name, value) in map {
                    let guide = as_required(map, name);
                    written.serialize_entry(name, &OrderedJson { value, guide: guide.as_ref() })?;
                }
                written.end()
            }
            (Value::Array(items), _) => {
                out.collect_seq(items.iter().map(|value| OrderedJson { value, guide: None }))
            }
            (value, _) => value.serialize(out),
        }
    }
}

/// Returns the order of a schema's `properties`: as in its `required`, the only list in a schema that keeps an order,
/// then the optional ones.
fn as_required(schema: &Map<String, Value>, name: &str) -> Option<SchemaGuide> {
    let properties = schema.get(name).filter(|_| name == "properties")?.as_object()?;
    let required: Vec<&str> =
        schema.get("required")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let is_there = |name: &&str| properties.contains_key(*name);
    let is_free = |name: &&str| !required.contains(name);
    let first = required.iter().copied().filter(is_there);
    let all = first.chain(properties.keys().map(String::as_str).filter(is_free));
    Some(SchemaGuide::Keys(all.map(|name| (name.to_owned(), SchemaGuide::Plain)).collect()))
}

impl<'de> Deserialize<'de> for SchemaGuide {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(OrderReader)
    }
}

struct OrderReader;

impl<'de> Visitor<'de> for OrderReader {
    type Value = SchemaGuide;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SchemaGuide, A::Error> {
        let mut keys: Vec<(String, SchemaGuide)> = Vec::new();
        while let Some((name, guide)) = map.next_entry::<String, SchemaGuide>()? {
            keys.retain(|(known, _)| *known != name);
            keys.push((name, guide));
        }
        Ok(SchemaGuide::Keys(keys))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<SchemaGuide, A::Error> {
        let mut guides = Vec::new();
        while let Some(guide) = items.next_element()? {
            guides.push(guide);
        }
        Ok(SchemaGuide::Items(guides))
    }

    fn visit_str<E>(self, _: &str) -> Result<SchemaGuide, E> {
        Ok(SchemaGuide::Plain)
    }

    fn visit_bool<E>(self, _: bool) -> Result<SchemaGuide, E> {
        Ok(SchemaGuide::Plain)
    }

    fn visit_u64<E>(self, _: u64) -> Result<SchemaGuide, E> {
        Ok(SchemaGuide::Plain)
    }

    fn visit_i64<E>(self, _: i64) -> Result<SchemaGuide, E> {
        Ok(SchemaGuide::Plain)
    }

    fn visit_f64<E>(self, _: f64) -> Result<SchemaGuide, E> {
        Ok(SchemaGuide::Plain)
    }

    fn visit_unit<E>(self) -> Result<SchemaGuide, E> {
        Ok(SchemaGuide::Plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_written_as_the_guide_has_them_and_unknown_ones_before() {
        let file =
            r#"{"z": {"why": 1, "is_good": true}, "a": [{"y": null, "b": -1.5}], "gone": "x"}"#;
        let guide: SchemaGuide = serde_json::from_str(file).unwrap();
        let value = json!({"a": [{"b": 1, "y": 2}, {"b": 3, "y": 4}], "new": 5, "z": {"is_good": true, "why": "so"}});
        let expected =
            r#"{"new":5,"z":{"why":"so","is_good":true},"a":[{"y":2,"b":1},{"b":3,"y":4}]}"#;
        assert_eq!(text(&value, Some(&guide)), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), value);
        assert_eq!(text(&value, None), value.to_string());
    }

    #[test]
    fn properties_without_a_guide_are_written_as_they_are_required_at_any_depth() {
        let inner = json!({"type": "object", "required": ["why", "is_good", "gone"],
            "properties": {"a": {}, "is_good": {}, "why": {}}});
        let list = json!({"items": inner, "properties": {"b": 1, "a": 2}});
        let expected = r#"{"items":{"properties":{"why":{},"is_good":{},"a":{}},"required":["why","is_good","gone"],"type":"object"},"properties":{"a":2,"b":1}}"#;
        assert_eq!(text(&list, None), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), list);
        // Also in a place that the guide describes differently.
        let guide = serde_json::from_str(r#"{"answer": {"type": "string"}}"#).unwrap();
        let written = text(&json!({"answer": inner}), Some(&guide));
        assert!(written.contains(r#""properties":{"why":{},"is_good":{},"a":{}}"#), "{written}");
    }

    #[test]
    fn the_schema_of_every_stage_is_written_as_in_its_file() {
        for stage in ["selection", "planning", "evaluation", "reflection_step", "ai_reporter"] {
            let file = schema_text(stage).unwrap();
            let value: Value = serde_json::from_str(file).unwrap();
            let written = text(&value, SchemaGuide::of_stage(stage).as_ref());
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&written), bare(file), "{stage}");
        }
        assert_eq!(SchemaGuide::of_stage("no_stage"), None);
    }
}
