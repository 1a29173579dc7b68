//! Outputs that come in pieces: what is told meanwhile, what counts, what is left when there is no end.

use futures::stream::{self, StreamExt};
use praxis_core::ask::reasoning::Delta;
use praxis_core::call::chunk::OutputChunk;
use praxis_core::fault::Fault;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::CallOutcome;
use praxis_core::payload::Payload;
use praxis_engine::engine::LiveTextSource;
use praxis_engine::seams::FailedCall;
use praxis_testkit::tools::{ScriptedTools, StreamingScript, tool};
use praxis_testkit::world::EngineWorld;
use serde_json::{Value, json};
use std::sync::Arc;

/// Says these pieces, then does what `then` says: ends, fails or hangs.
fn saying(pieces: &'static [&'static str], then: &'static str) -> StreamingScript {
    Arc::new(move |_| {
        let texts = pieces.iter().map(|piece| Ok(OutputChunk::Text((*piece).to_owned())));
        let ending = match then {
            "fails" => stream::iter([Err(FailedCall::from(broken()))]).boxed(),
            "hangs" => stream::pending().boxed(),
            _ => stream::empty().boxed(),
        };
        stream::iter(texts).chain(ending).boxed()
    })
}

fn broken() -> Fault {
    let message = "the line broke".to_owned();
    Fault::ToolFailed {
        tool: tool("say"),
        message,
        message_zh: String::new(),
        retryable: false,
        retry_after_ms: None,
    }
}

/// What was told, and how the step ended.
async fn run(manifest: Value, script: StreamingScript) -> (Vec<String>, CallOutcome) {
    let world = EngineWorld::new(ScriptedTools::default().speaking(manifest, script));
    let mut said = world.engine.listen();
    let plan = json!({"steps": [{"step_id": "a", "tool": "say"}]});
    let task = world.submit(&plan, json!({})).await.unwrap().task;
    world.settle(&task).await;
    let mut told = Vec::new();
    while let Ok(spoken) = said.try_recv() {
        assert_eq!(spoken.by, LiveTextSource::Step { step: "a".into(), attempt: 1 });
        let Delta::Text(words) = &spoken.delta else { panic!("not words: {:?}", spoken.delta) };
        told.push(words.clone());
    }
    let entries = world.journal.entries(&task);
    let ended = |entry: &Entry| match &entry.event {
        Event::StepFinished { outcome, .. } => Some(outcome.clone()),
        _ => None,
    };
    let outcome = entries.iter().find_map(ended).unwrap();
    (told, outcome)
}

fn output(outcome: &CallOutcome) -> Value {
    let payload = match outcome {
        CallOutcome::Succeeded(output) => Some(output),
        CallOutcome::Failed { output, .. } => output.as_ref(),
        CallOutcome::InDoubt(_) | CallOutcome::Lost => None,
    };
    match payload {
        Some(Payload::Json(value)) => (**value).clone(),
        _ => Value::Null,
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_is_told_piece_by_piece_and_counts_as_a_whole() {
    let manifest = json!({"id": "say", "risk": "read", "to_user": true});
    let (told, outcome) = run(manifest, saying(&["杭", "州", ""], "ends")).await;
    assert_eq!(told, ["杭", "州", ""]);
    assert_eq!(output(&outcome), json!({"text": "杭州"}));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_for_the_user_is_not_told() {
    let manifest = json!({"id": "say", "risk": "read"});
    let (told, outcome) = run(manifest, saying(&["a", "b"], "ends")).await;
    assert!(told.is_empty());
    assert_eq!(output(&outcome), json!({"text": "ab"}));
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_a_failure_or_the_deadline_is_kept_with_the_fault() {
    for (then, code) in [("fails", broken().code()), ("hangs", "timeout")] {
        let manifest = json!({"id": "say", "risk": "read", "timeout": "5s", "retries": 0});
        let (_, outcome) = run(manifest, saying(&["half a sen"], then)).await;
        let CallOutcome::Failed { fault, .. } = &outcome else { panic!("{outcome:?}") };
        assert_eq!(fault.code(), code, "{then}");
        assert_eq!(output(&outcome), json!({"text": "half a sen"}), "{then}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_without_end_stops_at_its_limit() {
    let manifest =
        json!({"id": "say", "risk": "read", "limits": {"output_bytes": 1000}, "retries": 0});
    let endless: StreamingScript = Arc::new(|_| {
        stream::repeat_with(|| Ok(OutputChunk::Text("0123456789".to_owned()))).boxed()
    });
    let (_, outcome) = run(manifest, endless).await;
    let CallOutcome::Failed { fault, .. } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(fault.code(), "output_too_large");
}
