//! `LLM_QUIRKS` 5 and 6: earlier thoughts that one endpoint wants back and another must not see.

use crate::model::{ask, bounds, hello, model, refusal, request, stream};
use praxis_adapters::model::{CardMemory, EndpointKnowledge, ReasoningStyle};
use praxis_core::ask::request::{MessageRole, ModelMessage, ModelRequest};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};
use std::sync::Arc;

const THOUGHT: &str = "The first answer lacked a field.";

/// The turn after an answer that could not be used.
fn correction(thought: &str) -> ModelRequest {
    let mut request = request();
    let reasoning = Some(thought.to_owned());
    let own = ModelMessage { role: MessageRole::Assistant, content: "{}".to_owned(), reasoning };
    let user =
        ModelMessage { role: MessageRole::User, content: "Again.".to_owned(), reasoning: None };
    request.messages.extend([own, user]);
    request
}

/// What came back of the thoughts, message by message.
fn returned(heard: &ReceivedRequest) -> Vec<Option<String>> {
    let messages = heard.json()["messages"].as_array().unwrap().clone();
    let thought = |message: &Value| Some(message.get("reasoning_content")?.as_str()?.to_owned());
    messages.iter().map(thought).collect()
}

fn wants_them(heard: &ReceivedRequest, _: usize) -> ServerReply {
    let missing = returned(heard)[2].is_none();
    let words = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    if missing { refusal("400 Bad Request", words, "") } else { hello() }
}

fn refuses_them(heard: &ReceivedRequest, _: usize) -> ServerReply {
    let came = returned(heard).iter().any(Option::is_some);
    let words = "messages[2]: reasoning_content is not allowed in the input, please remove it";
    if came { refusal("400 Bad Request", words, "") } else { hello() }
}

// LLM_QUIRKS 5
#[tokio::test]
async fn a_model_that_needs_its_thoughts_back_gets_them_and_from_then_on_at_once() {
    let server = TestServer::start(wants_them).await;
    let (model, _) = model(&server, bounds());
    assert_eq!(ask(&model, &correction(THOUGHT)).await.0.unwrap().reply.text, "Hello");
    assert_eq!(model.card().thoughts, ReasoningStyle::Returned);
    ask(&model, &correction(THOUGHT)).await.0.unwrap();
    let heard = server.heard();
    assert_eq!(heard.len(), 3, "one refusal, and it is remembered");
    let beside = vec![None, None, Some(THOUGHT.to_owned()), None];
    assert_eq!((returned(&heard[1]), returned(&heard[2])), (beside.clone(), beside));
}

// LLM_QUIRKS 6
#[tokio::test]
async fn a_model_that_must_not_see_its_thoughts_never_does() {
    let server = TestServer::start(refuses_them).await;
    let (model, _) = model(&server, bounds());
    assert_eq!(ask(&model, &correction(THOUGHT)).await.0.unwrap().reply.text, "Hello");
    assert_eq!((server.heard().len(), model.card().thoughts), (1, ReasoningStyle::Kept));
}

// LLM_QUIRKS 6: the model behind an address was exchanged for one of the other kind.
#[tokio::test]
async fn an_endpoint_that_changes_its_mind_costs_one_more_try() {
    let server = TestServer::start(|heard, before| match before {
        0 | 1 => wants_them(heard, before),
        _ => refuses_them(heard, before),
    })
    .await;
    let (model, _) = model(&server, bounds());
    for tries in [2, 4, 5] {
        ask(&model, &correction(THOUGHT)).await.0.unwrap();
        assert_eq!(server.heard().len(), tries);
    }
    assert_eq!(model.card().thoughts, ReasoningStyle::Kept);
}

#[tokio::test]
async fn an_endpoint_that_wants_thoughts_where_there_are_none_is_not_asked_for_ever() {
    let server = TestServer::start(wants_them).await;
    let (model, _) = model(&server, bounds());
    let mut bare = correction(THOUGHT);
    bare.messages[2].reasoning = None;
    let missed = ask(&model, &bare).await.0.unwrap_err();
    assert_eq!((missed.fault.code(), server.heard().len()), ("model_reasoning_wanted", 2));
}

#[tokio::test]
async fn thoughts_that_were_not_sent_are_not_missed_by_those_who_count() {
    let server = TestServer::start(|_, _| {
        let choice = json!({"index": 0, "delta": {"content": "Hello"}, "finish_reason": "stop"});
        let usage = json!({"prompt_tokens": 25, "completion_tokens": 1});
        stream(&format!("data: {}\n\n", json!({"choices": [choice], "usage": usage})))
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let memory = Arc::new(CardMemory::open(
        folder.path(),
        EndpointKnowledge::of(&server.url("/v1"), "small"),
    ));
    let model = model(&server, bounds()).0.remembering(Arc::clone(&memory));
    for _ in 0..3 {
        ask(&model, &correction(&"thinking ".repeat(500))).await.0.unwrap();
    }
    assert_eq!(memory.known().counts.heads_lost, 0);
}
