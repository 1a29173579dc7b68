//! How JSON in words is found and mended.

use super::*;
use crate::ask::elements::complete;
use serde_json::json;

fn found(text: &str) -> (Value, Vec<ReplyRepair>) {
    let found = find(text, |_| true).unwrap();
    (found.value, found.repairs.into_iter().collect())
}

#[test]
fn valid_json_is_left_alone() {
    for text in ["{\"a\":[1,\"\\\"x\\\" y\"]}", " [] ", "\"a\"", "null", "\u{feff}{}"] {
        assert_eq!(found(text).1, [], "{text}");
    }
}

#[test]
fn each_mend_is_told() {
    use ReplyRepair::{Fence, InnerQuotes, Prose, Syntax, TrailingComma, Truncated};
    let a = json!({"a": 1});
    for (text, value, repairs) in [
        ("```json\n{\"a\":1}\n```", a.clone(), vec![Fence]),
        ("Sure! {\"a\":1} Bye.", a.clone(), vec![Prose]),
        ("Look: ```\n{\"a\":1,}\n``` so", a.clone(), vec![Fence, Prose, TrailingComma]),
        ("{'a': 1}", a.clone(), vec![Syntax]),
        ("{a: +1, // one\n}", a.clone(), vec![TrailingComma, Syntax]),
        ("{\"a\": 1 /* one */ # two\n}", a.clone(), vec![Syntax]),
        ("[True, None, NaN, -Infinity, .5]", json!([true, null, null, null, 0.5]), vec![Syntax]),
        ("[\"a\n\tb\\d\"]", json!(["a\n\tb\\d"]), vec![Syntax]),
        (
            "{\"a\": \"say \"hi\" now\", \"b\": [\"x \"y\", z\"]}",
            json!({"a": "say \"hi\" now", "b": ["x \"y\", z"]}),
            vec![InnerQuotes],
        ),
        ("{\"a\": 1, \"b\": \"cut", a.clone(), vec![Truncated]),
        ("{\"a\": 1, \"b\": 12", a.clone(), vec![Truncated]),
        ("{\"a\": 1, \"b\": tr", a.clone(), vec![Truncated]),
        ("{\"a\": 1, \"b\": [{\"c\"", json!({"a": 1, "b": [{}]}), vec![Truncated]),
        (
            "['\\ud83d\\ude00', '\\ud83d', '\\u00']",
            json!(["😀", "\u{fffd}", "\\u00"]),
            vec![Syntax],
        ),
    ] {
        assert_eq!(found(text), (value, repairs), "{text}");
    }
}

#[test]
fn the_first_value_that_is_right_is_taken() {
    let text = "{see [below]} {\"x\":1} then {\"steps\":[]} and {\"steps\":[1]}";
    let right = |value: &Value| value.get("steps").is_some();
    assert_eq!(find(text, right).unwrap().value, json!({"steps": []}));
    assert_eq!(find("{\"x\":1} {\"y\":2}", right), Err(JsonMissing::Unfit));
    assert_eq!(find("no [JSON] here", right), Err(JsonMissing::Nothing));
    assert_eq!(find("[#3] see {\"steps\":[]}", right).unwrap().value, json!({"steps": []}));
}

#[test]
fn what_cannot_be_told_is_not_mended() {
    for text in
        ["{\"a\":1,\"a\":2}", "[123456789012345678901,]", "{\"a\" 1}", "[1 2]", "{\"a\":[1}"]
    {
        assert!(find(text, |_| true).is_err(), "{text}");
    }
}

#[test]
fn arguments_are_an_object_however_they_are_written() {
    let read = |written: Value| arguments(&written).map(|found| (found.value, found.repairs.len()));
    assert_eq!(read(json!("{\"a\":1}")), Ok((json!({"a": 1}), 0)));
    for none in [json!(""), json!(null), json!("null"), json!({})] {
        assert_eq!(read(none), Ok((json!({}), 1)));
    }
    assert_eq!(read(json!("\"{\\\"a\\\":1}\"")), Ok((json!({"a": 1}), 1)));
    assert_eq!(read(json!({"a": 1})), Ok((json!({"a": 1}), 1)));
    assert_eq!(read(json!("[1]")), Err(JsonMissing::Unfit));
    assert_eq!(read(json!("what?")), Err(JsonMissing::Nothing));
}

#[test]
fn large_nonsense_is_refused_at_once() {
    for part in ["[", "\"", "{", "[\"", "{\"a\":", "'", "[[]", "/*", "[#", "{\"a\":\"", "[1,", "\\"]
    {
        let text = part.repeat((1 << 20) / part.len());
        let _ = find(&text, |_| false);
        let _ = complete(&text, "a");
    }
    assert_eq!(find(&"[".repeat(1 << 20), |_| true), Err(JsonMissing::TooLarge));
    assert_eq!(find(&" ".repeat(MAX_TEXT_BYTES + 1), |_| true), Err(JsonMissing::TooLong));
}
