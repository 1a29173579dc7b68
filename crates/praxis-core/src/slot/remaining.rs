//! Determines the fields that must be asked for before a call can be made.
//!
//! - in: the schema of the parameters, and the data so far
//! - out: places with a schema each: required and missing, or present and invalid
//! - never: asks for an optional field, invents a default, or changes the schema

use super::inline::{ROOT, moved, standalone};
use super::look::{at, child, parts, required};
use crate::pointer::Pointer;
use crate::schema::{Schema, SchemaBreach, SchemaFlaw};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The maximum depth of missing objects asked for field by field, and of nested alternatives.
const DEEPEST: usize = 16;
/// The maximum number of violations handled at once; more follow when these are answered.
const MOST: usize = 1_000;
/// The number of open fields from which on a missing object is asked for as a whole.
const MOST_FIELDS: usize = 200;
/// Keywords that prevent asking for an object field by field.
const NO_LIST: [&str; 10] = [
    "anyOf",
    "oneOf",
    "if",
    "not",
    "const",
    "enum",
    "default",
    "dependentSchemas",
    "dependentRequired",
    "minProperties",
];

/// Returns the fields to ask for, by pointer, each with a schema that stands alone. `format` is validated. An empty
/// string counts as missing where a string is required, unless the schema allows it, as with `minLength: 0`.
pub fn remaining(schema: &Value, data: &Value) -> BTreeMap<Pointer, Value> {
    let mut asked = BTreeMap::new();
    SchemaScope { root: schema, at: Pointer::default(), outer: None }.collect(data, &mut asked);
    // Fields inside come first: with them the container may become valid.
    let holds_another = |place: &&Pointer| {
        let inside = Pointer::new(format!("{place}/"));
        asked.range(inside..).next().is_some_and(|(other, _)| place.holds(other))
    };
    let wholes: Vec<Pointer> = asked.keys().filter(holds_another).cloned().collect();
    asked.retain(|place, _| !wholes.contains(place));
    asked
}

/// Returns the form for these fields: a flat object keyed by pointer, with all fields required and no others allowed.
pub fn remaining_schema(asked: &BTreeMap<Pointer, Value>) -> Value {
    let mut form = Map::new();
    let (mut properties, mut shared) = (Map::new(), Vec::new());
    for (place, schema) in asked {
        let mut schema = schema.clone();
        if let Some(draft) = schema.as_object_mut().and_then(|map| map.remove("$schema")) {
            form.insert("$schema".to_owned(), draft);
        }
        properties.insert(place.to_string(), hoisted(schema, &mut shared));
    }
    let names: Vec<&str> = asked.keys().map(Pointer::as_str).collect();
    form.insert("type".to_owned(), json!("object"));
    form.insert("required".to_owned(), json!(names));
    form.insert("properties".to_owned(), Value::Object(properties));
    form.insert("additionalProperties".to_owned(), json!(false));
    if !shared.is_empty() {
        let named = shared.into_iter().enumerate().map(|(index, document)| {
            let name = hoisted_name(index);
            let document = moved(&document, &in_root(), &format!("#/$defs/{name}"));
            (name, document)
        });
        form.insert("$defs".to_owned(), Value::Object(named.collect()));
    }
    Value::Object(form)
}

/// Returns the reference under which a field finds its embedded document.
fn in_root() -> String {
    format!("#/$defs/{ROOT}")
}

fn hoisted_name(index: usize) -> String {
    format!("{ROOT}_{index}")
}

/// Moves the document embedded in a field's schema to the top of the form, where references start.
fn hoisted(mut schema: Value, shared: &mut Vec<Value>) -> Value {
    let own = schema.as_object_mut().and_then(|map| map.remove("$defs"));
    let Some(document) = own.and_then(|mut own| own.get_mut(ROOT).map(Value::take)) else {
        return schema;
    };
    let index = shared.iter().position(|other| *other == document).unwrap_or(shared.len());
    if index == shared.len() {
        shared.push(document);
    }
    moved(&schema, &in_root(), &format!("#/$defs/{}", hoisted_name(index)))
}

/// A schema and the place that it applies to. Alternatives selected by the data are nested scopes.
struct SchemaScope<'a> {
    root: &'a Value,
    at: Pointer,
    outer: Option<&'a SchemaScope<'a>>,
}

impl SchemaScope<'_> {
    fn collect(&self, data: &Value, asked: &mut BTreeMap<Pointer, Value>) {
        let Ok(compiled) = Schema::with_formats(self.root) else {
            // An invalid schema accepts no value, so everything remains.
            asked.insert(self.at.clone(), self.root.clone());
            return;
        };
        for wrong in compiled.faults(data, MOST) {
            let place = Pointer::new(wrong.at.clone());
            match &wrong.how {
                SchemaBreach::Lacks(name) => self.lacks(&place.child(name), asked),
                SchemaBreach::NoneOf => self.alternatives(&wrong, data, asked),
                SchemaBreach::OtherValue | SchemaBreach::OtherType | SchemaBreach::Otherwise => {
                    self.whole(&place, asked);
                }
            }
        }
        for place in self.empty_texts(self.root, data, &Pointer::default()) {
            self.whole(&place, asked);
        }
    }

    fn depth(&self) -> usize {
        self.outer.map_or(0, |outer| outer.depth() + 1)
    }

    /// Returns the schema of a place inside, else the one that the outer scope gives it.
    fn look_up(&self, inside: &Pointer) -> Option<(&Value, Value)> {
        let here = inside.tokens().and_then(|tokens| at(self.root, self.root, &tokens));
        let here = here.filter(|found| found.as_object().is_none_or(|map| !map.is_empty()));
        here.map(|found| (self.root, found)).or_else(|| {
            let outer = self.outer?;
            let from_there = self.at.as_str().strip_prefix(outer.at.as_str())?;
            outer.look_up(&Pointer::new(from_there).join(inside.as_str()))
        })
    }

    fn whole(&self, inside: &Pointer, asked: &mut BTreeMap<Pointer, Value>) {
        let alone =
            self.look_up(inside).map_or_else(|| json!({}), |(root, it)| standalone(root, &it));
        asked.insert(self.at.join(inside.as_str()), alone);
    }

    fn lacks(&self, inside: &Pointer, asked: &mut BTreeMap<Pointer, Value>) {
        match self.look_up(inside) {
            Some((root, schema)) => {
                leaves(root, &schema, (&self.at.join(inside.as_str()), DEEPEST), asked);
            }
            None => self.whole(inside, asked),
        }
    }

    /// Asks for the fields of the alternative that the data selects, or for the whole value if none is selected.
    fn alternatives(&self, wrong: &SchemaFlaw, data: &Value, asked: &mut BTreeMap<Pointer, Value>) {
        let place = Pointer::new(wrong.at.clone());
        let ways = self.root.pointer(&wrong.keyword_at).and_then(Value::as_array);
        let found = place.find(data).zip(ways).filter(|_| self.depth() < DEEPEST);
        let found = found.and_then(|(value, ways)| {
            let ways: Vec<Value> = ways.iter().map(|way| standalone(self.root, way)).collect();
            Some((value, ways.get(picked(&ways, value)?)?.clone()))
        });
        match found {
            Some((value, way)) => {
                let at = self.at.join(place.as_str());
                SchemaScope { root: &way, at, outer: Some(self) }.collect(value, asked);
            }
            None => self.whole(&place, asked),
        }
    }

    /// Returns the required strings that are present but empty.
    fn empty_texts(&self, schema: &Value, data: &Value, place: &Pointer) -> Vec<Pointer> {
        let mut found = Vec::new();
        let mut inner: Vec<(String, &Value)> = vec![];
        match data {
            Value::Object(map) => {
                for name in required(self.root, schema) {
                    let is_empty = map.get(name).is_some_and(|value| value == "");
                    if is_empty && !may_be_empty(self.root, schema, name) {
                        found.push(place.child(name));
                    }
                }
                inner.extend(map.iter().map(|(name, value)| (name.clone(), value)));
            }
            Value::Array(items) => {
                inner.extend(items.iter().enumerate().map(|(index, it)| (index.to_string(), it)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        for (name, value) in inner.into_iter().filter(|(_, it)| it.is_object() || it.is_array()) {
            if let Some(schema) = child(self.root, schema, &name) {
                found.extend(self.empty_texts(&schema, value, &place.child(&name)));
            }
        }
        found
    }
}

/// Returns true if a required field may be an empty string.
fn may_be_empty(root: &Value, schema: &Value, name: &str) -> bool {
    child(root, schema, name).is_some_and(|field| allows_empty(root, &field))
}

/// Returns true if a schema explicitly allows an empty string.
pub(super) fn allows_empty(root: &Value, schema: &Value) -> bool {
    parts(root, schema).iter().any(|part| {
        let listed = part.get("enum").and_then(Value::as_array);
        part.get("minLength").and_then(Value::as_f64) == Some(0.0)
            || part.get("const").is_some_and(|only| only == "")
            || listed.is_some_and(|words| words.iter().any(|word| word == ""))
    })
}

/// Adds the required leaf fields of a missing value, or the value itself if it has none.
fn leaves(
    root: &Value,
    schema: &Value,
    (place, deep): (&Pointer, usize),
    asked: &mut BTreeMap<Pointer, Value>,
) {
    let names = if deep > 0 && asked.len() < MOST_FIELDS && is_list_of_fields(root, schema) {
        required(root, schema)
    } else {
        vec![]
    };
    if names.is_empty() {
        asked.insert(place.clone(), standalone(root, schema));
    }
    for name in names {
        let field = child(root, schema, name).unwrap_or_else(|| json!({}));
        leaves(root, &field, (&place.child(name), deep - 1), asked);
    }
}

fn is_list_of_fields(root: &Value, schema: &Value) -> bool {
    let parts = parts(root, schema);
    let may_be = parts.iter().all(|part| {
        part.get("type").is_none_or(|kind| kind == "object")
            && !NO_LIST.iter().any(|key| part.contains_key(*key))
    });
    may_be && parts.iter().any(|part| part.contains_key("properties"))
}

/// Returns the alternative that a value was meant for: the only one that it merely fails to complete, else the only
/// one whose constants and type it does not contradict.
fn picked(ways: &[Value], value: &Value) -> Option<usize> {
    let faults = |way: &Value| Schema::with_formats(way).map(|way| way.faults(value, MOST)).ok();
    let faults: Vec<Vec<SchemaFlaw>> = ways.iter().map(faults).collect::<Option<_>>()?;
    let incomplete =
        |all: &Vec<SchemaFlaw>| all.iter().all(|it| matches!(it.how, SchemaBreach::Lacks(_)));
    let contradicts = |wrong: &SchemaFlaw| match wrong.how {
        SchemaBreach::OtherValue => true,
        SchemaBreach::OtherType => wrong.at.is_empty(),
        SchemaBreach::Lacks(_) | SchemaBreach::NoneOf | SchemaBreach::Otherwise => false,
    };
    let consistent = |all: &Vec<SchemaFlaw>| !all.iter().any(contradicts);
    only(&faults, incomplete).or_else(|| only(&faults, consistent))
}

fn only(faults: &[Vec<SchemaFlaw>], fits: impl Fn(&Vec<SchemaFlaw>) -> bool) -> Option<usize> {
    let mut fitting = faults.iter().enumerate().filter(|(_, all)| fits(all));
    let (index, _) = fitting.next()?;
    fitting.next().is_none().then_some(index)
}
