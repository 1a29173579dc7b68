//! What is known of the kind of a value before anything runs.

use crate::choice::kind::JsonKind;
use crate::dataflow::path::Segment;
use serde_json::Value;

/// The schema of a part of a value; none where nothing is said of it.
pub fn part<'a>(schema: &'a Value, path: &[Segment]) -> Option<&'a Value> {
    path.iter().try_fold(schema, |schema, segment| match segment {
        Segment::Key(name) | Segment::Quoted(name) => schema.get("properties")?.get(&**name),
        Segment::Index(_) => schema.get("items"),
    })
}

/// The JSON types that a schema allows; none if it does not say.
pub fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Whether no value of the one kind can be of the other.
pub fn clash(given: &Value, wanted: &Value) -> Option<(String, String)> {
    let (given, wanted) = (types(given)?, types(wanted)?);
    let fits = |given: &&str| {
        let same = |wanted: &&str| {
            given == wanted
                || (matches!(*given, "integer" | "number")
                    && matches!(*wanted, "integer" | "number"))
        };
        wanted.iter().any(same)
    };
    (!given.iter().any(fits)).then(|| (given.join(" or "), wanted.join(" or ")))
}

/// The only kind that a value of this schema can have.
pub fn kind(schema: &Value) -> Option<JsonKind> {
    match types(schema)?.as_slice() {
        ["integer" | "number"] | ["integer", "number"] | ["number", "integer"] => {
            Some(JsonKind::Number)
        }
        ["string"] => Some(JsonKind::String),
        ["boolean"] => Some(JsonKind::Bool),
        ["array"] => Some(JsonKind::List),
        ["object"] => Some(JsonKind::Object),
        ["null"] => Some(JsonKind::Null),
        _ => None,
    }
}
