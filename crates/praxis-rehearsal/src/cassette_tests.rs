//! What is recorded is replayed, once, and nothing else is.

use super::*;
use crate::record::{CallRecording, Recorder};
use serde_json::json;

const KEY: &str = "Bearer canary-77aa21";

fn body(words: &str) -> Value {
    json!({"model": "m", "temperature": 0.1, "stream": true,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": words}]})
}

fn take(words: &str, chunks: &[(u64, &[u8])], cut: bool) -> Interaction {
    let headers = [("Content-Type", "text/event-stream"), ("Set-Cookie", "s=1"), ("x-key", KEY)];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let mut take = CallRecording::new(&body(words), 200, headers, KEY);
    for (after_ms, bytes) in chunks {
        take.chunk(*after_ms, bytes);
    }
    take.end(cut)
}

/// The cassette that a recorder wrote, and its text.
fn recorded(calls: &[Interaction]) -> (Cassette, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    for call in calls {
        Recorder::open(&path).unwrap().append(call).unwrap();
    }
    let text = std::fs::read_to_string(path).unwrap();
    (Cassette::read(&text, "calls.jsonl").unwrap(), text)
}

fn asked(words: &str) -> ChatRequest {
    ChatRequest::read(body(words)).unwrap()
}

fn missing(cassette: &mut Cassette, asked: &ChatRequest) -> Bilingual {
    match cassette.turn(asked) {
        VoiceDecision::Nothing(words) => words,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recorded_answer_comes_back_byte_for_byte_with_its_delays() {
    let call = take("hi", &[(5, b"data: \xe5"), (7, b"\xa5\xbd\n\n")], true);
    let (mut cassette, text) = recorded(&[call]);
    assert!(text.contains("base64"), "{text}");
    let VoiceDecision::Send { by, wire } = cassette.turn(&asked("hi")) else {
        panic!("it is known")
    };
    assert_eq!(by, "recorded call 1");
    let piece = |due_ms, bytes: &[u8]| BodyPiece { due_ms, bytes: bytes.to_vec() };
    assert_eq!(wire.pieces, [piece(5, b"data: \xe5"), piece(12, b"\xa5\xbd\n\n")]);
    assert_eq!(wire.then, AfterBody::Cut);
    let content = ("content-type".to_owned(), "text/event-stream".to_owned());
    assert_eq!(wire.head.unwrap().headers, [content]);
}

#[test]
fn equal_requests_are_answered_in_turn_and_no_more_often_than_recorded() {
    let (mut cassette, _) = recorded(&[take("hi", &[(0, b"1")], false), take("hi", &[], false)]);
    assert_eq!(cassette.account().unused.len(), 2);
    for by in ["recorded call 1", "recorded call 2"] {
        assert!(
            matches!(cassette.turn(&asked("hi")), VoiceDecision::Send { by: who, .. } if who == by)
        );
    }
    assert!(missing(&mut cassette, &asked("hi")).en.contains("already used"));
    assert_eq!(cassette.account().unused, [] as [&str; 0]);
}

#[test]
fn a_request_that_was_not_recorded_is_refused_with_the_first_difference() {
    let (mut cassette, _) =
        recorded(&[take("tell me of the sea", &[], false), take("hi", &[], false)]);
    let words = missing(&mut cassette, &asked("tell me of the fog"));
    assert!(words.en.contains("recorded call 1"), "{}", words.en);
    assert!(words.en.contains("the sea") && words.en.contains("the fog"), "{}", words.en);
    assert!(words.en.contains("/messages/001/content"), "{}", words.en);
    assert!(missing(&mut Cassette::default(), &asked("hi")).zh.contains("空"));
}

#[test]
fn no_secret_is_written_down_wherever_it_comes_back() {
    let split: [(u64, &[u8]); 2] = [(1, b"your key canary-77"), (2, b"aa21 is wrong")];
    let (_, text) = recorded(&[take("hi", &split, false), take("I am canary-77aa21", &[], false)]);
    assert!(!text.contains("canary") && text.contains("[secret]"), "{text}");
    assert!(!text.contains("s=1"), "{text}");
}

#[test]
fn a_line_that_is_no_recorded_call_is_refused_by_its_number() {
    let (_, text) = recorded(&[take("hi", &[], false)]);
    for (broken, why) in [
        (text.replace("Be brief.", "Be long."), "`key` does not match `request`"),
        (text.replace("\"status\":200", "\"status\":\"ok\""), "invalid type"),
        ("{".to_owned(), "ends inside"),
    ] {
        let refused = Cassette::read(&format!("{text}\n{broken}"), "c.jsonl").unwrap_err();
        assert_eq!(
            (refused.code.as_str(), refused.at.as_str()),
            ("bad_cassette", "c.jsonl line 3")
        );
        assert!(refused.message.en.contains(why), "{refused}");
    }
}
