//! What real endpoints do to an answer: each file of `tests/quirks` is one such answer and what
//! must be made of it, whole, byte by byte, and cut at every place.

use praxis_core::ask::body;
use praxis_core::ask::classify::{HttpRefusal, classify};
use praxis_core::ask::elements;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::json::{self, JsonMissing};
use praxis_core::ask::listen::Listener;
use praxis_core::ask::names;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::ModelReply;
use praxis_core::ask::usage::head_is_lost;
use praxis_core::schema::Schema;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// About how many tokens the request has, if a quirk does not say.
const OWN_ESTIMATE: u64 = 10;

fn quirks() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/quirks");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut quirks: Vec<_> = files
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_str(&text).unwrap())
        })
        .collect();
    quirks.sort_by(|one, other| one.0.cmp(&other.0));
    quirks
}

fn estimate(quirk: &Value) -> u64 {
    quirk["own_estimate"].as_u64().unwrap_or(OWN_ESTIMATE)
}

/// Listens to a text in pieces.
fn listen<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    estimate: u64,
) -> Result<ModelReply, ModelFault> {
    let mut listener = Listener::new(estimate);
    for piece in pieces {
        let _ = listener.feed(piece);
    }
    listener.end()
}

/// What is made of an answer that came whole.
fn whole(quirk: &Value) -> Result<ModelReply, ModelFault> {
    let status = u16::try_from(quirk["status"].as_u64().unwrap_or(200)).unwrap();
    let header = |name: &str| quirk["headers"][name].as_str();
    match (quirk["stream"].as_str(), quirk["body"].as_str()) {
        (Some(stream), None) => listen([stream.as_bytes()].into_iter(), estimate(quirk)),
        (None, Some(text)) if status == 200 => body::read(text, estimate(quirk)),
        (None, Some(text)) => Err(classify(&HttpRefusal {
            status,
            retry_after: header("retry-after"),
            retry_after_ms: header("retry-after-ms"),
            body: text,
        })),
        _ => panic!("a quirk is a stream or a body"),
    }
}

/// Everything that a client would learn, as the quirk expects it.
fn outcome(quirk: &Value, answer: Result<ModelReply, ModelFault>) -> Value {
    let mut reply = match answer {
        Ok(reply) => reply,
        Err(fault) => return json!({"fault": fault, "retryable": fault.is_retryable()}),
    };
    let mut outcome = Map::new();
    let offered: Vec<&str> =
        quirk["offered"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let unknown = names::settle(&mut reply, &offered);
    if !unknown.is_empty() {
        outcome.insert("unknown".into(), json!(unknown));
    }
    if head_is_lost(&reply.usage, estimate(quirk)) {
        outcome.insert("head_lost".into(), json!(true));
    }
    let mut subject = reply.tool_calls.first().map(|call| call.arguments.clone());
    if let Some(needs) = quirk["find"].as_array() {
        let fits =
            |value: &Value| needs.iter().all(|key| value.get(key.as_str().unwrap()).is_some());
        let found = json::find(&reply.text, fits);
        subject = found.as_ref().ok().map(|found| found.value.clone());
        outcome.insert(
            "json".into(),
            match found {
                Ok(found) => json!({"value": found.value, "repairs": found.repairs}),
                Err(JsonMissing::Nothing) => json!({"missing": "nothing"}),
                Err(other) => json!({"missing": other.to_string()}),
            },
        );
    }
    if let Some(name) = quirk["array"].as_str() {
        outcome.insert("elements".into(), json!(elements::complete(&reply.text, name)));
    }
    if quirk["schema"].is_object() {
        let errors = Schema::compile(&quirk["schema"]).unwrap().errors(&subject.unwrap());
        let places: Vec<_> = errors.into_iter().map(|error| error.pointer).collect();
        outcome.insert("invalid".into(), json!(places));
    }
    outcome.insert("reply".into(), json!(reply));
    Value::Object(outcome)
}

#[test]
fn every_quirk_of_an_endpoint_is_read_as_expected() {
    let mut wrong = vec![];
    for (name, quirk) in quirks() {
        let outcome = outcome(&quirk, whole(&quirk));
        if outcome != quirk["expect"] {
            wrong.push(format!("{name}\n  got  {outcome}\n  want {}", quirk["expect"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_answer_reads_the_same_byte_by_byte_and_cut_at_every_place() {
    for (name, quirk) in quirks() {
        let text = quirk["stream"].as_str().or(quirk["body"].as_str()).unwrap().as_bytes();
        if quirk["status"].is_u64() {
            continue;
        }
        let expected = whole(&quirk);
        assert_eq!(listen(text.chunks(1), estimate(&quirk)), expected, "{name} byte by byte");
        for at in 0..=text.len() {
            let (head, tail) = text.split_at(at);
            assert_eq!(
                listen([head, tail].into_iter(), estimate(&quirk)),
                expected,
                "{name} at {at}"
            );
        }
    }
}

#[test]
fn a_stream_that_breaks_off_is_never_another_reply() {
    for (name, quirk) in quirks() {
        let Some(text) = quirk["stream"].as_str() else { continue };
        let Ok(full) = whole(&quirk) else { continue };
        for at in 0..text.len() {
            let Ok(reply) = listen([&text.as_bytes()[..at]].into_iter(), estimate(&quirk)) else {
                continue;
            };
            // Only the count of tokens may be missing.
            let usage = full.usage;
            assert_eq!(ModelReply { usage, ..reply }, full, "{name} broken off at {at}");
        }
    }
}

#[test]
fn what_is_shown_on_the_way_is_what_the_reply_says() {
    for (name, quirk) in quirks() {
        let Some(text) = quirk["stream"].as_str() else { continue };
        let Ok(reply) = whole(&quirk) else { continue };
        let mut listener = Listener::new(0);
        let (mut words, mut thoughts) = (String::new(), String::new());
        for delta in text.as_bytes().chunks(7).flat_map(|piece| listener.feed(piece).unwrap()) {
            match delta {
                Delta::Text(more) => words.push_str(&more),
                Delta::Reasoning(more) => thoughts.push_str(&more),
                Delta::ReclassifyAsReasoning => thoughts.push_str(&std::mem::take(&mut words)),
                Delta::Restart | Delta::Waiting(_) => panic!("a listener hears one answer"),
            }
        }
        let is_body = text.starts_with('{') || !text.ends_with('\n');
        let has_calls_in_thoughts = thoughts.contains("<tool_call>");
        if !is_body {
            assert_eq!(words.trim(), reply.text.trim(), "{name}");
        }
        if !is_body && !has_calls_in_thoughts {
            assert_eq!(thoughts.trim(), reply.reasoning, "{name}");
        }
    }
}

#[test]
fn every_quirk_of_the_list_has_an_answer() {
    let numbers: BTreeSet<u64> =
        quirks().iter().map(|(_, quirk)| quirk["quirk"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=38).collect());
    for (name, quirk) in quirks() {
        assert!(name.starts_with(&format!("{:02}", quirk["quirk"].as_u64().unwrap())), "{name}");
    }
}
