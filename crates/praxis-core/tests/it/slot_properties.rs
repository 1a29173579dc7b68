//! What holds for slots of all schemas: answers by pointer come round (B-013, B-014).

use praxis_core::pointer::Pointer;
use praxis_core::schema::Schema;
use praxis_core::slot::merge::merge;
use praxis_core::slot::patch::patch;
use praxis_core::slot::remaining::{remaining, remaining_schema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A schema together with a value that fits it.
#[derive(Clone, Debug)]
enum Node {
    Leaf(Value, Value),
    Object(Vec<(&'static str, Need, Node)>),
    List(Box<Node>, usize),
    Reference(Box<Node>),
    Both(Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    Required,
    Given,
    LeftOut,
}

const NAMES: [&str; 7] = ["a", "b/c", "d~e", "", "名", "0", "$ref"];

fn leaves() -> impl Strategy<Value = Node> {
    let leaf = |schema, value| Just(Node::Leaf(schema, value));
    prop_oneof![
        "[a-z~/]{1,5}".prop_map(|text| Node::Leaf(json!({"type": "string"}), json!(text))),
        (0_i64..50).prop_map(|n| Node::Leaf(json!({"type": "integer", "minimum": 0}), json!(n))),
        any::<bool>().prop_map(|it| Node::Leaf(json!({"type": "boolean"}), json!(it))),
        leaf(json!({"enum": ["x", 2, null]}), json!(2)),
        leaf(json!({"const": {"k": [1]}}), json!({"k": [1]})),
        leaf(json!({"type": "string", "minLength": 0}), json!("")),
        leaf(json!({"type": "string", "format": "date"}), json!("2026-03-02")),
        leaf(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!(null)),
        leaf(
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"z": 1})
        ),
    ]
}

fn objects(inner: impl Strategy<Value = Node> + Clone) -> impl Strategy<Value = Node> {
    let need =
        prop_oneof![3 => Just(Need::Required), 1 => Just(Need::Given), 1 => Just(Need::LeftOut)];
    let field = (proptest::sample::select(NAMES.to_vec()), need, inner);
    proptest::collection::vec(field, 1..4).prop_map(|fields| {
        let by_name: BTreeMap<_, _> =
            fields.into_iter().map(|(name, need, it)| (name, (need, it))).collect();
        Node::Object(by_name.into_iter().map(|(name, (need, it))| (name, need, it)).collect())
    })
}

fn nodes() -> impl Strategy<Value = Node> {
    let inner = leaves().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            3 => objects(inner.clone()),
            1 => (inner.clone(), 0_usize..3).prop_map(|(item, times)| Node::List(Box::new(item), times)),
            1 => inner.clone().prop_map(|node| Node::Reference(Box::new(node))),
            1 => inner.prop_map(|node| Node::Both(Box::new(node))),
        ]
    });
    objects(inner)
}

impl Node {
    fn schema(&self, definitions: &mut Map<String, Value>) -> Value {
        match self {
            Self::Leaf(schema, _) => schema.clone(),
            Self::Object(fields) => {
                let required = fields.iter().filter(|(_, need, _)| *need == Need::Required);
                let required: Vec<&str> = required.map(|(name, _, _)| *name).collect();
                let properties: Map<String, Value> = fields
                    .iter()
                    .map(|(name, _, node)| ((*name).to_owned(), node.schema(definitions)))
                    .collect();
                json!({"type": "object", "properties": properties, "required": required,
                    "additionalProperties": false})
            }
            Self::List(item, _) => json!({"type": "array", "items": item.schema(definitions)}),
            Self::Reference(node) => {
                let schema = node.schema(definitions);
                let name = format!("d/{}", definitions.len());
                definitions.insert(name.clone(), schema);
                json!({"$ref": format!("#/$defs/{}", name.replace('/', "~1"))})
            }
            Self::Both(node) => json!({"allOf": [node.schema(definitions), true]}),
        }
    }

    fn whole(&self) -> Value {
        let mut definitions = Map::new();
        let mut schema = self.schema(&mut definitions);
        schema["$defs"] = Value::Object(definitions);
        schema
    }

    fn value(&self) -> Value {
        match self {
            Self::Leaf(_, value) => value.clone(),
            Self::Object(fields) => {
                let given = fields.iter().filter(|(_, need, _)| *need != Need::LeftOut);
                given.map(|(name, _, node)| ((*name).to_owned(), node.value())).collect()
            }
            Self::List(item, times) => json!(vec![item.value(); *times]),
            Self::Reference(node) | Self::Both(node) => node.value(),
        }
    }

    /// The value with pieces left out or wrong, as the tape says.
    fn worn(&self, tape: &mut impl Iterator<Item = u8>) -> Value {
        match self {
            Self::Leaf(_, value) => value.clone(),
            Self::Object(fields) => {
                let mut map = Map::new();
                for (name, need, node) in fields {
                    let kept = match (*need, tape.next().unwrap_or(0) % 4) {
                        (Need::LeftOut, _) | (_, 0) => None,
                        (_, 1) if !node.value().is_boolean() => Some(json!(false)),
                        (Need::Required | Need::Given, _) => Some(node.worn(tape)),
                    };
                    map.extend(kept.map(|kept| ((*name).to_owned(), kept)));
                }
                Value::Object(map)
            }
            Self::List(item, times) => {
                let spoils = |die: u8| die % 4 == 1 && !item.value().is_boolean();
                let mut one = || {
                    if spoils(tape.next().unwrap_or(0)) { json!(false) } else { item.worn(tape) }
                };
                (0..*times).map(|_| one()).collect()
            }
            Self::Reference(node) | Self::Both(node) => node.worn(tape),
        }
    }
}

fn fits(schema: &Value, data: &Value) -> bool {
    Schema::compile(schema).unwrap().errors(data).is_empty()
}

/// What the finished value has at the places that are asked for.
fn answers(asked: &BTreeMap<Pointer, Value>, whole: &Value) -> Option<BTreeMap<Pointer, Value>> {
    asked.keys().map(|place| Some((place.clone(), place.find(whole)?.clone()))).collect()
}

proptest! {
    #[test]
    fn nothing_remains_of_what_fits(node in nodes()) {
        prop_assert!(fits(&node.whole(), &node.value()));
        prop_assert_eq!(remaining(&node.whole(), &node.value()), BTreeMap::new());
    }

    #[test]
    fn answering_what_is_asked_from_the_finished_value_gives_data_that_fits(
        node in nodes(), tape in proptest::option::of(proptest::collection::vec(any::<u8>(), 24)),
    ) {
        let (schema, whole) = (node.whole(), node.value());
        let data = tape.map_or(json!({}), |tape| node.worn(&mut tape.into_iter()));
        let asked = remaining(&schema, &data);
        prop_assert_eq!(asked.is_empty(), fits(&schema, &data));
        let answers = answers(&asked, &whole);
        prop_assert!(answers.is_some(), "places that are nowhere: {:?}", asked);
        let answers = answers.unwrap();
        for (place, field) in &asked {
            prop_assert!(fits(field, &answers[place]), "{} alone is {}", place, field);
        }
        let form = remaining_schema(&asked);
        let flat: Value = answers.iter().map(|(place, it)| (place.to_string(), it.clone())).collect();
        prop_assert!(fits(&form, &flat), "{}", form);
        prop_assert_eq!(fits(&form, &json!({})), asked.is_empty());
        let patched = patch(&schema, &data, &answers).unwrap();
        prop_assert!(fits(&schema, &patched), "{} of {}", patched, schema);
        prop_assert_eq!(remaining(&schema, &patched), BTreeMap::new());
    }

    #[test]
    fn each_answer_takes_its_own_question_away_and_brings_no_other(
        node in nodes(), tape in proptest::collection::vec(any::<u8>(), 24), some in any::<u32>(),
    ) {
        let (schema, whole) = (node.whole(), node.value());
        let data = node.worn(&mut tape.into_iter());
        let asked = remaining(&schema, &data);
        let all = answers(&asked, &whole).unwrap();
        let is_chosen = |index: usize| some >> (index % 32) & 1 == 1;
        let chosen: BTreeMap<_, _> = all.into_iter().enumerate()
            .filter(|(index, _)| is_chosen(*index)).map(|(_, answer)| answer).collect();
        let patched = patch(&schema, &data, &chosen).unwrap();
        let rest: BTreeMap<_, _> =
            asked.into_iter().filter(|(place, _)| !chosen.contains_key(place)).collect();
        prop_assert_eq!(remaining(&schema, &patched), rest);
    }

    // B-010
    #[test]
    fn an_override_replaces_its_own_property_and_nothing_else(
        node in nodes(), name in proptest::sample::select(NAMES.to_vec()), own in leaves(),
        required in proptest::option::of(any::<bool>()),
    ) {
        let schema = node.whole();
        let Node::Leaf(said, value) = own else { panic!("{own:?}") };
        let mut written = said.clone();
        if let Some(required) = required {
            written["required"] = json!(required);
        }
        let overrides = Map::from_iter([(name.to_owned(), written)]);
        let merged = merge(&schema, &overrides).unwrap();
        let mut data = node.value();
        data[name] = value;
        prop_assert!(fits(&merged, &data), "{} of {}", data, merged);
        prop_assert_eq!(fits(&merged["properties"][name], &json!(12.5)), fits(&said, &json!(12.5)));
        let needs = |schema: &Value| {
            let names = schema["required"].as_array();
            names.is_some_and(|names| names.contains(&json!(name)))
        };
        prop_assert_eq!(needs(&merged), required.unwrap_or(needs(&schema)));
        let others = |schema: &Value| {
            let mut all = schema["properties"].as_object().cloned().unwrap_or_default();
            all.remove(name);
            let mut needed = schema["required"].as_array().cloned().unwrap_or_default();
            needed.retain(|other| other != name);
            (all, needed)
        };
        prop_assert_eq!(others(&merged), others(&schema));
        prop_assert_eq!(merge(&merged, &overrides).unwrap(), merged, "twice is once");
    }
}
