//! Each rung by which JSON is asked for, over the wire: what leads to it, that it answers, and that it is kept.

use crate::model::{ask, bounds, model, request};
use crate::model_ladder::{call, says};
use praxis_adapters::model::{CardMemory, EndpointKnowledge, JsonMode, OpenAi};
use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn wants() -> ModelRequest {
    let schema =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    ModelRequest { format: AnswerFormat::Json { name: "answer".to_owned(), schema }, ..request() }
}

/// The rung on which a request asks.
fn rung(sent: &Value) -> JsonMode {
    match sent["response_format"]["type"].as_str() {
        Some("json_schema") => JsonMode::Schema,
        Some("json_object") => JsonMode::Object,
        _ if sent.get("tool_choice").is_some() => JsonMode::ForcedTool,
        _ if sent.get("structured_outputs").is_some() => JsonMode::Grammar,
        _ => JsonMode::Words,
    }
}

fn answer(rung: JsonMode) -> ServerReply {
    match rung {
        JsonMode::ForcedTool => call("answer", &json!({"n": 1})),
        JsonMode::Schema | JsonMode::Object | JsonMode::Grammar | JsonMode::Words => {
            says("{\"n\":1}")
        }
    }
}

/// How endpoints turn down what a rung asks for: the status, their words, the parameter that they name.
fn refusals(rung: JsonMode) -> Vec<(&'static str, &'static str, &'static str)> {
    match rung {
        JsonMode::Schema => vec![
            ("400 Bad Request", "This response_format type is unavailable now", ""),
            ("400 Bad Request", "bad value", "response_format"),
            ("422 Unprocessable Entity", "response_format.type: Input should be 'text'", ""),
            ("400 Bad Request", "json_schema needs a newer backend", ""),
            ("500 Internal Server Error", "response_format is not supported", ""),
        ],
        JsonMode::Object => vec![
            ("400 Bad Request", "'response_format.type' must be 'json_schema' or 'text'", ""),
            ("400 Bad Request", "'messages' must contain the word 'json' to use json_object", ""),
        ],
        JsonMode::ForcedTool => vec![
            ("400 Bad Request", "tool_choice is not supported", ""),
            ("400 Bad Request", "small does not support tools", ""),
            ("404 Not Found", "No endpoints found that support tool use.", ""),
            ("400 Bad Request", "something is wrong", ""),
        ],
        JsonMode::Grammar => vec![
            ("400 Bad Request", "structured_outputs: Extra inputs are not permitted", ""),
            ("422 Unprocessable Entity", "guided_json was removed", ""),
        ],
        JsonMode::Words => vec![],
    }
}

/// A refusal in an endpoint's own words, without a type that would tell.
fn refusal(status: &str, words: &str, named: &str) -> ServerReply {
    let error = json!({"error": {"message": words, "param": named}});
    ServerReply::new(
        &format!("{status}\ncontent-type: application/json"),
        error.to_string().as_bytes(),
    )
}

fn remembering(server: &TestServer, folder: &Path) -> OpenAi {
    let known = EndpointKnowledge::of(&server.url("/v1"), "small");
    model(server, bounds()).0.remembering(Arc::new(CardMemory::open(folder, known)))
}

fn rungs(heard: &[ReceivedRequest]) -> Vec<JsonMode> {
    heard.iter().map(|heard| rung(&heard.json())).collect()
}

#[tokio::test]
async fn an_endpoint_that_takes_one_rung_alone_is_asked_on_it_and_also_after_a_restart() {
    for (at, taken) in JsonMode::ALL.into_iter().enumerate() {
        let server = TestServer::start(move |heard, _| {
            let asked = rung(&heard.json());
            let (status, words, named) = refusals(asked).first().copied().unwrap_or_default();
            if asked == taken { answer(asked) } else { refusal(status, words, named) }
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        for restart in 0..2 {
            let model = remembering(&server, folder.path());
            let reply = ask(&model, &wants()).await.0.unwrap().reply;
            assert_eq!((reply.text.as_str(), model.card().rung), ("{\"n\":1}", taken));
            assert_eq!(server.heard().len(), at + 1 + restart, "{taken:?}: refused once for each");
        }
        let mut way: Vec<JsonMode> = JsonMode::ALL[..=at].to_vec();
        way.push(taken);
        assert_eq!(rungs(&server.heard()), way);
    }
}

#[tokio::test]
async fn in_whichever_words_a_rung_is_refused_the_next_below_is_tried() {
    for (asked, below) in JsonMode::ALL.into_iter().zip(JsonMode::ALL.into_iter().skip(1)) {
        for (status, words, named) in refusals(asked) {
            let server = TestServer::start(move |heard, _| match rung(&heard.json()) {
                refused if refused == asked => refusal(status, words, named),
                rung => answer(rung),
            })
            .await;
            let folder = tempfile::tempdir().unwrap();
            let mut known = EndpointKnowledge::of(&server.url("/v1"), "small");
            known.card.rung = asked;
            let model = model(&server, bounds()).0;
            let model = model.remembering(Arc::new(CardMemory::open(folder.path(), known)));
            let answered = ask(&model, &wants()).await.0;
            assert!(answered.is_ok(), "{asked:?}, {words}: {answered:?}");
            assert_eq!(rungs(&server.heard()), [asked, below], "{words}");
            assert_eq!(model.card().rung, below, "{words}");
        }
    }
}

#[tokio::test]
async fn what_no_rung_can_help_is_refused_at_once_and_costs_no_rung() {
    let server =
        TestServer::start(|_, _| refusal("400 Bad Request", "your account may not ask this", ""))
            .await;
    let (model, _) = model(&server, bounds());
    let missed = ask(&model, &wants()).await.0.unwrap_err();
    assert_eq!((missed.fault.code(), server.heard().len()), ("model_refused", 1));
    assert_eq!(model.card().rung, JsonMode::Schema);
}
