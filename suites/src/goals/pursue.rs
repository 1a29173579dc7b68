//! Pursues the goal of a case with the real engine, in virtual time and over an in-memory journal.

use super::case::GoalCase;
use super::pace::WORKERS;
use super::recording::{RecordedCall, Recording};
use super::{oracle, told};
use praxis_core::ask::purpose::ModelRole;
use praxis_core::call::tool::Toolbox;
use praxis_core::dataflow::resolve::OnUnresolved;
use praxis_core::fault::Fault;
use praxis_core::goal::spec::{GoalOptions, PinnedModel, PlanApproval, TwoStage};
use praxis_core::ids::TaskId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::options::RunOptions;
use praxis_core::state::State;
use praxis_core::time::Timestamp;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::pursue::GoalRequest;
use praxis_testkit::experiences::MemoryExperiences;
use praxis_testkit::goal::goal;
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::model::{ScriptedAnswers, ScriptedModel, ScriptedRequest, ScriptedSays};
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::{BEGINNING, parts};
use std::sync::Arc;

/// The settings of a run: goal options, scripted answers and latencies.
#[derive(Clone)]
pub struct PursuitMode {
    /// The options of the goal.
    pub manner: GoalOptions,
    /// The script that answers model requests.
    pub answers: ScriptedAnswers,
    /// Time per chunk of a streamed answer, in milliseconds.
    pub piece_ms: u64,
    /// Duration of each expected call, in milliseconds.
    pub delays: Vec<u64>,
}

impl PursuitMode {
    /// Answers every request from the oracle, without latency. Tool selection always runs, since that is the stage in
    /// which a goal that needs no calls is rejected.
    pub fn right(case: &Arc<GoalCase>) -> Self {
        let case = Arc::clone(case);
        let answers = move |asked: &ScriptedRequest| {
            ScriptedSays::Words(oracle::answer(&case, &told::read(&asked.request)).to_string())
        };
        let manner = GoalOptions { two_stage: TwoStage::Always, ..manner() };
        Self { manner, answers: Arc::new(answers), piece_ms: 0, delays: vec![] }
    }
}

/// Returns options that allow every plan and learn nothing.
pub fn manner() -> GoalOptions {
    GoalOptions { approval: PlanApproval::Allow, learn: false, ..GoalOptions::default() }
}

/// A goal that was pursued until the engine was idle.
pub struct Pursued {
    /// The task of the goal.
    pub task: TaskId,
    /// The state folded from `entries`.
    pub state: State,
    /// The journal entries of the task.
    pub entries: Vec<Entry>,
    /// The calls that reached the tools.
    pub made: Vec<RecordedCall>,
    /// The requests to the model.
    pub asked: Vec<ScriptedRequest>,
    /// Time from the start to `TaskFinished` in milliseconds; zero if the task did not finish.
    pub took_ms: u64,
    pub(super) journal: MemoryJournal,
    pub(super) blobs: MemoryBlobs,
}

impl Pursued {
    /// Returns the code of the task's fault, or its status if there is none.
    pub fn ending(&self) -> String {
        let fault = self.state.fault().map(Fault::code);
        fault.unwrap_or(self.state.status().word()).to_owned()
    }

    /// Returns true if the model reflected on a failed step.
    pub fn reflected(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.event, Event::StepReflected { .. }))
    }

    /// Returns the number of model calls and the sum of their tokens.
    pub fn spent(&self) -> (u64, u64) {
        let ledger = &self.state.ledger;
        (ledger.model_calls, ledger.usage.prompt + ledger.usage.completion)
    }
}

/// The stores, earlier calls and start time that a run begins with.
pub(super) struct PursuitEnvironment {
    pub(super) journal: MemoryJournal,
    pub(super) blobs: MemoryBlobs,
    pub(super) made: Vec<RecordedCall>,
    pub(super) now: Timestamp,
    pub(super) store: MemoryExperiences,
}

impl Default for PursuitEnvironment {
    fn default() -> Self {
        let (journal, blobs, store) = Default::default();
        Self { journal, blobs, made: vec![], now: BEGINNING, store }
    }
}

/// An engine whose tools answer from a `Recording`.
pub(super) struct PursuitRig {
    pub(super) engine: Engine,
    tools: ScriptedTools,
    recording: Recording,
    model: ScriptedModel,
    journal: MemoryJournal,
    blobs: MemoryBlobs,
}

impl PursuitRig {
    pub(super) fn new(case: &GoalCase, way: &PursuitMode, ground: PursuitEnvironment) -> Self {
        let PursuitEnvironment { journal, blobs, made, now, store } = ground;
        let recording = Recording::of(case, made, way.delays.clone());
        let tools = recording.tools(&case.tools);
        let model = ScriptedModel::new(Arc::clone(&way.answers)).with_pieces_of(way.piece_ms);
        let parts = EngineParts {
            clock: Arc::new(TokioClock::starting_at(now)),
            snapshots: Arc::new(journal.snapshots.clone()),
            snapshot_after: 16,
            models: Arc::new(model.clone()),
            experiences: Arc::new(store),
            ..parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(tools.clone()))
        };
        Self { engine: Engine::new(parts), tools, recording, model, journal, blobs }
    }

    /// Waits until the engine is idle, and collects the result.
    pub(super) async fn settled(self, task: TaskId) -> anyhow::Result<Pursued> {
        self.engine.idle().await.map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let entries = self.journal.entries(&task);
        let state = State::replay(&entries).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let took = entries.iter().rev().find(|e| matches!(e.event, Event::TaskFinished { .. }));
        let took_ms = took.map_or(0, |entry| entry.at.since(BEGINNING));
        let (made, asked) = (self.recording.made(), self.model.asked());
        Ok(Pursued {
            task,
            state,
            entries,
            made,
            asked,
            took_ms,
            journal: self.journal,
            blobs: self.blobs,
        })
    }
}

/// Pursues a case until the engine is idle.
pub async fn pursue(case: &GoalCase, way: &PursuitMode) -> anyhow::Result<Pursued> {
    pursue_knowing(case, way, MemoryExperiences::default()).await
}

/// Same as [`pursue`], with the experiences of earlier tasks.
pub async fn pursue_knowing(
    case: &GoalCase,
    way: &PursuitMode,
    store: MemoryExperiences,
) -> anyhow::Result<Pursued> {
    let stage =
        PursuitRig::new(case, way, PursuitEnvironment { store, ..PursuitEnvironment::default() });
    let task = stage.engine.pursue(wanted(case, way, stage.tools.toolbox())).await?.task;
    stage.settled(task).await
}

/// Builds the `GoalRequest` that a caller would submit.
pub(super) fn wanted(case: &GoalCase, way: &PursuitMode, toolbox: Arc<Toolbox>) -> GoalRequest {
    let options = RunOptions {
        on_unresolved: OnUnresolved::Error,
        parallel_max_concurrent: WORKERS,
        ..RunOptions::default()
    };
    let adviser =
        PinnedModel { model: "oracle".to_owned(), context: 128_000, max_output: 8000, price: None };
    let advisers = ModelRole::ALL.into_iter().map(|duty| (duty, adviser.clone())).collect();
    GoalRequest { manner: way.manner.clone(), advisers, ..goal(&case.goal, toolbox, options) }
}

/// Runs a future to completion in virtual time.
pub fn in_virtual_time<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    runtime.block_on(work)
}
