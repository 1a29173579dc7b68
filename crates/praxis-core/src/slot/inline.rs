//! Extracts a subschema so that it stands alone.
//!
//! - in: a schema, and the document that contains it
//! - out: an equivalent schema that does not need the document: references are replaced by their targets
//! - never: follows a reference to another document

use crate::schema::description::TRANSLATIONS;
use crate::schema::walk::with_inner;
use serde_json::{Map, Value, json};

/// Annotations: they do not affect validation and may stand beside a reference in every draft.
const NOTES: [&str; 10] = [
    "title",
    "description",
    TRANSLATIONS,
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "example",
];
/// Keywords for definitions, which an inlined schema does not need.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// The name of the containing document in `$defs` of a recursive schema.
pub(super) const ROOT: &str = "root";
/// Limits on the depth of nested references and on the total size of their targets.
const DEEPEST: usize = 40;
const MOST_BYTES: usize = 20_000;

/// Returns the target of a local reference.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let written = reference.strip_prefix('#')?;
    root.pointer(&percent_decoded(written)?)
}

/// Decodes the percent escapes of a URI fragment.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit =
                |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
            bytes.push(digit(rest.next()?)? * 16 + digit(rest.next()?)?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns an equivalent of a subschema of `root` that stands alone.
pub(super) fn standalone(root: &Value, schema: &Value) -> Value {
    let mut inliner = Inliner { root, on_the_way: vec![], bytes: 0, gave_up: false };
    let inlined = inliner.inline(schema);
    let mut alone = if inliner.gave_up { with_root(root, schema) } else { inlined };
    if let (Some(draft), Value::Object(map)) = (root.get("$schema"), &mut alone) {
        map.entry("$schema").or_insert_with(|| draft.clone());
    }
    alone
}

struct Inliner<'a> {
    root: &'a Value,
    on_the_way: Vec<String>,
    bytes: usize,
    gave_up: bool,
}

impl Inliner<'_> {
    fn inline(&mut self, schema: &Value) -> Value {
        let Value::Object(map) = schema else { return schema.clone() };
        let is_another = map.contains_key("$id") && !std::ptr::eq(schema, self.root);
        if self.gave_up || is_another || map.contains_key("$dynamicRef") {
            self.gave_up = true;
            return schema.clone();
        }
        let mut rest = map.clone();
        rest.retain(|key, _| !DEFINITIONS.contains(&key.as_str()) && key != "$anchor");
        let Some(reference) = rest.remove("$ref").and_then(|it| it.as_str().map(str::to_owned))
        else {
            return Value::Object(with_inner(&rest, &mut |inner| self.inline(inner)));
        };
        let referred = self.follow(&reference);
        let beside = if is_old(self.root) {
            Map::new()
        } else {
            with_inner(&rest, &mut |inner| self.inline(inner))
        };
        beside_reference(referred, beside)
    }

    fn follow(&mut self, reference: &str) -> Value {
        let found = target(self.root, reference);
        let is_round = self.on_the_way.iter().any(|other| other == reference);
        let Some(found) = found.filter(|_| !is_round && self.on_the_way.len() < DEEPEST) else {
            self.gave_up = true;
            return Value::Bool(true);
        };
        self.bytes += found.to_string().len();
        self.gave_up |= self.bytes > MOST_BYTES;
        self.on_the_way.push(reference.to_owned());
        let inlined = self.inline(found);
        self.on_the_way.pop();
        inlined
    }
}

/// Returns true for drafts up to 7, which ignore keywords beside a reference.
fn is_old(root: &Value) -> bool {
    let draft = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
    ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|old| draft.contains(old))
}

/// Combines the target of a reference with the keywords beside it: annotations override those of the target, other
/// keywords apply in addition to it.
fn beside_reference(referred: Value, mut beside: Map<String, Value>) -> Value {
    if beside.is_empty() {
        return referred;
    }
    let only_notes = beside.keys().all(|key| NOTES.contains(&key.as_str()));
    if let (true, Some(map)) = (only_notes, referred.as_object()) {
        let mut map = map.clone();
        map.append(&mut beside);
        return Value::Object(map);
    }
    if let Some(all) = beside.entry("allOf").or_insert_with(|| json!([])).as_array_mut() {
        all.push(referred);
    }
    Value::Object(beside)
}

/// Embeds the document in a schema that cannot be inlined, such as a recursive one.
fn with_root(root: &Value, schema: &Value) -> Value {
    let id = root.get("$id").and_then(Value::as_str);
    // A document with an `$id` is referred to by it, and keeps its references.
    let to = id.map_or(format!("#/$defs/{ROOT}"), |id| format!("{}#", id.trim_end_matches('#')));
    let Value::Object(mut alone) = moved(schema, "#", &to) else { return schema.clone() };
    for place in DEFINITIONS.iter().chain(&["$id"]) {
        alone.remove(*place);
    }
    let document = if id.is_some() { root.clone() } else { moved(root, "#", &to) };
    alone.insert("$defs".to_owned(), json!({ ROOT: document }));
    Value::Object(alone)
}

/// Redirects references to `from`, or into it, to `to`. Subschemas with an `$id` keep their references.
pub(super) fn moved(schema: &Value, from: &str, to: &str) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut map = with_inner(map, &mut |inner| {
        if inner.get("$id").is_some() { inner.clone() } else { moved(inner, from, to) }
    });
    if let Some(Value::String(reference)) = map.get_mut("$ref")
        && let Some(rest) = reference.strip_prefix(from)
        && (rest.is_empty() || rest.starts_with('/'))
    {
        *reference = format!("{to}{rest}");
    }
    Value::Object(map)
}
