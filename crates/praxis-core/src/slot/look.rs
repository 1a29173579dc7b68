//! Looks up the schema of one place in a value.
//!
//! - in: a schema that stands alone, and a place
//! - out: the schema of that place, through references, `allOf` and alternatives
//! - never: returns a field that no schema mentions

use super::inline::target;
use crate::choice::condition::compiled;
use crate::pointer::index;
use serde_json::{Map, Value, json};

/// Returns the schemas that all apply to a value: the schema itself, its `$ref` target and its `allOf`, each once.
pub(super) fn parts<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Map<String, Value>> {
    let mut found = Vec::new();
    gather(root, schema, &mut found);
    found
}

fn gather<'a>(root: &'a Value, schema: &'a Value, found: &mut Vec<&'a Map<String, Value>>) {
    let is_known = |map: &Map<String, Value>| found.iter().any(|other| std::ptr::eq(*other, map));
    let Some(map) = schema.as_object().filter(|map| !is_known(map)) else { return };
    found.push(map);
    let referred = map.get("$ref").and_then(Value::as_str).and_then(|it| target(root, it));
    let all = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
    for inner in referred.into_iter().chain(all) {
        gather(root, inner, found);
    }
}

/// Returns the required property names.
pub(super) fn required<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    let names = |part: &'a Map<String, Value>| part.get("required").and_then(Value::as_array);
    let all = parts(root, schema).into_iter().filter_map(names).flatten();
    let mut found: Vec<&str> = Vec::new();
    for name in all.filter_map(Value::as_str) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Returns the schema of a place. Several applicable schemas are combined in one `allOf`.
pub(super) fn at(root: &Value, schema: &Value, tokens: &[String]) -> Option<Value> {
    match tokens.split_first() {
        None => Some(schema.clone()),
        Some((first, rest)) => {
            let inner = child(root, schema, first)?;
            at(root, &inner, rest)
        }
    }
}

/// Returns the schema of a field or item. If only alternatives and conditions mention it, any of them is accepted
/// (`anyOf`): validation of the whole value decides which one applies.
pub(super) fn child(root: &Value, schema: &Value, token: &str) -> Option<Value> {
    let mut known = parts(root, schema);
    if let Some(own) = own_child_of(&known, token) {
        return Some(own);
    }
    let mut open: Vec<&Value> = known.iter().flat_map(|part| ways(part)).collect();
    let mut found = Vec::new();
    while let Some(way) = open.pop() {
        let mut parts = parts(root, way);
        parts.retain(|part| !known.iter().any(|other| std::ptr::eq(*other, *part)));
        match own_child_of(&parts, token) {
            Some(own) => found.push(own),
            None => open.extend(parts.iter().flat_map(|part| ways(part))),
        }
        known.append(&mut parts);
    }
    found.reverse();
    let is_required = || required(root, schema).contains(&token).then(|| json!({}));
    one_of(distinct(found), "anyOf").or_else(is_required)
}

/// Returns the combined schema of a field from schemas that all apply.
fn own_child_of(parts: &[&Map<String, Value>], token: &str) -> Option<Value> {
    let own = parts.iter().filter_map(|part| own_child(part, token)).collect();
    one_of(distinct(own), "allOf")
}

/// Returns the subschemas of which not all must apply.
fn ways(part: &Map<String, Value>) -> Vec<&Value> {
    let one = ["then", "else"].iter().filter_map(|key| part.get(*key));
    let listed = ["anyOf", "oneOf"].iter().filter_map(|key| part.get(*key)?.as_array());
    let named = part.get("dependentSchemas").and_then(Value::as_object);
    one.chain(listed.flatten()).chain(named.into_iter().flat_map(Map::values)).collect()
}

/// Removes duplicates, and schemas that allow anything if there are others.
fn distinct(found: Vec<Value>) -> Vec<Value> {
    let says_nothing = |value: &Value| *value == Value::Bool(true) || *value == json!({});
    let several = found.len() > 1 && !found.iter().all(says_nothing);
    let mut kept: Vec<Value> = Vec::new();
    for value in found.into_iter().filter(|value| !several || !says_nothing(value)) {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

fn one_of(mut found: Vec<Value>, several: &str) -> Option<Value> {
    match found.len() {
        0 | 1 => found.pop(),
        _ => Some(json!({ several: found })),
    }
}

/// Returns the schema of a field or item from a single part.
fn own_child(part: &Map<String, Value>, token: &str) -> Option<Value> {
    if let Some(named) = part.get("properties").and_then(|all| all.get(token)) {
        return Some(named.clone());
    }
    let patterns = part.get("patternProperties").and_then(Value::as_object);
    let by_pattern = patterns
        .into_iter()
        .flatten()
        .find(|(pattern, _)| compiled(pattern).is_ok_and(|pattern| pattern.is_match(token)));
    if let Some((_, schema)) = by_pattern {
        return Some(schema.clone());
    }
    let items = || index(token).and_then(|index| item(part, index));
    let more = part.get("additionalProperties").filter(|more| **more != Value::Bool(false));
    items().or_else(|| more.cloned())
}

/// Returns the schema of an item: its own, or that of the remaining items.
fn item(part: &Map<String, Value>, index: usize) -> Option<Value> {
    let items = part.get("items");
    let own = part.get("prefixItems").or(items.filter(|items| items.is_array()));
    if let Some(own) = own.and_then(|own| own.get(index)) {
        return Some(own.clone());
    }
    let rest = items.filter(|items| !items.is_array()).or_else(|| part.get("additionalItems"));
    let anything = || (part.get("type")? == "array").then(|| json!({}));
    match rest {
        Some(Value::Bool(false)) => None,
        Some(rest) => Some(rest.clone()),
        None => anything(),
    }
}

/// Returns true if the schema describes a list.
pub(super) fn is_list(root: &Value, schema: &Value) -> bool {
    let parts = parts(root, schema);
    let kinds = |part: &&Map<String, Value>| part.get("type").cloned();
    match parts.iter().find_map(kinds) {
        Some(Value::String(kind)) => kind == "array",
        Some(kinds) => has(&kinds, "array") && !has(&kinds, "object"),
        None => parts.iter().any(|part| {
            (part.contains_key("items") || part.contains_key("prefixItems"))
                && !part.contains_key("properties")
        }),
    }
}

fn has(kinds: &Value, kind: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|it| it == kind))
}
