//! The scripted endpoint over real sockets: what it takes, how long it takes, and what it refuses.

use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::ModelReply;
use praxis_core::document::DocumentFormat;
use praxis_core::time::Timestamp;
use praxis_engine::clock::TokioClock;
use praxis_engine::seams::Clock;
use praxis_rehearsal::latency::LatencyModel;
use praxis_rehearsal::{
    Cassette, ChatRequest, ChunkMode, DegradedOracle, Degrader, ErrorRates, FaultLibrary, Recorder,
    RehearsalLimits, RehearsalScript, RehearsalServer, RehearsalSetup, ScriptedAnswer, Upstream,
    Voice, VoiceDecision,
};
use praxis_testkit::virtual_time::flow;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// Says how many messages it heard.
struct Counting;

impl Voice for Counting {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        let answer = ScriptedAnswer::text(format!("I heard {} messages.", asked.messages.len()));
        VoiceDecision::Say { by: "counting".to_owned(), answer }
    }
}

async fn start(setup: RehearsalSetup, voice: impl Voice + 'static) -> RehearsalServer {
    RehearsalServer::start(setup, voice, now()).await.unwrap()
}

fn now() -> impl Fn() -> Timestamp {
    let clock = TokioClock::starting_at(Timestamp(1_800_000_000_000));
    move || clock.now()
}

/// A client for addresses without TLS.
fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().redirect(Policy::none()).no_proxy().build().unwrap()
}

fn script(text: &str) -> RehearsalScript {
    RehearsalScript::read(text.as_bytes(), DocumentFormat::Yaml, &FaultLibrary::default()).unwrap()
}

fn body(words: &str, streams: bool) -> Value {
    json!({"model": "m", "stream": streams, "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": words}]})
}

/// Everything that comes back for these bytes: the status, the headers and the body.
async fn send(address: SocketAddr, bytes: &[u8]) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut back = Vec::new();
    let _ = stream.read_to_end(&mut back).await;
    let end = back.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(back[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = back.split_off(end + 4);
    let body = if head.contains("chunked") { joined(&body) } else { body };
    (status, head, body)
}

/// The chunks of a body, joined.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let line = chunks.windows(2).position(|two| two == b"\r\n").unwrap();
        let length = std::str::from_utf8(&chunks[..line]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return all;
        }
        all.extend(&chunks[line + 2..line + 2 + length]);
        chunks = &chunks[line + 4 + length..];
    }
}

fn post(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

async fn ask(server: &RehearsalServer, body: &Value) -> (u16, String, Vec<u8>) {
    send(server.address(), &post(body)).await
}

async fn reply(server: &RehearsalServer, words: &str) -> ModelReply {
    let (status, _, bytes) = ask(server, &body(words, true)).await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&bytes));
    let mut listener = Listener::new(0);
    listener.feed(&bytes).unwrap();
    listener.end().unwrap()
}

#[tokio::test]
async fn it_speaks_as_an_openai_compatible_endpoint_does() {
    let server = start(RehearsalSetup::default(), Counting).await;
    let (status, head, models) = send(server.address(), b"GET /v1/models HTTP/1.1\r\n\r\n").await;
    assert_eq!((status, head.contains("application/json")), (200, true));
    let models: Value = serde_json::from_slice(&models).unwrap();
    assert_eq!(models["data"][0]["id"], "rehearsal");
    let (_, head, stream) = ask(&server, &body("hi", true)).await;
    assert!(head.contains("text/event-stream") && stream.starts_with(b"data: {"), "{head}");
    assert!(stream.ends_with(b"data: [DONE]\n\n"));
    let (_, head, whole) = ask(&server, &body("hi", false)).await;
    let whole: Value = serde_json::from_slice(&whole).unwrap();
    assert!(head.contains("application/json"), "{head}");
    assert_eq!(whole["choices"][0]["message"]["content"], "I heard 2 messages.");
    assert_eq!(whole["usage"]["completion_tokens"], 5);
    let calls = server.calls();
    assert_eq!((calls.len(), calls[1].number, calls[0].by.as_str()), (2, 2, "counting"));
    assert_eq!(calls[0].messages[1].content, "hi");
    assert!(calls[0].tokens.prompt > 0 && calls[0].tokens.completion == 5);
}

#[tokio::test]
async fn what_is_no_request_is_refused_and_bounded() {
    let server = start(RehearsalSetup::default(), Counting).await;
    let long = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(70_000));
    for (bytes, status) in [
        (b"GET /v1/other HTTP/1.1\r\n\r\n".as_slice(), 404),
        (b"nonsense\r\n\r\n", 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}", 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 3\r\n\r\nno!", 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 33554433\r\n\r\n", 413),
        (b"POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", 411),
        (long.as_bytes(), 431),
    ] {
        assert_eq!(send(server.address(), bytes).await.0, status);
    }
    assert_eq!(server.calls(), []);
}

#[tokio::test]
async fn a_request_that_no_rule_fits_gets_an_error_that_names_it() {
    let rules = "rules:\n  - {name: plan, when: {stage: planning}, reply: {json: {steps: []}}}\n";
    let server = start(RehearsalSetup::default(), script(rules)).await;
    let (status, _, error) = ask(&server, &body("stage: evaluation", true)).await;
    let error: Value = serde_json::from_slice(&error).unwrap();
    assert_eq!((status, error["error"]["code"].as_str()), (500, Some("rehearsal_unmatched")));
    let words = error["error"]["message"].as_str().unwrap();
    assert!(words.contains("`evaluation`") && words.contains("`plan`"), "{words}");
    let report = server.report();
    assert_eq!((report.calls, report.unmatched), (1, 1));
    assert_eq!(report.account.unused, ["plan"]);
    assert_eq!(reply(&server, "stage: planning").await.text, "{\"steps\":[]}");
    assert!(server.report().account.unused.is_empty());
}

#[tokio::test]
async fn what_is_recorded_is_replayed_to_the_byte_and_holds_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let faulty = "server: {faults: [{fault: key_in_stream, after: 1}], chunks: seams}\n\
                  rules: [{reply: {text: 你好, world}}]";
    let faulty = script(faulty.replace("你好, world", "'你好, world'").as_str());
    let real = start(faulty.setup.clone(), faulty).await;
    let upstream = Upstream::new(client(), &real.base_url(), Recorder::open(&path).unwrap());
    let proxy = RehearsalServer::record(RehearsalSetup::default(), upstream, now()).await.unwrap();
    let with_key = |body: &Value| {
        let post = String::from_utf8(post(body)).unwrap();
        post.replace("host: x", "host: x\r\nauthorization: Bearer canary-55ee").into_bytes()
    };
    let first = send(proxy.address(), &with_key(&body("one", true))).await;
    let second = send(proxy.address(), &with_key(&body("two", true))).await;
    assert!(String::from_utf8_lossy(&second.2).contains("canary"), "it came through");
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!written.contains("canary") && !written.contains("authorization"), "{written}");
    let cassette = Cassette::read(&written, "calls.jsonl").unwrap();
    let replayed = start(RehearsalSetup::default(), cassette).await;
    assert_eq!(ask(&replayed, &body("one", true)).await.2, first.2);
    assert!(
        ask(&replayed, &body("two", false))
            .await
            .2
            .ends_with(b"[secret]\",\"type\":\"server_error\"}}\n\n")
    );
    assert_eq!(ask(&replayed, &body("one", true)).await.0, 500, "each once");
    assert!(replayed.report().account.unused.is_empty());
}

#[tokio::test]
async fn an_oracle_errs_as_often_as_it_is_told_and_the_report_says_so() {
    let right = |asked: &ChatRequest| {
        let knows = asked.stage.as_deref() == Some("parameter_inference");
        knows.then(|| json!({"parameters": {"city": "Lyon"}}))
    };
    let rates = ErrorRates { wrong_argument: 1.0, ..ErrorRates::default() };
    let server =
        start(RehearsalSetup::default(), DegradedOracle::new(right, Degrader::new(rates, 1))).await;
    let wrong = reply(&server, "stage: parameter_inference").await.text;
    assert_eq!(wrong, "{\"parameters\":{\"city\":\"Lyon wrong\"}}");
    assert_eq!(ask(&server, &body("stage: planning", true)).await.0, 500);
    assert_eq!(server.report().account.counts["wrong_argument"], 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_takes_the_time_of_its_model_and_a_known_beginning_is_read_faster() {
    let latency = LatencyModel {
        first_ms: 1000.0,
        prefill_per_s: Some(10.0),
        decode_per_s: Some(1.0),
        cached_discount: 1.0,
        ..LatencyModel::default()
    };
    let server = start(RehearsalSetup { latency, ..RehearsalSetup::default() }, Counting).await;
    let timed = async |words: &str| {
        let begin = Instant::now();
        let reply = reply(&server, words).await;
        (reply.usage, begin.elapsed())
    };
    let work = async { (timed(&"x".repeat(400)).await, timed(&"x".repeat(400)).await) };
    let ((first, fresh), (second, known)) = flow(work).await;
    assert_eq!((first.cached, first.prompt, first.completion), (0, 111, 5));
    assert!(second.cached > 100, "{second:?}");
    let near = |took: Duration, ms: u64| {
        let ms = Duration::from_millis(ms);
        took >= ms && took < ms + Duration::from_millis(100)
    };
    assert!(near(fresh, 1000 + 11_100 + 5000), "{fresh:?}");
    assert!(near(known, 1000 + 100 * (second.prompt - second.cached) + 5000), "{known:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_wait_for_their_turn_and_too_many_are_turned_away() {
    let latency = LatencyModel { first_ms: 10_000.0, ..LatencyModel::default() };
    let limits = RehearsalLimits { concurrent: Some(1), waiting: Some(1), per_minute: Some(4) };
    let server =
        start(RehearsalSetup { latency, limits, ..RehearsalSetup::default() }, Counting).await;
    let begin = Instant::now();
    let timed = async || {
        let (status, head, _) = ask(&server, &body("hi", true)).await;
        (status, begin.elapsed().as_secs(), head.contains("retry-after"))
    };
    let work = async {
        let first = timed();
        let second = async {
            server.until_asked(1).await;
            timed().await
        };
        let third = async {
            server.until_asked(2).await;
            timed().await
        };
        let (first, second, third) = tokio::join!(first, second, third);
        (first, second, third, timed().await, timed().await)
    };
    let (first, second, third, fourth, fifth) = flow(work).await;
    assert_eq!((first.0, first.1, second.0, second.1), (200, 10, 200, 20));
    assert_eq!(third, (503, 0, false), "nobody more may wait");
    assert_eq!((fourth.0, fourth.1), (200, 30));
    // Four a minute, and two more came in during the half of one.
    assert_eq!(fifth.0, 200);
    let quick = RehearsalLimits { per_minute: Some(1), ..RehearsalLimits::default() };
    let server =
        start(RehearsalSetup { limits: quick, ..RehearsalSetup::default() }, Counting).await;
    let twice =
        async { (ask(&server, &body("a", true)).await, ask(&server, &body("b", true)).await) };
    let (one, two) = flow(twice).await;
    assert_eq!((one.0, two.0), (200, 429));
    assert!(two.1.contains("retry-after: 60"), "{}", two.1);
}

#[tokio::test]
async fn however_a_stream_is_cut_it_is_heard_alike_and_nothing_is_left_when_the_server_is_dropped()
{
    for chunks in [ChunkMode::Whole, ChunkMode::Every(5), ChunkMode::OneByte, ChunkMode::Seams] {
        let server = start(RehearsalSetup { chunks, ..RehearsalSetup::default() }, Counting).await;
        assert_eq!(reply(&server, "你好").await.text, "I heard 2 messages.");
        let address = server.address();
        let mut held = TcpStream::connect(address).await.unwrap();
        drop(server);
        assert_eq!(held.read(&mut [0; 1]).await.unwrap_or(0), 0, "the connection was closed");
        assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
    }
}
