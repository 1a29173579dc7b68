//! A call of one's own, written in Rust: what it says of itself, how it is added, and a flow that uses it.
//!
//! `cargo run -p praxis-engine --example native_call`
//!
//! The journal is in memory here; a program that lasts takes the stores of `praxis-adapters`.

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream;
use praxis_core::call::chunk::OutputChunk;
use praxis_core::call::risk::Risk;
use praxis_core::call::tool::{Tool, ToolText};
use praxis_core::fault::Fault;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use praxis_core::ids::Tenant;
use praxis_core::intake::plan::Plan;
use praxis_core::journal::options::RunOptions;
use praxis_core::lang::Lang;
use praxis_core::payload::Payload;
use praxis_core::state::State;
use praxis_engine::engine::Engine;
use praxis_engine::registry::{NativeCall, Registry};
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream};
use praxis_engine::submit::PlanRequest;
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::world::parts;
use serde_json::{Map, Value, json};
use std::error::Error;
use std::sync::Arc;

/// Counts down in words, piece by piece.
struct Countdown {
    /// From where it may count at most.
    most: u64,
}

impl NativeCall for Countdown {
    fn info(&self) -> Tool {
        let (name, description) = ("倒数".to_owned(), "从给定的数倒数到一。".to_owned());
        Tool {
            name: "Countdown".to_owned(),
            translations: [(Lang::Zh, ToolText { name, description, tags: vec![] })].into(),
            input_schema: json!({
                "type": "object",
                "properties": {"from": {"type": "integer", "minimum": 1, "description": "where to begin"}},
                "required": ["from"],
                "additionalProperties": false,
            }),
            output_schema: Some(json!({
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
            })),
            risk: Some(Risk::Read),
            timeout: Some(json!("5s")),
            to_user: Some(true),
            ..Tool::native("countdown", "Counts down from a number to one.")
        }
    }

    fn init<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<(), FailedCall>> {
        let from = invocation.arguments.get("from").and_then(Value::as_u64);
        let words = ("that is too long a way down", "倒数的起点太大");
        let refused = Fault::refused("countdown".into(), words).into();
        let result = if from > Some(self.most) { Err(refused) } else { Ok(()) };
        Box::pin(async move { result })
    }
}

impl Callable for Countdown {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        let from = invocation.arguments.get("from").and_then(Value::as_u64).unwrap_or_default();
        let numbers = (1..=from).rev().map(|number| Ok(OutputChunk::Text(format!("{number} "))));
        stream::iter(numbers).boxed()
    }
}

/// A flow that counts down and says so, or says that it could not.
fn flow() -> Result<Bundle, String> {
    let written = json!({
        "flow": "launch",
        "inputs": {"from": {"type": "integer"}},
        "nodes": [
            {"id": "count", "call": "countdown", "params": {"from": "{{from}}"}},
            {"id": "launch", "call": "Reply", "params": {"text": "{{count.outputs.text}}go"}},
            {"id": "abort", "call": "Reply", "params": {"text": "no launch"}},
        ],
        "edges": ["count -> launch", {"from": "count", "to": "abort", "when": "failed"}],
        "outputs": {"said": {"first_of": ["{{launch.outputs.text}}", "{{abort.outputs.text}}"]}},
    });
    let mut findings = FlowProblems::default();
    let flow = read(&written, &mut findings);
    match findings.problems.first() {
        Some(problem) => Err(problem.to_string()),
        None => Ok(Bundle { flow, ..Bundle::default() }),
    }
}

/// Runs the flow and gives its result.
pub async fn launched(from: u64) -> Result<Value, Box<dyn Error>> {
    let mut registry = Registry::default();
    registry.add(Countdown { most: 10 }).map_err(|problems| format!("{problems:?}"))?;
    let toolbox = registry.toolbox();

    let (journal, blobs) = (MemoryJournal::default(), MemoryBlobs::default());
    let parts = parts(Arc::new(journal.clone()), Arc::new(blobs), Arc::new(registry));
    let engine = Engine::new(parts);
    let request = PlanRequest {
        goal: "launch".to_owned(),
        plan: Plan {
            plan_id: None,
            description: String::new(),
            expected_duration_sec: None,
            steps: vec![],
        },
        toolbox,
        metadata: Map::from_iter([("from".to_owned(), json!(from))]),
        options: RunOptions::default(),
        idempotency_key: None,
        document: None,
        step_model: None,
        flow: Some(Box::new(flow()?)),
        tenant: Tenant::default(),
        parent: None,
    };
    let task = engine.submit(request).await?.task;
    engine.finished(&task).await;

    let state = State::replay(&journal.entries(&task))?;
    let outputs = state.result_of.first().and_then(|id| state.context.index_of(id.as_str()));
    match outputs.and_then(|index| state.context.result(index)).map(|result| &result.output) {
        Some(Payload::Json(value)) => Ok((**value).clone()),
        _ => Err(format!("the flow ended as {:?}", state.status()).into()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", launched(3).await?);
    println!("{}", launched(11).await?);
    Ok(())
}
