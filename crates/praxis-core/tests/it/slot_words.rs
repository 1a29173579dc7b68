//! What a person wrote, as values of the fields that are asked for (B-017).

use crate::slot::{by_pointer, shown};
use praxis_core::slot::coerce::coerced;
use praxis_core::slot::from_text::said;
use serde_json::{Value, json};

#[test]
fn a_text_becomes_the_value_that_the_schema_wants_or_none() {
    let date = || json!({"type": "string", "format": "date"});
    let moment = || json!({"type": "string", "format": "date-time"});
    let integers = || json!({"type": "array", "items": {"type": "integer"}});
    for (schema, text, expected) in [
        (json!({"type": "integer"}), " 12 ", Some(json!(12))),
        (json!({"type": "integer"}), "１２", Some(json!(12))),
        (json!({"type": "integer"}), "1.5", None),
        (json!({"type": "integer"}), "twelve", None),
        (json!({"type": "number"}), "-1.50", Some(json!(-1.5))),
        (json!({"type": "string"}), "12", Some(json!("12"))),
        (json!({"type": "string"}), "007", Some(json!("007"))),
        (json!({"type": ["integer", "string"]}), "12", Some(json!(12))),
        (json!({"type": ["integer", "string"]}), "x", Some(json!("x"))),
        (json!({"type": "boolean"}), "是", Some(json!(true))),
        (json!({"type": "boolean"}), "No.", Some(json!(false))),
        (json!({"type": "boolean"}), "不要", Some(json!(false))),
        (json!({"type": "boolean"}), "maybe", None),
        (json!({"enum": ["Car", "Train"]}), "TRAIN", Some(json!("Train"))),
        (json!({"enum": ["Car", "Train"]}), "trian", None),
        (json!({"enum": [1, 2]}), "2", Some(json!(2))),
        (json!({"const": "Yes"}), "yes", Some(json!("Yes"))),
        (date(), "2026年3月2日", Some(json!("2026-03-02"))),
        (date(), "2026-03-02", Some(json!("2026-03-02"))),
        (date(), "2026/2/30", None),
        (date(), "tomorrow", None),
        (moment(), "2026/3/2 14:30Z", Some(json!("2026-03-02T14:30:00Z"))),
        (moment(), "2026-03-02T14:30:05+08:00", Some(json!("2026-03-02T14:30:05+08:00"))),
        (moment(), "2026-03-02 14:30", None),
        (integers(), "1，2、3", Some(json!([1, 2, 3]))),
        (integers(), "[1, 2]", Some(json!([1, 2]))),
        (integers(), "1, x", None),
        (json!({"type": "array", "items": {"type": "string"}}), "a, b", Some(json!(["a", "b"]))),
        (json!({"type": "object"}), "{\"a\": 1}", Some(json!({"a": 1}))),
        (json!({"type": "object"}), "a=1", None),
        (json!({"type": "null"}), "", None),
    ] {
        assert_eq!(coerced(&schema, text), expected, "`{text}` as {schema}");
    }
}

#[test]
fn a_free_text_answers_the_fields_that_it_names_and_nothing_is_guessed() {
    let fields = || {
        by_pointer(json!({
            "/from_city": {"type": "string", "title": "出发城市"},
            "/to": {"type": "string", "description": "where the trip ends, 目的地"},
            "/loc/lon": {"type": "number", "title": "Longitude"},
            "/loc/days": {"type": "integer"},
            "/back/days": {"type": "integer"},
        }))
    };
    let of = |text: &str| shown(&said(&fields(), text));
    assert_eq!(of("出发城市：杭州，目的地：上海"), json!({"/from_city": "杭州", "/to": "上海"}));
    assert_eq!(
        of("from_city=Paris longitude=2.35"),
        json!({"/from_city": "Paris", "/loc/lon": 2.35})
    );
    assert_eq!(
        of("FROM-CITY: New York, trip: Rome"),
        json!({"/from_city": "New York", "/to": "Rome"})
    );
    assert_eq!(of("days: 3"), json!({}), "two fields go by that name");
    assert_eq!(
        of(r#"{"/back/days": 3, "loc.days": "4"}"#),
        json!({"/back/days": 3, "/loc/days": 4})
    );
    assert_eq!(of("lon: east"), json!({}), "it does not fit");
    assert_eq!(of("from Paris to Rome"), json!({}));
    let one = |schema: Value, text: &str| shown(&said(&by_pointer(json!({"/n": schema})), text));
    assert_eq!(one(json!({"type": "integer"}), " 5 "), json!({"/n": 5}));
    assert_eq!(one(json!({"type": "integer"}), "n = 5"), json!({"/n": 5}));
    assert_eq!(
        one(json!({"type": "string"}), "from Paris: by train"),
        json!({"/n": "from Paris: by train"})
    );
    assert_eq!(one(json!({"type": "integer"}), "five"), json!({}));
    assert_eq!(one(json!({"type": "string"}), "  "), json!({}));
    assert_eq!(one(json!({"type": "string"}), "n: Paris"), json!({"/n": "Paris"}));
    let fields = by_pointer(json!({"/task": {"type": "string"}, "/password": {"type": "string"}}));
    let both = json!({"/task": "sweep", "/password": "p-1"});
    assert_eq!(
        shown(&said(&fields, "task: sweep, password: p-1")),
        both,
        "what is asked for may be told"
    );
}
