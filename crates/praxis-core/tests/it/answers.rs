//! What holds for all answers of models, whatever they hold and however they come.

use praxis_core::ask::body;
use praxis_core::ask::classify::{HttpRefusal, classify};
use praxis_core::ask::elements::{Elements, complete};
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::json;
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reasoning::Splitter;
use praxis_core::ask::reply::ModelReply;
use praxis_core::ask::stream::Assembler;
use praxis_core::ask::text_calls;
use praxis_core::document::read_json;
use praxis_core::lang::Lang;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Text made of what models write around and inside of JSON.
const SCRAPS: &str = r#"(<think>|</think>|<tool_call>|</tool_call>|<|\{|\}|\[|\]|"|'|\\|\\u12|,|:|```json|```|\n|//|/\*|#|true|None|NaN|-|1|2\.5|a|"a":|"name":"x"|"arguments":|\{"a":1\}|步|é| ){0,24}"#;

/// Bytes made of what endpoints send.
const EVENTS: &str = r#"(data: |data:|event: error|: ping|\r\n|\r|\n|\n\n|\[DONE\]|\{"choices":\[\{"delta":\{"content":"hi"\}\}\]\}|\{"choices":\[\{"delta":\{\},"finish_reason":"stop"\}\]\}|\{"error":"x"\}|\{|<p>|é|步){0,16}"#;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|number: f64| json!(number)),
        "[ -~\n\t\"\\\\步é]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z\"{ ]{0,5}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn listen(pieces: &[&[u8]]) -> Result<ModelReply, ModelFault> {
    let mut listener = Listener::new(0);
    for piece in pieces {
        let _ = listener.feed(piece);
    }
    listener.end()
}

/// The same answer as chunks of the content's pieces, and as a whole body.
fn both(pieces: &[String]) -> (Result<ModelReply, ModelFault>, Result<ModelReply, ModelFault>) {
    let mut assembler = Assembler::new(0);
    for piece in pieces {
        assembler.take(&json!({"choices": [{"delta": {"content": piece}}]}).to_string()).unwrap();
    }
    let last = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    assembler.take(&last.to_string()).unwrap();
    let message = json!({"content": pieces.concat()});
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    (assembler.end(false), body::read(&body.to_string(), 0))
}

proptest! {
    #[test]
    fn any_bytes_are_a_reply_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..200_usize) {
        let (head, tail) = bytes.split_at(at.min(bytes.len()));
        prop_assert_eq!(listen(&[head, tail]), listen(&[&bytes]));
        let text = String::from_utf8_lossy(&bytes);
        let _ = body::read(&text, 0);
        let fault = classify(&HttpRefusal { status: 400, retry_after: Some(&text), retry_after_ms: None, body: &text });
        prop_assert!(!fault.message(Lang::Zh).is_empty());
    }

    #[test]
    fn a_stream_reads_the_same_in_all_pieces(text in EVENTS, size in 1..9_usize) {
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        prop_assert_eq!(listen(&pieces), listen(&[text.as_bytes()]));
    }

    #[test]
    fn a_stream_and_a_body_of_the_same_words_give_the_same_reply(pieces in prop::collection::vec(SCRAPS, 1..4)) {
        let letters: Vec<String> = pieces.concat().chars().map(String::from).collect();
        let (streamed, whole) = both(&pieces);
        prop_assert_eq!(&streamed, &whole);
        prop_assert_eq!(&both(&letters).0, &whole);
    }

    #[test]
    fn parting_words_and_thoughts_loses_nothing_but_tags(text in "[a-z<> 步]{0,30}") {
        let mut splitter = Splitter::default();
        splitter.feed(&text, &mut vec![]);
        let parts = splitter.end();
        prop_assert_eq!(parts.words.trim(), text.trim());
    }

    #[test]
    fn valid_json_is_found_as_it_is(value in value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let found = json::find(&text, |_| true).unwrap();
        prop_assert_eq!(found.value, value);
        prop_assert!(found.repairs.is_empty());
    }

    #[test]
    fn valid_json_among_words_is_found_as_it_is(value in value()) {
        let value = json!({ "it": value });
        let found = json::find(&format!("Well: {value} so."), |_| true).unwrap();
        prop_assert_eq!(found.value, value);
        prop_assert_eq!(json!(found.repairs), json!(["prose"]));
    }

    #[test]
    fn a_call_is_read_as_it_was_written(arguments in prop::collection::btree_map("[a-z_]{1,5}", value(), 0..4), around in "[a-z .\n]{0,8}") {
        let arguments = Value::Object(arguments.into_iter().collect());
        let named = |(name, value): (&String, &Value)| format!("{name}={value}");
        let given: Vec<String> = arguments.as_object().unwrap().iter().map(named).collect();
        let given = given.join(", ");
        let object = json!({"action": "a.b", "action_input": arguments});
        // Without arguments it must stand alone: a sentence may only speak of the tool.
        let beside = if given.is_empty() { "" } else { around.as_str() };
        for text in [format!("{beside} a.b({given}) {beside}"), format!("{around} {object} {around}")] {
            let spoken = text_calls::calls(&text, &["a.b"]).remove(0).unwrap();
            prop_assert_eq!(&spoken.call.arguments, &arguments);
            prop_assert_eq!(json!(spoken.repairs), json!(["call_in_text"]));
        }
    }

    #[test]
    fn no_call_among_words_is_ever_sure(text in SCRAPS, more in SCRAPS) {
        for spoken in text_calls::calls(&format!("{text}a(b={more}"), &["a", "x"]).into_iter().flatten() {
            prop_assert!(!spoken.repairs.iter().all(|repair| repair.is_lossless()));
        }
    }

    #[test]
    fn any_words_are_mended_openly_or_not_at_all(text in SCRAPS) {
        let found = json::find(&text, |_| true);
        if let Ok(found) = found {
            let is_strict = read_json(&text).is_ok_and(|value| value == found.value);
            prop_assert!(is_strict || !found.repairs.is_empty());
        }
        let _ = json::arguments(&Value::from(text));
    }

    #[test]
    fn elements_come_as_they_are_complete(items in prop::collection::vec(value(), 0..5), cut in 0..400_usize, size in 1..9_usize) {
        let text = json!({"steps": items}).to_string();
        prop_assert_eq!(complete(&text, "steps"), items.clone());
        let letters: Vec<char> = text.chars().take(cut).collect();
        let mut elements = Elements::of("steps");
        let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
        let came: Vec<Value> = pieces.flat_map(|piece| elements.feed(&piece)).collect();
        prop_assert!(items.starts_with(&came));
    }
}

#[test]
fn a_megabyte_of_anything_is_read_in_time() {
    for part in
        ["<", "<think>", "</think>", "<tool_call>", "<tool_call>{", "[", "\"", "{\"a\":\"", "'"]
    {
        let text = part.repeat((1 << 20) / part.len());
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let _ = body::read(&body.to_string(), 0);
        let call = json!({"function": {"name": "x", "arguments": text}});
        let body =
            json!({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "stop"}]});
        let _ = body::read(&body.to_string(), 0);
        let _ = listen(&[text.as_bytes(), b"\ndata: ", text.as_bytes(), b"\n\n"]);
    }
}

#[test]
fn a_long_answer_in_many_chunks_costs_as_much_as_its_length() {
    let mut assembler = Assembler::new(0);
    for _ in 0..50_000 {
        let call = json!({"index": 0, "id": "k", "function": {"name": "x", "arguments": "[1,"}});
        let delta = json!({"content": "<th", "reasoning": "hm", "tool_calls": [call]});
        assembler.take(&json!({"choices": [{"delta": delta}]}).to_string()).unwrap();
    }
    assert!(assembler.end(false).is_err());
}
