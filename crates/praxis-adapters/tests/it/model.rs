//! Models over HTTP, against a server that says what it is told.

use futures::future::BoxFuture;
use praxis_adapters::http::Guard;
use praxis_adapters::model::{CallBounds, CapabilityCard, Endpoint, JsonMode, OpenAi};
use praxis_adapters::secrets::{Secrets, Vault};
use praxis_core::ask::fault::Parameter;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{FinishReason, TokenUsage};
use praxis_core::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest};
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Clock, Model, ModelAnswered, ModelCallFailed};
use praxis_testkit::server::{AfterReply, ServerReply, TestServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const CANARY: &str = "canary-5e1f";

pub(crate) struct Keys;

impl Secrets for Keys {
    fn value(&self, _: &str) -> Option<String> {
        Some(CANARY.to_owned())
    }
}

/// A clock whose waits are over at once.
#[derive(Default)]
pub(crate) struct Hasty {
    pub(crate) now: AtomicU64,
}

impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        Timestamp(1_800_000_000_000 + self.now.load(Ordering::Relaxed))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        self.now.store(at.0 - 1_800_000_000_000, Ordering::Relaxed);
        Box::pin(async {})
    }
}

pub(crate) fn bounds() -> CallBounds {
    CallBounds { first_ms: 5000, silence_ms: 5000, ..CallBounds::default() }
}

pub(crate) fn model(server: &TestServer, bounds: CallBounds) -> (OpenAi, Arc<Hasty>) {
    let clock = Arc::new(Hasty::default());
    let endpoint = Endpoint {
        model: "small".to_owned(),
        base_url: server.url("/v1/"),
        authorization: Some("Bearer secret:KEY".to_owned()),
        bounds,
    };
    let guard = Arc::new(Guard::new(std::collections::BTreeSet::default(), 1024));
    let vault = Arc::new(Vault::new(Arc::new(Keys)));
    (OpenAi::new(endpoint, guard, vault, Arc::clone(&clock) as Arc<dyn Clock>), clock)
}

pub(crate) fn request() -> ModelRequest {
    let message =
        |role, content: &str| ModelMessage { role, content: content.to_owned(), reasoning: None };
    let messages =
        vec![message(MessageRole::System, "Be brief."), message(MessageRole::User, "Say hello.")];
    ModelRequest { messages, max_tokens: 64, temperature: Some(0.1), ..ModelRequest::default() }
}

pub(crate) fn chunk(content: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": content}}]}))
}

pub(crate) const DONE: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n\
                    data: [DONE]\n\n";

pub(crate) fn stream(text: &str) -> ServerReply {
    ServerReply::new("200 OK\ncontent-type: text/event-stream", text.as_bytes())
}

pub(crate) fn hello() -> ServerReply {
    stream(&format!("{}{}{DONE}", chunk("Hel"), chunk("lo")))
}

pub(crate) fn refusal(status: &str, message: &str, parameter: &str) -> ServerReply {
    let error =
        json!({"error": {"message": message, "param": parameter, "type": "invalid_request_error"}});
    ServerReply::new(
        &format!("{status}\ncontent-type: application/json"),
        error.to_string().as_bytes(),
    )
}

pub(crate) async fn ask(
    model: &OpenAi,
    request: &ModelRequest,
) -> (Result<ModelAnswered, ModelCallFailed>, String) {
    let mut words = String::new();
    let mut said = |delta: Delta| {
        if let Delta::Text(more) = delta {
            words.push_str(&more);
        }
    };
    let answer = model.ask(request, &mut said).await;
    (answer, words)
}

/// The same of any model, without its words.
pub(crate) async fn ask_any(
    model: &dyn Model,
    request: &ModelRequest,
) -> Result<ModelAnswered, ModelCallFailed> {
    model.ask(request, &mut |_| {}).await
}

pub(crate) fn code(answer: &Result<ModelAnswered, ModelCallFailed>) -> &'static str {
    answer.as_ref().map_or_else(|unanswered| unanswered.fault.code(), |_| "answered")
}

#[tokio::test]
async fn an_answer_is_streamed_counted_and_asked_for_with_the_secret() {
    let server = TestServer::start(|_, _| hello()).await;
    let (model, _) = model(&server, bounds());
    let (answer, words) = ask(&model, &request()).await;
    let answer = answer.unwrap();
    assert_eq!((answer.reply.text.as_str(), words.as_str()), ("Hello", "Hello"));
    assert_eq!(answer.reply.finish, FinishReason::Stop);
    assert_eq!(
        answer.reply.usage,
        TokenUsage { prompt: 9, completion: 2, ..TokenUsage::default() }
    );
    assert_eq!(answer.spent, TokenUsage::default());
    let heard = server.heard();
    assert_eq!((heard.len(), heard[0].target.as_str()), (1, "/v1/chat/completions"));
    assert_eq!(heard[0].header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
    let sent = heard[0].json();
    assert_eq!(sent["messages"][1], json!({"role": "user", "content": "Say hello."}));
    assert_eq!((&sent["stream"], &sent["max_tokens"]), (&json!(true), &json!(64)));
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn what_an_endpoint_refuses_is_left_out_from_then_on() {
    let server = TestServer::start(|heard, _| {
        let sent = heard.json();
        if sent.get("stream_options").is_some() {
            return refusal(
                "400 Bad Request",
                "Unknown parameter: 'stream_options'.",
                "stream_options",
            );
        }
        if sent.get("max_tokens").is_some() {
            let words = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                         Use 'max_completion_tokens' instead.";
            return refusal("400 Bad Request", words, "max_tokens");
        }
        hello()
    })
    .await;
    let (model, clock) = model(&server, bounds());
    assert_eq!(ask(&model, &request()).await.0.unwrap().reply.text, "Hello");
    assert_eq!(server.heard().len(), 3, "one lesson a request");
    assert_eq!(clock.now.load(Ordering::Relaxed), 0, "and no waiting");
    assert_eq!(ask(&model, &request()).await.0.unwrap().reply.text, "Hello");
    let heard = server.heard();
    assert_eq!(heard.len(), 4, "it is remembered");
    assert_eq!(heard[3].json()["max_completion_tokens"], json!(64));
    let refused = [Parameter::StreamOptions, Parameter::MaxTokens].into_iter().collect();
    assert_eq!(model.card(), CapabilityCard { refused, ..CapabilityCard::default() });
}

#[tokio::test]
async fn json_is_asked_for_on_the_highest_rung_that_the_endpoint_takes() {
    let server = TestServer::start(|heard, _| {
        let sent = heard.json();
        for refused in ["response_format", "tools", "structured_outputs"] {
            if sent.get(refused).is_some() {
                return refusal("400 Bad Request", &format!("{refused} is not supported"), "");
            }
        }
        stream(&format!("{}{DONE}", chunk("{\"n\": 1}")))
    })
    .await;
    let (model, _) = model(&server, bounds());
    let schema = json!({"type": "object", "required": ["n"]});
    let format = AnswerFormat::Json { name: "answer".to_owned(), schema: schema.clone() };
    let answer = ask(&model, &ModelRequest { format, ..request() }).await.0.unwrap();
    assert_eq!(answer.reply.text, "{\"n\": 1}");
    let heard = server.heard();
    let forms: Vec<Value> =
        heard.iter().map(|heard| heard.json()["response_format"]["type"].clone()).collect();
    assert_eq!(forms[..2], [json!("json_schema"), json!("json_object")]);
    let forced = heard[2].json();
    assert_eq!(forced["tools"][0]["function"]["parameters"], schema);
    assert_eq!(forced["tool_choice"], json!({"type": "function", "function": {"name": "answer"}}));
    let grammar = heard[3].json();
    assert_eq!(
        (&grammar["structured_outputs"]["json"], &grammar["json_schema"]),
        (&schema, &schema)
    );
    assert_eq!((heard.len(), model.card().rung), (5, JsonMode::Words));
    let words = |at: usize| heard[at].json()["messages"].as_array().unwrap().last().cloned();
    for at in [1, 3, 4] {
        let last = words(at).unwrap();
        assert!(last["content"].as_str().unwrap().contains(&schema.to_string()), "{at}: {last}");
    }
    // What comes first is the same on every rung.
    assert_eq!(heard[0].json()["messages"][1], heard[4].json()["messages"][1]);
}

#[tokio::test]
async fn a_busy_endpoint_is_left_alone_as_long_as_it_asks_and_no_longer_than_is_sane() {
    let server = TestServer::start(|_, before| match before {
        0 => ServerReply::new("429 Too Many Requests\nretry-after: 7", b"{}"),
        1 => ServerReply::new("503 Service Unavailable\nretry-after: 86400", b"{}"),
        _ => hello(),
    })
    .await;
    let (model, clock) = model(&server, bounds());
    assert_eq!(ask(&model, &request()).await.0.unwrap().reply.text, "Hello");
    assert_eq!(clock.now.load(Ordering::Relaxed), 7000 + 60_000);
}

#[tokio::test]
async fn a_part_is_never_taken_for_the_whole_and_what_it_cost_is_counted() {
    let server = TestServer::start(|_, before| match before {
        0 => stream(&chunk("Hel")),
        1 => stream(&chunk("Hel")).then(AfterReply::Reset),
        2 => ServerReply::new("502 Bad Gateway", b"<html><body>Bad gateway</body></html>"),
        _ => hello(),
    })
    .await;
    let (first, _) = model(&server, bounds());
    let answer = ask(&first, &request()).await.0.unwrap();
    assert_eq!((answer.reply.text.as_str(), server.heard().len()), ("Hello", 4));
    assert!(answer.spent.prompt > 0 && answer.spent.estimated, "{:?}", answer.spent);
    let always = TestServer::start(|_, _| stream(&chunk("Hel"))).await;
    let (second, _) = model(&always, bounds());
    let (answer, _) = ask(&second, &request()).await;
    assert_eq!((code(&answer), always.heard().len()), ("model_cut", 4), "tries are bounded");
    let spent = answer.unwrap_err().spent;
    assert!(spent.prompt > 3 * 4 && spent.completion > 0, "{spent:?}");
}

#[tokio::test]
async fn an_endpoint_that_never_ends_or_never_begins_is_given_up_in_time() {
    let quick = CallBounds { first_ms: 200, silence_ms: 200, total_ms: 400, tries: 1, ..bounds() };
    let pouring = TestServer::start(|_, _| {
        let ping = (b": ping\n\n".to_vec(), Duration::from_millis(10));
        ServerReply::raw("HTTP/1.1 200 OK\r\n\r\n").then(AfterReply::Pour(ping.0, ping.1))
    })
    .await;
    assert_eq!(code(&ask(&model(&pouring, quick).0, &request()).await.0), "model_silent");
    pouring.until_left(1).await;
    let silent = TestServer::start(|_, _| ServerReply::silence()).await;
    assert_eq!(code(&ask(&model(&silent, quick).0, &request()).await.0), "model_silent");
    silent.until_left(1).await;
    let stalled = TestServer::start(|_, _| {
        let begun = format!("HTTP/1.1 200 OK\r\n\r\n{}", chunk("Hel"));
        ServerReply::raw(begun).then(AfterReply::Hold)
    })
    .await;
    assert_eq!(code(&ask(&model(&stalled, quick).0, &request()).await.0), "model_cut");
    let endless = TestServer::start(|_, _| {
        ServerReply::raw("HTTP/1.1 200 OK\r\n\r\n")
            .then(AfterReply::Pour(chunk("more").into(), Duration::ZERO))
    })
    .await;
    let short = CallBounds { answer_bytes: 100_000, tries: 1, ..bounds() };
    assert_eq!(code(&ask(&model(&endless, short).0, &request()).await.0), "model_unreadable");
    endless.until_left(1).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_closes_its_connection() {
    let server = TestServer::start(|_, _| {
        let begun = format!("HTTP/1.1 200 OK\r\n\r\n{}", chunk("Hel"));
        ServerReply::raw(begun)
            .then(AfterReply::Pour(b": ping\n\n".to_vec(), Duration::from_millis(10)))
    })
    .await;
    let (model, _) = model(&server, bounds());
    let (tell, heard) = tokio::sync::oneshot::channel();
    let request = request();
    let mut tell = Some(tell);
    let mut said = move |_| {
        if let Some(tell) = tell.take() {
            tell.send(()).unwrap();
        }
    };
    tokio::select! {
        _ = model.ask(&request, &mut said) => panic!("it never ends"),
        begun = heard => begun.unwrap(),
    }
    // The client keeps connections for later: this one is of no use any more.
    let left = tokio::time::timeout(Duration::from_secs(20), server.until_left(1)).await;
    assert!(left.is_ok(), "the endpoint would go on to write for nobody");
}

#[tokio::test]
async fn a_wrong_key_is_not_tried_again_and_not_told() {
    let server = TestServer::start(|heard, _| {
        let echoed = heard.header("authorization").unwrap_or_default().to_owned();
        refusal("401 Unauthorized", &format!("Incorrect API key provided: {echoed}"), "")
    })
    .await;
    let (model, _) = model(&server, bounds());
    let (answer, _) = ask(&model, &request()).await;
    assert_eq!((code(&answer), server.heard().len()), ("model_denied", 1));
    let told = format!("{answer:?}");
    assert!(told.contains("[secret:KEY]") && !told.contains(CANARY), "{told}");
    let nowhere = Endpoint {
        model: "m".to_owned(),
        base_url: "http://127.0.0.1:9/v1".to_owned(),
        authorization: None,
        bounds: CallBounds { tries: 2, ..bounds() },
    };
    let guard = Arc::new(Guard::new(std::collections::BTreeSet::default(), 1024));
    let clock = Arc::new(Hasty::default());
    let nobody = OpenAi::new(nowhere, guard, Arc::new(Vault::new(Arc::new(Keys))), clock);
    assert_eq!(code(&ask(&nobody, &request()).await.0), "model_unreachable");
}
