//! What a probe makes of endpoints that can everything, little, or nothing.

use crate::model::{DONE, bounds, chunk, model, refusal, stream};
use crate::model_ladder::call;
use praxis_adapters::model::{Feature, Grade, JsonMode, ProbeResult, ToolCallStyle};
use praxis_core::ask::fault::Parameter;
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What an endpoint can that can everything.
fn able(heard: &ReceivedRequest) -> ServerReply {
    let sent = heard.json();
    let words = sent["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    let words = words.as_str().unwrap();
    let fits = "{\"colour\": \"red\", \"code\": \"K7\"}";
    if sent["tools"].is_array() {
        return if words.contains("Ningbo") { twice() } else { weather(&sent) };
    }
    let text = match sent["response_format"]["type"].as_str() {
        Some("json_schema") => fits,
        Some(_) => "{\"n\": 7}",
        None if sent.get("structured_outputs").is_some() => fits,
        None if words.contains("负荷") => "负荷→α🙂é",
        None if sent["messages"][0]["role"] == "system" => "ORANGE",
        None => "pong",
    };
    said(&sent, text)
}

fn said(sent: &Value, text: &str) -> ServerReply {
    if sent["stream"] == true {
        return stream(&format!("{}{DONE}", chunk(text)));
    }
    let message = json!({"role": "assistant", "content": text});
    ServerReply::json(&json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    }))
}

fn weather(sent: &Value) -> ServerReply {
    let arguments = json!({"city": "Hangzhou"});
    if sent["stream"] != true {
        return call("weather", &arguments);
    }
    let call = json!([{"index": 0, "id": "c", "function":
        {"name": "weather", "arguments": arguments.to_string()}}]);
    let delta = json!({"choices": [{"index": 0, "delta": {"tool_calls": call}}]});
    stream(&format!("data: {delta}\n\n{DONE}"))
}

fn twice() -> ServerReply {
    let call = |id: &str| {
        json!({"id": id, "type": "function", "function":
        {"name": "weather", "arguments": "{\"city\": \"x\"}"}})
    };
    let message =
        json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]});
    ServerReply::json(
        &json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}),
    )
}

fn graded(measured: &ProbeResult, wanted: Grade) -> Vec<Feature> {
    let rows = measured.rows.iter().filter(|row| row.grade == wanted);
    rows.map(|row| row.feature).collect()
}

#[tokio::test]
async fn an_endpoint_that_can_everything_is_asked_for_json_by_schema() {
    let server = TestServer::start(|heard, _| able(heard)).await;
    let (model, _) = model(&server, bounds());
    let measured = model.probe().await.unwrap();
    assert_eq!(graded(&measured, Grade::No), [Feature::Thinking]);
    assert_eq!(graded(&measured, Grade::Yes).len(), 13, "{measured:#?}");
    assert_eq!(model.card(), praxis_adapters::model::CapabilityCard::default());
    let heard = server.heard();
    assert_eq!(heard.len(), 11, "about a dozen requests");
    assert!(heard.iter().all(|heard| heard.json()["model"] == "small"));
}

#[tokio::test]
async fn what_is_refused_or_ignored_is_measured_and_leads_to_the_right_rung() {
    let server = TestServer::start(|heard, _| {
        let sent = heard.json();
        let refuse =
            |name: &str| refusal("400 Bad Request", &format!("{name} is not supported"), name);
        for name in ["stream_options", "temperature", "tool_choice", "max_tokens"] {
            if sent.get(name).is_some() {
                return refuse(name);
            }
        }
        match sent["response_format"]["type"].as_str() {
            // Accepted, and not enforced.
            Some("json_schema") => said(&sent, "Hello!"),
            Some(_) => refuse("response_format"),
            None if sent["messages"][0]["role"] == "system" => said(&sent, "Four."),
            None if sent.get("tools").is_some() => said(&sent, "It is sunny."),
            None => able(heard),
        }
    })
    .await;
    let (model, _) = model(&server, bounds());
    let measured = model.probe().await.unwrap();
    assert_eq!(graded(&measured, Grade::Partly), [Feature::SystemRole, Feature::JsonSchema]);
    let refused = [
        Feature::UsageInStream,
        Feature::Temperature,
        Feature::JsonObject,
        Feature::Tools,
        Feature::ForcedTool,
        Feature::Thinking,
    ];
    assert_eq!(graded(&measured, Grade::No), refused);
    let card = model.card();
    assert_eq!(card.rung, JsonMode::Grammar);
    let refused = [
        Parameter::StreamOptions,
        Parameter::MaxTokens,
        Parameter::Temperature,
        Parameter::ToolChoice,
    ];
    assert_eq!(card.refused, BTreeSet::from(refused));
}

#[tokio::test]
async fn a_stream_that_loses_calls_and_a_grammar_without_patterns_are_found() {
    let server = TestServer::start(|heard, _| {
        let sent = heard.json();
        if sent.to_string().contains("\"pattern\"") {
            return refusal("400 Bad Request", "failed to parse grammar", "");
        }
        match (sent["stream"].as_bool(), sent.get("tools")) {
            (Some(true), Some(_)) => stream(DONE),
            _ => able(heard),
        }
    })
    .await;
    let (model, _) = model(&server, bounds());
    let measured = model.probe().await.unwrap();
    assert_eq!(measured.grade(Feature::StreamedCalls), Grade::No);
    assert_eq!(measured.grade(Feature::JsonSchema), Grade::Yes);
    let card = model.card();
    assert_eq!(
        (card.calls, card.plain_schemas, card.rung),
        (ToolCallStyle::Whole, true, JsonMode::Schema)
    );
}

#[tokio::test]
async fn thoughts_are_noticed_wherever_they_stand() {
    let server = TestServer::start(|heard, before| {
        let text = if before == 0 { "<think>hm</think>pong" } else { "pong" };
        said(&heard.json(), text)
    })
    .await;
    let (model, _) = model(&server, bounds());
    let measured = model.probe().await.unwrap();
    let row = measured.rows.iter().find(|row| row.feature == Feature::Thinking).unwrap();
    assert_eq!((row.grade, row.note.as_str()), (Grade::Yes, "<think> in the text"));
    assert_eq!(model.card().rung, JsonMode::Words, "nothing else was seen to work");
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_has_no_card() {
    let server = TestServer::start(|_, _| refusal("401 Unauthorized", "wrong key", "")).await;
    let (model, _) = model(&server, bounds());
    assert_eq!(model.probe().await.unwrap_err().code(), "model_denied");
    assert_eq!(server.heard().len(), 1);
    let busy = TestServer::start(|heard, before| match before {
        0 => ServerReply::new("429 Too Many Requests\nretry-after: 2", b"{}"),
        _ => able(heard),
    })
    .await;
    let (model, _) = self::model(&busy, bounds());
    let measured = model.probe().await.unwrap();
    assert_eq!(measured.grade(Feature::Answers), Grade::Yes, "one more try is made");
}
