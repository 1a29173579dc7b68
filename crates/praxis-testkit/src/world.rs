//! An engine over fakes, ready to run plans in a test.

use crate::memory::{MemoryBlobs, MemoryJournal, MemorySnapshots};
use crate::tools::ScriptedTools;
use praxis_core::ask::tokens::Estimate;
use praxis_core::flow::file::Bundle;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::intake::plan::{self, Plan};
use praxis_core::journal::event::Event;
use praxis_core::journal::options::RunOptions;
use praxis_core::state::State;
use praxis_core::time::Timestamp;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::seams::{
    Blobs, ConnectTools, ErasableJournal, IntakeLimits, Journal, NoExperiences, NoModels,
};
use praxis_engine::submit::{Accepted, PlanRequest, SubmitError};
use praxis_planner::LexicalPlanner;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An engine and its fakes.
pub struct EngineWorld {
    /// The engine under test.
    pub engine: Engine,
    /// The journal of the engine.
    pub journal: MemoryJournal,
    /// The blob store of the engine.
    pub blobs: MemoryBlobs,
    /// The scripted tools of the engine.
    pub tools: ScriptedTools,
    /// The options of submitted tasks.
    pub options: RunOptions,
}

/// The time at which every world starts.
pub const BEGINNING: Timestamp = Timestamp(1_800_000_000_000);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// Returns the request to run a plan document with these tools.
pub fn request(
    tools: &ScriptedTools,
    document: &Value,
    options: RunOptions,
) -> Result<PlanRequest, SubmitError> {
    let plan = plan::read(document).map_err(SubmitError::Refused)?;
    Ok(PlanRequest {
        goal: plan.description.clone(),
        plan,
        toolbox: tools.toolbox(),
        metadata: Map::new(),
        options,
        idempotency_key: None,
        document: None,
        tenant: Tenant::default(),
        parent: None,
        step_model: None,
        flow: None,
    })
}

impl EngineWorld {
    /// Creates a world with these tools and empty stores.
    pub fn new(tools: ScriptedTools) -> Self {
        Self::on(tools, MemoryJournal::default(), MemoryBlobs::default())
    }

    /// Creates a world over the journal and blobs of another one.
    pub fn on(tools: ScriptedTools, journal: MemoryJournal, blobs: MemoryBlobs) -> Self {
        let parts = EngineParts {
            snapshots: Arc::new(journal.snapshots.clone()),
            ..parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(tools.clone()))
        };
        Self { engine: Engine::new(parts), journal, blobs, tools, options: RunOptions::default() }
    }

    /// Submits a plan document.
    pub async fn submit(&self, document: &Value, metadata: Value) -> Result<Accepted, SubmitError> {
        self.engine.submit(self.request(document, metadata)?).await
    }

    /// Returns the request to run a plan document with this metadata.
    pub fn request(&self, document: &Value, metadata: Value) -> Result<PlanRequest, SubmitError> {
        let metadata = match metadata {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let request = request(&self.tools, document, self.options.clone())?;
        Ok(PlanRequest { metadata, document: Some(document.to_string()), ..request })
    }

    /// Returns the request to run a flow.
    pub fn flow_request(&self, bundle: Bundle, metadata: Value) -> PlanRequest {
        let metadata = match metadata {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let plan = Plan {
            plan_id: None,
            description: bundle.flow.name.clone(),
            expected_duration_sec: None,
            steps: vec![],
        };
        PlanRequest {
            goal: bundle.flow.name.clone(),
            plan,
            toolbox: self.tools.toolbox(),
            metadata,
            options: self.options.clone(),
            idempotency_key: None,
            document: None,
            tenant: Tenant::default(),
            parent: None,
            step_model: None,
            flow: Some(Box::new(bundle)),
        }
    }

    /// Runs a plan until the engine is idle, and returns its folded state.
    ///
    /// # Panics
    /// If the plan is refused or its journal does not fold.
    pub async fn run(&self, document: &Value, metadata: Value) -> State {
        #[expect(clippy::expect_used, reason = "a test was written wrong")]
        let accepted = self.submit(document, metadata).await.expect("the plan is accepted");
        self.settle(&accepted.task).await
    }

    /// Waits until the engine is idle, and folds the journal of a task.
    ///
    /// # Panics
    /// If the journal does not fold.
    #[expect(clippy::expect_used, reason = "the fold of what the engine wrote must succeed")]
    pub async fn settle(&self, task: &TaskId) -> State {
        self.engine.idle().await.expect("the journal holds");
        State::replay(&self.journal.entries(task)).expect("the journal folds")
    }

    /// Returns the kinds of a task's events, in order, one per line.
    pub fn trace(&self, task: &TaskId) -> String {
        self.journal.entries(task).iter().map(|entry| line(&entry.event)).collect()
    }
}

/// Returns the parts of an engine over any store, with a clock that follows the clock of tokio.
pub fn parts<J: Journal + ErasableJournal + 'static>(
    journal: Arc<J>,
    blobs: Arc<dyn Blobs>,
    connect: Arc<dyn ConnectTools>,
) -> EngineParts {
    EngineParts {
        journal: Arc::clone(&journal) as Arc<dyn Journal>,
        eraser: journal,
        blobs,
        snapshots: Arc::new(MemorySnapshots::default()),
        // Early, so that every test exercises snapshots too.
        snapshot_after: 4,
        clock: Arc::new(TokioClock::starting_at(BEGINNING)),
        connect,
        models: Arc::new(NoModels),
        tokens: Arc::new(Estimate::default()),
        planner: Arc::new(LexicalPlanner),
        experiences: Arc::new(NoExperiences),
        new_id: Box::new(|| {
            TaskId::from(format!("task_{:026}", NEXT.fetch_add(1, Ordering::Relaxed)))
        }),
        name: "test".to_owned(),
        warn: Box::new(|task, words| eprintln!("{task}: {words}")),
        intake_limits: IntakeLimits::default(),
        full_disk_wait_ms: 10,
    }
}

fn line(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap_or_default();
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let attempt = value.get("attempt").map(|n| format!(" #{n}")).unwrap_or_default();
    let outcome = value.get("outcome").map(outcome).unwrap_or_default();
    let parts = format!("{} {}{attempt}{outcome}", text("kind"), text("step"));
    format!("{}\n", parts.trim())
}

fn outcome(outcome: &Value) -> String {
    match outcome {
        Value::String(word) => format!(" {word}"),
        Value::Object(map) => map.keys().map(|key| format!(" {key}")).collect(),
        _ => String::new(),
    }
}
