//! Slots: what remains, answers by pointer, and texts as values (B-008, B-010 to B-014, B-017).

use praxis_core::pointer::Pointer;
use praxis_core::schema::Schema;
use praxis_core::slot::defaults::with_defaults;
use praxis_core::slot::merge::merge;
use praxis_core::slot::patch::patch;
use praxis_core::slot::remaining::{remaining, remaining_schema};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(crate) fn by_pointer(written: Value) -> BTreeMap<Pointer, Value> {
    let map: Map<String, Value> = serde_json::from_value(written).unwrap();
    map.into_iter().map(|(place, value)| (Pointer::new(place), value)).collect()
}

pub(crate) fn shown(asked: &BTreeMap<Pointer, Value>) -> Value {
    asked.iter().map(|(place, value)| (place.to_string(), value.clone())).collect()
}

fn places(schema: &Value, data: &Value) -> Vec<String> {
    remaining(schema, data).keys().map(Pointer::to_string).collect()
}

fn trip() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1},
            "loc": {
                "type": "object",
                "properties": {"lon": {"type": "number"}, "lat": {"type": "number"}, "name": {"type": "string"}},
                "required": ["lon", "lat"],
            },
            "tags": {"type": "array", "items": {"type": "string"}},
            "mode": {"enum": ["car", "train"]},
            "a/b~c": {"const": 1},
            "note": {"type": "string"},
            "meta": {"type": "object"},
        },
        "required": ["city", "days", "loc", "mode", "a/b~c", "meta"],
    })
}

#[test]
fn only_what_is_required_and_missing_is_asked_each_with_its_own_schema_and_no_invented_default() {
    let schema = trip();
    let asked = remaining(&schema, &json!({}));
    assert_eq!(
        shown(&asked),
        json!({
            "/a~1b~0c": {"const": 1},
            "/city": {"type": "string"},
            "/days": {"type": "integer", "minimum": 1},
            "/loc/lat": {"type": "number"},
            "/loc/lon": {"type": "number"},
            "/meta": {"type": "object"},
            "/mode": {"enum": ["car", "train"]},
        })
    );
    assert_eq!(schema, trip(), "the schema is as it was");
    let form = remaining_schema(&asked);
    let names = ["/a~1b~0c", "/city", "/days", "/loc/lat", "/loc/lon", "/meta", "/mode"];
    assert_eq!(form["required"], json!(names));
    assert_eq!(form["additionalProperties"], json!(false));
    assert_eq!(form["properties"]["/days"], json!({"type": "integer", "minimum": 1}));
}

#[test]
fn what_is_there_and_wrong_is_asked_at_its_place_even_if_it_may_be_left_out() {
    let schema = trip();
    let right = json!({"city": "杭州", "days": 2, "loc": {"lon": 120.2, "lat": 30.3}, "mode": "car", "a/b~c": 1,
        "meta": {}});
    assert_eq!(places(&schema, &right), Vec::<String>::new());
    for (place, wrong) in [
        ("/days", json!("two")),
        ("/days", json!(0)),
        ("/days", json!(true)),
        ("/city", json!(null)),
        ("/city", json!("")),
        ("/loc", json!("here")),
        ("/note", json!(3)),
        ("/mode", json!("ship")),
        ("/a~1b~0c", json!(2)),
    ] {
        let mut data = right.clone();
        let name = Pointer::from(place).name();
        data[name] = wrong.clone();
        assert_eq!(places(&schema, &data), [place], "{wrong}");
    }
    let mut data = right.clone();
    data["tags"] = json!(["a", 5, "", {}]);
    assert_eq!(places(&schema, &data), ["/tags/1", "/tags/3"], "an empty item is not required");
    data["tags"] = json!([]);
    data["note"] = json!("");
    assert_eq!(places(&schema, &data), Vec::<String>::new(), "what is optional may be empty");
}

#[test]
fn an_empty_text_is_none_unless_the_schema_says_that_it_may_be() {
    let schema = json!({
        "properties": {
            "a": {"type": "string"}, "b": {"type": "string", "minLength": 0}, "c": {"enum": ["", "x"]},
            "d": {"$ref": "#/$defs/text"}, "e": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        },
        "required": ["a", "b", "c", "d", "e"],
        "$defs": {"text": {"type": "string", "title": "T"}, "item": {"properties": {"n": {"type": "string"}},
            "required": ["n"]}},
    });
    let data = json!({"a": "", "b": "", "c": "", "d": "", "e": [{"n": "x"}, {"n": ""}]});
    let asked = remaining(&schema, &data);
    let text = json!({"type": "string"});
    let titled = json!({"type": "string", "title": "T"});
    assert_eq!(shown(&asked), json!({"/a": text, "/d": titled, "/e/1/n": text}));
}

#[test]
fn alternatives_are_asked_as_a_whole_unless_the_data_picks_one() {
    let ways = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
            "required": ["kind", "path"]},
        {"type": "object", "properties": {"kind": {"const": "web"}, "url": {"type": "string"},
            "depth": {"type": "integer"}}, "required": ["kind", "url"]},
    ]});
    let schema = json!({"properties": {"source": ways, "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "required": ["source", "size"]});
    let asked = remaining(&schema, &json!({}));
    assert_eq!(shown(&asked)["/source"], ways);
    assert_eq!(asked.len(), 2);
    let of = |source: Value| places(&schema, &json!({"source": source, "size": null}));
    assert_eq!(of(json!({"kind": "web"})), ["/source/url"]);
    assert_eq!(of(json!({"kind": "web", "url": "u", "depth": "x"})), ["/source/depth"]);
    assert_eq!(of(json!({"kind": "ftp"})), ["/source"]);
    assert_eq!(of(json!({})), ["/source"]);
    assert_eq!(
        places(&schema, &json!({"source": {"kind": "file", "path": "p"}, "size": "x"})),
        ["/size"]
    );
    let beside = json!({"properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"], "properties": {"k": {"const": 1}}},
            {"required": ["b"], "properties": {"k": {"const": 2}}}]});
    let asked = remaining(&beside, &json!({"k": 2}));
    assert_eq!(
        shown(&asked),
        json!({"/b": {"type": "string"}}),
        "declared beside the alternatives"
    );
}

#[test]
fn what_conditions_and_dependencies_require_is_asked_too() {
    let schema = json!({
        "properties": {"pay": {"enum": ["card", "cash"]}, "number": {"type": "string"}, "zip": {"type": "string"}},
        "required": ["pay"],
        "if": {"properties": {"pay": {"const": "card"}}, "required": ["pay"]},
        "then": {"required": ["number"]},
        "dependentRequired": {"number": ["zip"]},
    });
    assert_eq!(places(&schema, &json!({})), ["/pay"]);
    assert_eq!(places(&schema, &json!({"pay": "cash"})), Vec::<String>::new());
    let asked = remaining(&schema, &json!({"pay": "card"}));
    assert_eq!(shown(&asked), json!({"/number": {"type": "string"}}));
    assert_eq!(places(&schema, &json!({"pay": "card", "number": "1"})), ["/zip"]);
}

#[test]
fn what_lies_inside_is_asked_before_the_whole() {
    let schema =
        json!({"properties": {"a": {"type": "integer"}}, "required": ["a"], "minProperties": 2});
    assert_eq!(places(&schema, &json!({})), ["/a"]);
    assert_eq!(
        places(&schema, &json!({"a": 1})),
        [""],
        "only then what no field of its own can mend"
    );
    assert_eq!(places(&schema, &json!({"a": 1, "b": 2})), Vec::<String>::new());
}

#[test]
fn a_schema_that_refers_to_itself_can_still_be_asked_and_answered() {
    let schema = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}, "twin": {"$ref": "#/$defs/node", "title": "second"}},
        "required": ["tree", "twin"],
        "$defs": {"node": {"type": "object", "properties": {"v": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "required": ["v", "kids"]}},
    });
    let asked = remaining(&schema, &json!({}));
    assert_eq!(
        asked.keys().map(Pointer::as_str).collect::<Vec<_>>(),
        ["/tree/kids", "/tree/v", "/twin/kids", "/twin/v"]
    );
    for (place, field) in &asked {
        let field = Schema::compile(field).unwrap_or_else(|why| panic!("{place}: {why}"));
        assert!(place.name() != "kids" || !field.fits(&json!([{"v": "x", "kids": []}])));
    }
    let form = Schema::compile(&remaining_schema(&asked)).unwrap();
    let kids = json!([{"v": 1, "kids": []}]);
    let bad = json!([{"v": 1, "kids": [{"v": "x", "kids": []}]}]);
    let answers =
        |kids: &Value| json!({"/tree/kids": kids, "/tree/v": 1, "/twin/kids": [], "/twin/v": 2});
    assert!(form.fits(&answers(&kids)) && !form.fits(&answers(&bad)));
    let whole = patch(&schema, &json!({}), &by_pointer(answers(&kids))).unwrap();
    assert_eq!(places(&schema, &whole), Vec::<String>::new());
    let endless = json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]});
    assert_eq!(
        places(&endless, &json!({})).len(),
        1,
        "what can never end is asked as a whole at last"
    );
}

#[test]
fn fields_stand_alone_whatever_way_their_schema_refers_to_others() {
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "pair": {"type": "array", "items": [{"type": "integer"}, {"$ref": "#/definitions/t%65xt"}]},
            "text": {"$ref": "#/definitions/text", "minLength": 9},
        },
        "required": ["text"],
        "definitions": {"text": {"type": "string"}},
    });
    let asked = remaining(&draft_7, &json!({"pair": [1, 2]}));
    let text = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"});
    assert_eq!(
        shown(&asked),
        json!({"/pair/1": text, "/text": text}),
        "nothing counts beside a reference"
    );
    let form = remaining_schema(&asked);
    assert_eq!(form["$schema"], draft_7["$schema"]);
    assert!(Schema::compile(&form).unwrap().fits(&json!({"/pair/1": "a", "/text": "b"})));
    let today = json!({
        "properties": {"a": {"$ref": "#/$defs/t", "title": "A"}, "b": {"$ref": "#/$defs/t", "minLength": 2}},
        "required": ["a", "b"],
        "$defs": {"t": {"type": "string", "title": "T"}},
    });
    assert_eq!(
        shown(&remaining(&today, &json!({}))),
        json!({
            "/a": {"type": "string", "title": "A"},
            "/b": {"minLength": 2, "allOf": [{"type": "string", "title": "T"}]},
        })
    );
}

#[test]
fn fields_stand_alone_even_if_references_go_round_or_by_name_or_address() {
    for (id, target, reference) in [
        (json!("https://example.org/in"), "x", "#/$defs/x"),
        (json!("https://example.org/in"), "x", "https://example.org/in#/$defs/x"),
        (json!(null), "x", "#named"),
        (json!(null), "y", "other"),
    ] {
        let inner = json!({"type": "array", "items": {"$ref": reference}, "maxItems": 1});
        let mut schema = json!({
            "properties": {"a": {"$ref": reference}},
            "required": ["a"],
            "$defs": {target: inner},
        });
        match target {
            "x" => schema["$defs"]["x"]["$anchor"] = json!("named"),
            _ => schema["$defs"]["y"]["$id"] = json!("other"),
        }
        if id.is_string() {
            schema["$id"] = id;
        }
        let asked = remaining(&schema, &json!({}));
        let form = remaining_schema(&asked);
        for (alone, wrap) in [(&asked["/a"], false), (&form, true)] {
            let compiled =
                Schema::compile(alone).unwrap_or_else(|why| panic!("{reference}: {why}: {alone}"));
            let of = |value: Value| compiled.fits(&if wrap { json!({"/a": value}) } else { value });
            assert!(
                of(json!([[]])) && !of(json!([[[], []]])) && !of(json!([1])),
                "{reference}: {alone}"
            );
        }
    }
}

#[test]
fn hostile_schemas_are_asked_in_short_time() {
    let doubled = |of: &str| json!({"allOf": [{"$ref": of}, {"$ref": of}]});
    let mut definitions = Map::new();
    for level in 0..30 {
        let next = format!("#/$defs/d{}", level + 1);
        let fields = json!({"l": {"$ref": next}, "r": doubled(&next)});
        let object = json!({"type": "object", "properties": fields, "required": ["l", "r"]});
        definitions.insert(format!("d{level}"), object);
    }
    definitions.insert("d30".to_owned(), json!({"type": "string"}));
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "required": ["a"], "$defs": definitions});
    let asked = remaining(&schema, &json!({}));
    assert!(!asked.is_empty() && asked.len() < 3_000, "{}", asked.len());
    let list = json!({"properties": {"l": {"type": "array", "items": {"type": "integer"}}}});
    let wrong = json!({"l": vec!["x"; 20_000]});
    assert_eq!(remaining(&list, &wrong).len(), 1_000);
}

#[test]
fn answers_are_put_where_they_belong_and_parents_are_made_as_the_schema_says() {
    let schema = json!({
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            "": {"type": "object", "properties": {"a/b": {"type": "integer"}}},
            "0": {"type": "object", "properties": {"0": {"type": "boolean"}}},
            "any": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "additionalProperties": false,
    });
    let data = json!({"tags": ["x"]});
    let answers = json!({"/tags/1": "y", "/tags/0": "z", "/rows/0/n": 1, "//a~1b": 2, "/0/0": true, "/any/k": 3});
    assert_eq!(
        patch(&schema, &data, &by_pointer(answers)).unwrap(),
        json!({"tags": ["z", "y"], "rows": [{"n": 1}], "": {"a/b": 2}, "0": {"0": true}, "any": {"k": 3}})
    );
    assert_eq!(data, json!({"tags": ["x"]}));
    let many: BTreeMap<Pointer, Value> = (0..12)
        .map(|index| (Pointer::new(format!("/tags/{index}")), json!(format!("t{index}"))))
        .collect();
    let patched = patch(&schema, &json!({}), &many).unwrap();
    assert_eq!(patched["tags"][10], json!("t10"), "items come by their number");
}

#[test]
fn every_answer_that_cannot_be_taken_is_refused_by_its_place() {
    let schema = trip();
    let data = json!({"loc": "here", "tags": ["x"]});
    let refused = |answers: Value| {
        let errors = patch(&schema, &data, &by_pointer(answers)).unwrap_err();
        errors.into_iter().map(|error| (error.pointer, error.detail)).collect::<Vec<_>>()
    };
    let all = refused(
        json!({"/days": "x", "/city": "c", "/nowhere": 1, "/tags/3": "y", "/loc/lon": 1, "city": 2,
        "/tags/01": "z", "/tags/-": "z", "/mode": "ship", "/meta/x": 1}),
    );
    let places: Vec<&str> = all.iter().map(|(place, _)| place.as_str()).collect();
    let expected = [
        "city", "/days", "/loc/lon", "/meta/x", "/mode", "/nowhere", "/tags/-", "/tags/01",
        "/tags/3",
    ];
    assert_eq!(places, expected, "{all:?}");
    let why = |place: &str| &all.iter().find(|(at, _)| at == place).unwrap().1;
    assert!(why("/tags/3").contains("the list has 1 items"), "{}", why("/tags/3"));
    assert!(why("/loc/lon").contains("got a string"), "{}", why("/loc/lon"));
    assert!(why("/nowhere").contains("no such field"));
    assert!(why("/days").contains("integer"));
    let inside = refused(json!({"/loc": {"lon": "x", "lat": 1}}));
    assert_eq!(inside[0].0, "/loc/lon");
    let part = patch(&schema, &json!({}), &by_pointer(json!({"/loc/lon": 1}))).unwrap();
    assert_eq!(part, json!({"loc": {"lon": 1}}), "a part of the answers is welcome");
    assert!(places_contain(&schema, &part, "/loc/lat"));
}

fn places_contain(schema: &Value, data: &Value, place: &str) -> bool {
    places(schema, data).iter().any(|other| other == place)
}

#[test]
fn an_override_replaces_the_property_and_says_for_itself_whether_it_is_required() {
    let input = json!({
        "type": "object",
        "properties": {"a": {"type": "string", "minLength": 3}, "b": {"type": "string"}},
        "required": ["a"],
    });
    let of = |overrides: Value| merge(&input, overrides.as_object().unwrap());
    let merged = of(json!({"a": {"type": "integer"}})).unwrap();
    assert_eq!(merged["properties"]["a"], json!({"type": "integer"}), "as a whole, not merged");
    assert_eq!(merged["required"], json!(["a"]), "and it stays required");
    let merged = of(json!({
        "a": {"type": "string", "required": false},
        "b": {"type": "date", "required": true},
        "c": {"type": "object", "properties": {"x": true}, "required": ["x"]},
    }));
    assert_eq!(
        merged.unwrap(),
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "string", "format": "date"},
                "c": {"type": "object", "properties": {"x": true}, "required": ["x"]},
            },
            "required": ["b"],
        })
    );
    let refused = of(json!({"a": {"type": "text"}, "b": 3, "c": {"minLength": -1}})).unwrap_err();
    let places: Vec<&str> = refused.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(places, ["/properties/a/type", "/properties/b", "/properties/c/minLength"]);
    assert_eq!(input["properties"]["a"]["minLength"], 3, "the input is as it was");
    assert!(merge(&json!({"type": 3}), &Map::new()).is_err());
    let inherited = json!({"allOf": [{"properties": {"a": {"type": "string"}}}]});
    assert!(merge(&inherited, json!({"a": {}}).as_object().unwrap()).is_err());
    let refers =
        json!({"$ref": "#/$defs/in", "$defs": {"in": {"properties": {"a": {"type": "string"}}}}});
    let merged = merge(&refers, json!({"a": {"type": "null"}}).as_object().unwrap()).unwrap();
    assert_eq!(merged, json!({"properties": {"a": {"type": "null"}}}));
}

#[test]
fn defaults_fill_only_required_fields_that_are_missing_and_are_told() {
    let schema = json!({
        "properties": {
            "n": {"type": "integer", "default": 3},
            "bad": {"type": "integer", "default": "x"},
            "empty": {"type": "string", "default": ""},
            "optional": {"type": "integer", "default": 1},
            "there": {"type": "integer", "default": 1},
            "loc": {"type": "object", "properties": {"zone": {"$ref": "#/$defs/zone"}, "x": {}},
                "required": ["zone", "x"]},
            "whole": {"type": "object", "properties": {"a": {}}, "required": ["a"], "default": {"a": 0}},
        },
        "required": ["n", "bad", "empty", "there", "loc", "whole"],
        "$defs": {"zone": {"type": "string", "default": "UTC"}},
    });
    let filled = with_defaults(&schema, &json!({"there": 7}));
    assert_eq!(filled.data, json!({"there": 7, "n": 3, "loc": {"zone": "UTC"}, "whole": {"a": 0}}));
    assert_eq!(shown(&filled.by_default), json!({"/n": 3, "/loc/zone": "UTC", "/whole": {"a": 0}}));
    assert_eq!(places(&schema, &filled.data), ["/bad", "/empty", "/loc/x"]);
}
