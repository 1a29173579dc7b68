//! Static types of values, derived from JSON Schemas.

use crate::choice::kind::JsonKind;
use crate::dataflow::path::Segment;
use crate::lang::type_zh;
use crate::problem::Bilingual;
use serde_json::Value;

/// Returns the schema of a part of a value, or `None` if the schema does not describe it.
pub fn part<'a>(schema: &'a Value, path: &[Segment]) -> Option<&'a Value> {
    path.iter().try_fold(schema, |schema, segment| match segment {
        Segment::Key(name) | Segment::Quoted(name) => schema.get("properties")?.get(&**name),
        Segment::Index(_) => schema.get("items"),
    })
}

/// Returns the JSON types that a schema allows, or `None` if it does not say.
pub fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Returns the given and the wanted types, in both languages, if no value can have both.
pub fn clash(given: &Value, wanted: &Value) -> Option<(Bilingual, Bilingual)> {
    let (given, wanted) = (types(given)?, types(wanted)?);
    let fits = |given: &&str| {
        let same = |wanted: &&str| {
            given == wanted
                || (matches!(*given, "integer" | "number")
                    && matches!(*wanted, "integer" | "number"))
        };
        wanted.iter().any(same)
    };
    (!given.iter().any(fits)).then(|| (listed(&given), listed(&wanted)))
}

fn listed(types: &[&str]) -> Bilingual {
    let zh: Vec<&str> = types.iter().map(|name| type_zh(name)).collect();
    (types.join(" or "), zh.join("或")).into()
}

/// Returns the only kind that a value of this schema can have.
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
