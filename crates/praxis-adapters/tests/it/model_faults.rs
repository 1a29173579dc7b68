//! P11: the real client against every way in which an endpoint goes wrong, in virtual time.

use futures::future::join_all;
use praxis_adapters::http::Guard;
use praxis_adapters::model::{CallBounds, Endpoint, OpenAi};
use praxis_adapters::secrets::{Secrets, Vault};
use praxis_core::ask::request::{MessageRole, ModelMessage, ModelRequest};
use praxis_core::ask::usage::{estimate, estimate_request};
use praxis_core::document::DocumentFormat;
use praxis_core::lang::Lang;
use praxis_core::time::Timestamp;
use praxis_engine::clock::TokioClock;
use praxis_engine::seams::{Clock, Model, ModelAnswered, ModelCallFailed};
use praxis_rehearsal::profiles::PROFILES;
use praxis_rehearsal::wire::ChunkMode;
use praxis_rehearsal::{
    FaultLibrary, PlannedFault, RehearsalScript, RehearsalServer, RehearsalSetup,
};
use praxis_testkit::virtual_time::flow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const CANARY: &str = "canary-31d7e0";
const ANSWER: &str = "The answer is forty-two, and it is whole.";
const TRIES: usize = 3;
const TOTAL_MS: u64 = 20_000;
const TOTAL: Duration = Duration::from_millis(TOTAL_MS);

struct Keys;

impl Secrets for Keys {
    fn value(&self, _: &str) -> Option<String> {
        Some(CANARY.to_owned())
    }
}

fn bounds() -> CallBounds {
    CallBounds {
        first_ms: 3000,
        silence_ms: 2000,
        total_ms: TOTAL_MS,
        tries: 3,
        answer_bytes: 1 << 20,
    }
}

fn clock() -> Arc<TokioClock> {
    Arc::new(TokioClock::starting_at(Timestamp(1_800_000_000_000)))
}

fn client(server: &RehearsalServer) -> OpenAi {
    let endpoint = Endpoint {
        model: "small".to_owned(),
        base_url: server.base_url(),
        authorization: Some("Bearer secret:KEY".to_owned()),
        bounds: bounds(),
    };
    let guard = Arc::new(Guard::new(std::collections::BTreeSet::default(), 1024));
    OpenAi::new(endpoint, guard, Arc::new(Vault::new(Arc::new(Keys))), clock())
}

fn request() -> ModelRequest {
    let message =
        |role, content: &str| ModelMessage { role, content: content.to_owned(), reasoning: None };
    let messages = vec![
        message(MessageRole::System, "You answer questions."),
        message(MessageRole::User, "stage: planning\nWhat is the answer to everything?"),
    ];
    ModelRequest { messages, max_tokens: 64, ..ModelRequest::default() }
}

const QUIRKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../praxis-core/tests/quirks");

/// An endpoint that goes wrong so often and is healthy then.
async fn endpoint(fault: &str, times: u64, chunks: ChunkMode) -> RehearsalServer {
    let rules = format!("rules: [{{when: {{stage: planning}}, reply: {{text: '{ANSWER}'}}}}]");
    let library = FaultLibrary::default();
    let script = RehearsalScript::read(rules.as_bytes(), DocumentFormat::Yaml, &library).unwrap();
    let faults = vec![PlannedFault { fault: fault.to_owned(), after: 0, times }];
    let setup = RehearsalSetup {
        faults,
        quirks: Some(PathBuf::from(QUIRKS)),
        chunks,
        ..RehearsalSetup::default()
    };
    let clock = clock();
    RehearsalServer::start(setup, script, move || clock.now()).await.unwrap()
}

/// What came of one call.
struct Outcome {
    name: String,
    answer: Result<ModelAnswered, ModelCallFailed>,
    took: Duration,
    calls: usize,
}

impl Outcome {
    fn code(&self) -> &str {
        self.answer.as_ref().map_or_else(|missed| missed.fault.code(), |_| "answered")
    }
}

async fn call(name: &str, times: u64) -> Outcome {
    call_in(ChunkMode::default(), name, times).await
}

async fn call_in(chunks: ChunkMode, name: &str, times: u64) -> Outcome {
    let server = endpoint(name, times, chunks).await;
    let (client, begin) = (client(&server), Instant::now());
    let answer = client.ask(&request(), &mut |_| {}).await;
    Outcome { name: name.to_owned(), answer, took: begin.elapsed(), calls: server.calls().len() }
}

async fn every_profile(times: u64) -> Vec<Outcome> {
    let calls = PROFILES.iter().map(|profile| call(profile.name, times));
    flow(join_all(calls)).await
}

/// What becomes of a fault that does not go away, and after how many tries.
const LASTING: [(&str, &str, usize); 35] = [
    ("bad_gateway", "model_not_an_endpoint", TRIES),
    ("bad_utf8", "model_unreadable", TRIES),
    ("broken", "model_broke", TRIES),
    ("cut_chunked", "model_cut", TRIES),
    ("cut_stream", "model_cut", TRIES),
    ("denied", "model_denied", 1),
    ("duplicate_chunk", "answered", 1),
    ("empty_answer", "model_empty", TRIES),
    ("empty_body", "model_cut", TRIES),
    ("endless", "model_silent", 1),
    ("endless_pings", "model_silent", 1),
    ("error_in_stream", "model_error_in_answer", TRIES),
    ("garbage", "model_cut", TRIES),
    ("garbage_json", "model_unreadable", TRIES),
    ("gzip", "model_unreadable", TRIES),
    ("hang_up", "model_unreachable", TRIES),
    ("huge", "model_unreadable", TRIES),
    ("huge_line", "model_unreadable", TRIES),
    ("key_in_stream", "model_error_in_answer", TRIES),
    ("loading", "model_loading", TRIES),
    ("no_done", "answered", 1),
    ("no_end", "model_cut", TRIES),
    ("overloaded", "model_overloaded", TRIES),
    ("page", "model_not_an_endpoint", 1),
    ("rate_limited", "model_rate_limited", TRIES),
    ("rate_limited_date", "model_rate_limited", TRIES),
    ("rate_limited_ms", "model_rate_limited", TRIES),
    ("rate_limited_seconds", "model_rate_limited", TRIES),
    ("redirected", "model_refused", 1),
    ("reset", "model_cut", TRIES),
    ("short_length", "model_cut", TRIES),
    ("silent", "model_silent", TRIES),
    ("stall", "model_cut", TRIES),
    ("trickle", "model_silent", 1),
    ("wrong_content_type", "answered", 1),
];

#[tokio::test(start_paused = true)]
async fn every_fault_that_stays_ends_in_time_after_few_tries_with_its_code() {
    let outcomes = every_profile(1000).await;
    let mut seen: Vec<(&str, &str, usize)> = outcomes
        .iter()
        .map(|outcome| (outcome.name.as_str(), outcome.code(), outcome.calls))
        .collect();
    seen.sort_unstable();
    let unlike: Vec<_> = seen.iter().zip(&LASTING).filter(|(one, other)| one != other).collect();
    assert!(unlike.is_empty() && seen.len() == LASTING.len(), "{unlike:?}");
    for outcome in &outcomes {
        let slack = Duration::from_secs(1);
        assert!(outcome.took < Duration::from_millis(TOTAL_MS) + slack, "{}", outcome.name);
        let told = match &outcome.answer {
            Ok(answered) => format!("{answered:?}"),
            Err(missed) => {
                let fault = &missed.fault;
                format!("{fault:?} {} {}", fault.message(Lang::En), fault.message(Lang::Zh))
            }
        };
        assert!(!told.contains(CANARY), "{}: {told}", outcome.name);
    }
}

/// Faults after which the endpoint has read the request, so that it costs something.
const COSTLY: [&str; 5] =
    ["model_cut", "model_empty", "model_error_in_answer", "model_silent", "model_unreadable"];

#[tokio::test(start_paused = true)]
async fn what_tries_without_an_answer_cost_is_counted() {
    let prompt = estimate_request(&request());
    for outcome in every_profile(1000).await {
        let Err(missed) = &outcome.answer else { continue };
        let (name, spent) = (&outcome.name, missed.spent);
        if COSTLY.contains(&outcome.code()) {
            assert_eq!(spent.prompt, prompt * outcome.calls as u64, "{name}");
            assert!(spent.estimated, "{name}");
        } else {
            assert_eq!(spent.prompt, 0, "{name}: nothing was read");
        }
        if ["endless", "huge", "error_in_stream", "garbage_json", "stall"].contains(&name.as_str())
        {
            assert!(spent.completion > 0, "{name}: what was said costs as well");
        }
        if name == "huge" {
            assert!(spent.completion > 100_000, "{spent:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_recovers_is_heard_and_a_part_is_never_taken_for_the_whole() {
    for outcome in every_profile(1).await {
        let name = outcome.name.as_str();
        match (&outcome.answer, name) {
            (Ok(answered), "no_done" | "wrong_content_type") => {
                assert!(answered.reply.text.ends_with("as it was meant."), "{name}");
            }
            // Nobody can tell a piece that comes twice from a word that is said twice.
            (Ok(answered), "duplicate_chunk") => {
                assert!(estimate(&answered.reply.text) > 14, "{}", answered.reply.text);
            }
            (Ok(answered), _) => assert_eq!(answered.reply.text, ANSWER, "{name}"),
            (Err(_), "denied" | "page" | "redirected") => {}
            // One try takes all the time that there is.
            (Err(_), "endless" | "endless_pings" | "trickle") => {}
            (Err(missed), _) => panic!("{name}: {}", missed.fault),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_endpoint_is_left_alone_as_long_as_it_asks() {
    let names = ["rate_limited_seconds", "rate_limited_date", "rate_limited_ms", "rate_limited"];
    let outcomes = flow(join_all(names.map(|name| call(name, 1)))).await;
    let took: BTreeMap<String, u64> =
        outcomes.into_iter().map(|outcome| (outcome.name, outcome.took.as_secs())).collect();
    let expected = [
        ("rate_limited", 1),
        ("rate_limited_date", 2),
        ("rate_limited_ms", 1),
        ("rate_limited_seconds", 2),
    ];
    let expected = expected.map(|(name, seconds)| (name.to_owned(), seconds)).into();
    assert_eq!(took, expected, "its own wait is a second at least");
}

#[tokio::test(start_paused = true)]
async fn a_recorded_answer_of_a_real_endpoint_reads_the_same_over_the_wire() {
    let outcome = async |name: &str| {
        let answer = call(name, 1).await.answer;
        answer.map(|answered| answered.reply).map_err(|missed| missed.fault.code())
    };
    let work = async {
        let thoughts = outcome("quirk:01").await.unwrap();
        assert_eq!(
            (thoughts.text.as_str(), thoughts.reasoning.as_str()),
            ("{\"total\":7}", "Add 3 and 4.")
        );
        assert_eq!(
            outcome("quirk:34").await.unwrap().finish,
            praxis_core::ask::reply::FinishReason::Stop
        );
        assert_eq!(outcome("quirk:36g").await, Err("model_quota_spent"));
        assert_eq!(
            outcome("quirk:35c").await.unwrap().text,
            ANSWER,
            "after a 502 it is asked again"
        );
        assert_eq!(outcome("quirk:33").await.unwrap().text, ANSWER, "it learnt from the refusal");
    };
    flow(work).await;
}

#[tokio::test(start_paused = true)]
async fn every_recorded_answer_is_the_same_over_the_wire_whole_and_byte_by_byte() {
    let files = std::fs::read_dir(QUIRKS).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    let numbers: std::collections::BTreeSet<&str> =
        names.iter().filter_map(|name| name.get(..2)).collect();
    assert_eq!(numbers.len(), 38);
    let both = names.iter().map(async |name| {
        let quirk = format!("quirk:{name}");
        let heard = async |chunks| {
            let outcome = call_in(chunks, &quirk, 1).await;
            let answer = outcome.answer.map(|answered| answered.reply);
            (answer.map_err(|missed| missed.fault), outcome.calls, outcome.took < TOTAL)
        };
        (name.clone(), heard(ChunkMode::Whole).await, heard(ChunkMode::OneByte).await)
    });
    for (name, whole, byte_by_byte) in flow(join_all(both)).await {
        assert_eq!(whole, byte_by_byte, "{name}");
        assert!(whole.2, "{name} ends inside its deadline");
        let text = std::fs::read_to_string(format!("{QUIRKS}/{name}.json")).unwrap();
        let quirk: serde_json::Value = serde_json::from_str(&text).unwrap();
        let (answer, calls, _) = whole;
        let expected = &quirk["expect"];
        match answer {
            // A refusal that can be helped leads to a second call, which is answered.
            Ok(reply) if calls > 1 => assert_eq!(reply.text, ANSWER, "{name}"),
            Ok(reply) => {
                assert_eq!(serde_json::json!(reply.text), expected["reply"]["text"], "{name}");
            }
            Err(fault) => assert_eq!(fault.code(), expected["fault"]["code"], "{name}"),
        }
    }
}
