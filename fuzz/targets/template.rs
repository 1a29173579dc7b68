//! Any text is cut, bound and resolved without a panic; printing keeps its meaning; values stay values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use praxis_core::dataflow::context::{Context, StepResult};
use praxis_core::dataflow::lex::{Piece, lex, print};
use praxis_core::dataflow::resolve::{Blobs, OnUnresolved, blobs_needed, resolve};
use praxis_core::dataflow::template::{Template, parameters_object};
use praxis_core::ids::StepId;
use praxis_core::payload::Payload;
use praxis_fuzz::bytes::texts;
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| {
    let [text, a, b] = texts(data);
    prints_to_the_same_meaning(&text);
    let written = json!(text.as_str());
    for value in parameters_object(&written).into_iter().chain([json!({ "k": [text] })]) {
        resolves(&value, &context(&a, &b));
        values_are_opaque(&value, &a, &b);
    }
});

/// Metadata `a` and `b`, and a step `s` with the fields `v` and `deep.l[0]`.
fn context(a: &str, b: &str) -> Context {
    let initial = json!({ "a": a, "b": b });
    let mut context = Context::of_values(initial.as_object().expect("an object"));
    let step = context.declare(&StepId::from("s"));
    let output = json!({"v": a, "deep": {"l": [b]}, "n": 1});
    let result = StepResult {
        step_id: "s".into(),
        step_name: "".into(),
        tool_id: "t".into(),
        output: Payload::json(output),
        is_success: true,
        error_message: None,
        duration_ms: 0,
    };
    let _ = context.record(step, result, &[]);
    context.declare(&StepId::from("later"));
    context
}

fn meaning(pieces: &[Piece]) -> Vec<String> {
    let without_source = |piece: &Piece| match piece {
        Piece::Literal(text) => format!("text {text}"),
        Piece::Reference(reference) => format!("{:?} {}", reference.segments, reference.dollar),
        Piece::Malformed { source, why } => format!("malformed {source} {why}"),
    };
    pieces.iter().map(without_source).collect()
}

fn prints_to_the_same_meaning(text: &str) {
    let pieces = lex(text);
    if pieces.iter().any(|piece| matches!(piece, Piece::Malformed { .. })) {
        return;
    }
    let printed = print(&pieces);
    assert_eq!(meaning(&lex(&printed)), meaning(&pieces), "`{text}` was printed as `{printed}`");
    let literal = print(&[Piece::Literal(text.to_owned())]);
    let expected = if text.is_empty() { vec![] } else { vec![Piece::Literal(text.to_owned())] };
    assert_eq!(lex(&literal), expected);
}

fn resolves(value: &Value, context: &Context) {
    let template = Template::parse(value, context);
    assert!(blobs_needed(&template, context).is_empty());
    for mode in [OnUnresolved::Ask, OnUnresolved::Error, OnUnresolved::Keep] {
        match resolve(&template, context, &Blobs::new(), mode) {
            Ok(_) => {}
            Err(misses) => {
                assert_ne!(mode, OnUnresolved::Keep);
                assert!(misses.iter().all(|miss| value.pointer(&miss.pointer).is_some()));
            }
        }
    }
}

/// With marks in the place of the values, the same comes out with marks in the place of the values.
fn values_are_opaque(value: &Value, a: &str, b: &str) {
    let marks = ["\u{e001}", "\u{e002}"];
    let shown = value.to_string();
    // A value that is rendered as JSON is escaped there; what is never escaped can be compared.
    let plain = |text: &str| !text.contains(['"', '\\']) && !text.chars().any(char::is_control);
    if marks.iter().any(|mark| shown.contains(mark)) || !plain(a) || !plain(b) {
        return;
    }
    let (marked, real) = (context(marks[0], marks[1]), context(a, b));
    let (of_marks, of_values) = (Template::parse(value, &marked), Template::parse(value, &real));
    assert_eq!(of_marks, of_values, "what a placeholder names depends on a value");
    let Ok(expected) = resolve(&of_marks, &marked, &Blobs::new(), OnUnresolved::Error) else {
        return;
    };
    let resolved = resolve(&of_values, &real, &Blobs::new(), OnUnresolved::Error);
    let resolved = resolved.expect("with other values there are other misses").value;
    assert_eq!(resolved, put(&expected.value, [(marks[0], a), (marks[1], b)]));
}

fn put(value: &Value, by: [(&str, &str); 2]) -> Value {
    match value {
        Value::String(text) => {
            let mut out = String::new();
            for char in text.chars() {
                let mark = by.iter().find(|(mark, _)| mark.starts_with(char));
                match mark {
                    Some((_, value)) => out.push_str(value),
                    None => out.push(char),
                }
            }
            Value::from(out)
        }
        Value::Array(items) => items.iter().map(|item| put(item, by)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), put(value, by))).collect())
        }
        other => other.clone(),
    }
}
