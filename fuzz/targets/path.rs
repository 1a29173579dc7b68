//! Any path is cut, printed and walked in any value without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use praxis_core::dataflow::catalog::{extract_by_path, structure};
use praxis_core::dataflow::context::Context;
use praxis_core::dataflow::lex::segments;
use praxis_core::dataflow::path::{print, walk};
use praxis_core::dataflow::resolve::Blobs;
use praxis_core::document::read_json;
use praxis_fuzz::bytes::texts;
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| {
    let [text, document] = texts(data);
    let value =
        read_json(&document).unwrap_or(json!({"a": {"b.c": [1, {"": null}]}, "0": "[[1]]"}));
    let _ = structure(&value);
    let metadata = json!({ "m": value.clone() });
    let context = Context::of_values(metadata.as_object().expect("an object"));
    let _ = extract_by_path(&context, &Blobs::new(), &text);
    let Ok(path) = segments(&text) else { return };
    let printed = print(&path);
    let printed = printed.strip_prefix('.').unwrap_or(&printed);
    assert_eq!(segments(printed).as_ref(), Ok(&path), "`{text}` was printed as `{printed}`");
    match walk(&value, &path) {
        Ok(found) => assert!(text_within(&value).contains(&text_of(&found))),
        Err(stop) => assert!(stop.walked < path.len()),
    }
});

/// The texts of a value and of everything in it, JSON text inside of it too.
fn text_within(value: &Value) -> Vec<String> {
    let mut texts = vec![text_of(value)];
    match value {
        Value::Array(items) => texts.extend(items.iter().flat_map(text_within)),
        Value::Object(map) => texts.extend(map.values().flat_map(text_within)),
        Value::String(text) => texts.extend(read_json(text).iter().flat_map(text_within)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    texts
}

fn text_of(value: &Value) -> String {
    value.to_string()
}
