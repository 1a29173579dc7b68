//! Runs a scenario, crashes it where it is told to, takes it up again, and looks at the end.

use crate::ledger::{InFlight, Ledger};
use crate::scenario::Scenario;
use praxis_core::fault::Fault;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::CallOutcome;
use praxis_core::journal::question::QuestionSubject;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{Phase, State};
use praxis_core::time::Timestamp;
use praxis_engine::arrival::TaskCommand;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::seams::{Models, NoModels};
use praxis_engine::submit::PlanRequest;
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::world::{BEGINNING, EngineWorld, parts};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long Praxis is down after a crash. No task may pay for it.
const DOWN_MS: u64 = 3_600_000;

/// A scenario that has run as far as it could.
pub(crate) struct Run {
    pub(crate) scenario: Scenario,
    pub(crate) task: TaskId,
    pub(crate) entries: Vec<Entry>,
    pub(crate) end: End,
    ledger: Ledger,
    pub(crate) journal: MemoryJournal,
    blobs: MemoryBlobs,
}

/// What must be the same however often Praxis was killed on the way.
#[derive(Debug, PartialEq)]
pub(crate) struct End {
    /// The task, its steps and its metadata, by name.
    facts: BTreeMap<String, Value>,
    /// How often the world was changed, by key.
    pub(crate) effects: BTreeMap<String, usize>,
}

impl End {
    /// What differs, name by name.
    pub(crate) fn difference(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.facts.keys().chain(other.facts.keys()).collect();
        let differs = names.into_iter().filter(|n| self.facts.get(*n) != other.facts.get(*n));
        let shown = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
        let told = differs.map(|name| {
            format!("{name}: {} / {}", shown(self.facts.get(name)), shown(other.facts.get(name)))
        });
        let effects = (self.effects != other.effects)
            .then(|| format!("effects: {:?} / {:?}", self.effects, other.effects));
        told.chain(effects).collect()
    }
}

/// Runs a scenario that nothing disturbs.
pub(crate) async fn undisturbed(scenario: &Scenario) -> Run {
    let (ledger, journal, blobs) = Default::default();
    let world = world(scenario, (&ledger, &journal, &blobs), BEGINNING);
    let accepted = match scenario.flow() {
        Some(bundle) => {
            let request = world.flow_request(bundle, scenario.metadata());
            world.engine.submit(PlanRequest { step_model: scenario.step_model(), ..request }).await
        }
        None => world.submit(&scenario.document(), scenario.metadata()).await,
    };
    let task = accepted.unwrap_or_else(|error| panic!("{}: {error}", scenario.name)).task;
    settled(scenario, world, (task, ledger)).await
}

pub(crate) fn world(
    scenario: &Scenario,
    (ledger, journal, blobs): (&Ledger, &MemoryJournal, &MemoryBlobs),
    now: Timestamp,
) -> EngineWorld {
    let (tools, journal, blobs) = (scenario.tools(ledger), journal.clone(), blobs.clone());
    let (name, made) = (scenario.name.clone(), AtomicUsize::new(1));
    let new_id = move || match made.fetch_add(1, Ordering::Relaxed) {
        1 => TaskId::from(format!("task_{name}")),
        more => TaskId::from(format!("task_{name}_{more}")),
    };
    let parts = EngineParts {
        clock: Arc::new(TokioClock::starting_at(now)),
        snapshots: Arc::new(journal.snapshots.clone()),
        new_id: Box::new(new_id),
        models: scenario
            .model()
            .map_or_else(|| Arc::new(NoModels) as Arc<dyn Models>, |m| Arc::new(m)),
        ..parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(tools.clone()))
    };
    EngineWorld { engine: Engine::new(parts), journal, blobs, tools, options: scenario.options() }
}

/// Waits until nothing moves. Virtual time passes at once, so a task that hangs is seen.
pub(crate) async fn settle(world: &EngineWorld, task: &TaskId) -> State {
    let settled = tokio::time::timeout(Duration::from_hours(1000), world.settle(task)).await;
    settled.unwrap_or_else(|_| panic!("the task hangs:\n{}", world.trace(task)))
}

/// Lets everything run and answers what is asked, until nothing moves any more.
async fn settled(scenario: &Scenario, world: EngineWorld, (task, ledger): (TaskId, Ledger)) -> Run {
    let mut state = settle(&world, &task).await;
    for _ in 0..100 {
        let Some(question) = state.questions.values().next() else { break };
        let Some(answer) = scenario.answer(question, &ledger) else {
            // Nobody answers: its time passes.
            tokio::time::sleep(Duration::from_millis(question.within_ms.unwrap() + 1)).await;
            state = settle(&world, &task).await;
            continue;
        };
        let question = question.id.clone();
        let answer = TaskCommand::Answer { question, answer, by: "script".to_owned() };
        world.engine.command(&task, answer).await.unwrap();
        state = settle(&world, &task).await;
    }
    let end = end(&state, &ledger);
    let entries = world.journal.entries(&task);
    let (journal, blobs) = (world.journal, world.blobs);
    Run { scenario: scenario.clone(), task, entries, end, ledger, journal, blobs }
}

impl Run {
    /// The event after which the task is acknowledged: the opening is one append.
    pub(crate) fn opened_at(&self) -> u64 {
        let closed = |entry: &&Entry| matches!(entry.event, Event::PlanClosed { .. });
        self.entries.iter().find(closed).unwrap().seq
    }

    /// Kills Praxis right after event `seq`, starts it again and lets it run to the end.
    pub(crate) async fn crashed_after(&self, seq: u64, in_flight: InFlight) -> Self {
        let left: Vec<Entry> = self.entries.iter().filter(|e| e.seq <= seq).cloned().collect();
        let ledger = self.ledger.crashed(&left, in_flight);
        let journal = self.journal.crashed_after(&self.task, seq);
        let later = left.last().map_or(BEGINNING, |entry| entry.at).plus_ms(DOWN_MS);
        let world = world(&self.scenario, (&ledger, &journal, &self.blobs), later);
        world.engine.recover().await.unwrap();
        let run = settled(&self.scenario, world, (self.task.clone(), ledger)).await;
        run.keeps_promises(&left, &format!("{} after {seq}, {in_flight:?}", self.scenario.name));
        run
    }

    /// Kills Praxis right after event `seq`, starts it again, and cancels the task at once.
    pub(crate) async fn cancelled_after(&self, seq: u64) -> Self {
        let left: Vec<Entry> = self.entries.iter().filter(|e| e.seq <= seq).cloned().collect();
        let ledger = self.ledger.crashed(&left, InFlight::Unsent);
        let journal = self.journal.crashed_after(&self.task, seq);
        let later = left.last().map_or(BEGINNING, |entry| entry.at).plus_ms(DOWN_MS);
        let world = world(&self.scenario, (&ledger, &journal, &self.blobs), later);
        let (reason, by) = ("enough".to_owned(), "script".to_owned());
        let cancelled = world.engine.command(&self.task, TaskCommand::Cancel { reason, by }).await;
        let then = State::replay(&left).unwrap();
        let over = matches!(then.phase, Phase::Stopping(_) | Phase::Finished(_));
        assert_eq!(cancelled.is_err(), over, "{} after {seq}", self.scenario.name);
        settled(&self.scenario, world, (self.task.clone(), ledger)).await
    }

    /// What must hold on the way from a crash to the end.
    fn keeps_promises(&self, left: &[Entry], place: &str) {
        let (before, after) = self.entries.split_at(left.len());
        assert_eq!(before, left, "{place}: history was rewritten");
        let state = State::replay(left).unwrap();
        let finished: BTreeSet<String> = state
            .steps
            .everywhere()
            .map(|(_, it)| it)
            .filter(|it| it.status.is_final())
            .map(id)
            .collect();
        let again: Vec<String> = after.iter().filter_map(started).collect();
        let again = again.into_iter().chain(self.ledger.called_since());
        let again: Vec<String> = again.filter(|step| finished.contains(step)).collect();
        assert!(again.is_empty(), "{place}: finished steps ran again: {again:?}");
        for lost in state.calls_in_flight().filter_map(|index| state.step_at(index)) {
            let may = state.contract(lost.tool()).is_none_or(|contract| contract.may_run_again());
            assert!(may || asked_first(lost, after), "{place}: {} was silently lost", id(lost));
        }
        assert_eq!(self.ledger.keys_with_two_meanings(), Vec::<String>::new(), "{place}");
        let twice = self.end.effects.iter().find(|(_, count)| **count > 1);
        assert_eq!(twice, None, "{place}: an effect happened twice");
    }
}

fn id(step: &Step) -> String {
    step.plan.id.to_string()
}

fn started(entry: &Entry) -> Option<String> {
    match &entry.event {
        Event::StepStarted { step, .. } => Some(step.to_string()),
        _ => None,
    }
}

/// Whether somebody was asked about a lost call before anything else became of its step.
fn asked_first(lost: &Step, after: &[Entry]) -> bool {
    let of = |entry: &&Entry| match &entry.event {
        Event::StepStarted { step, .. } | Event::CheckStarted { step } => *step == lost.plan.id,
        Event::StepFinished { step, outcome, .. } => {
            *step == lost.plan.id && *outcome != CallOutcome::Lost
        }
        Event::QuestionAsked { question } => question.step.as_ref() == Some(&lost.plan.id),
        Event::TaskFinished { .. } => true,
        _ => false,
    };
    match after.iter().find(of).map(|entry| &entry.event) {
        Some(Event::QuestionAsked { question }) => {
            matches!(question.about, QuestionSubject::InDoubt { .. })
        }
        Some(Event::CheckStarted { .. }) => true,
        _ => false,
    }
}

fn end(state: &State, ledger: &Ledger) -> End {
    let step = |step: &Step| {
        let index = state.context.index_of(step.plan.id.as_str()).unwrap();
        let output = state.context.result(index).map(|result| &result.output);
        // Whether the call was told to stop or died with Praxis is all the same to a cancelled step.
        let fault = step.fault.as_ref().filter(|_| step.status != StepStatus::Cancelled);
        let fault = fault.map(Fault::code);
        let said = json!([step.status, step.generation, fault, output]);
        (format!("step {}", id(step)), said)
    };
    let task = json!([state.status(), state.revision, state.result_of, state.fault()]);
    // Which of several branches wrote a bare name last is a matter of timing, not of crashes.
    let metadata = state.context.all_metadata().into_iter();
    let metadata = metadata.filter(|(name, _)| state.context.shadowed(name).is_empty());
    let metadata =
        metadata.map(|(name, datum)| (format!("metadata {name}"), json!(format!("{datum:?}"))));
    let facts = state.steps.iter().map(step).chain(metadata);
    End { facts: facts.chain([("task".to_owned(), task)]).collect(), effects: ledger.effects() }
}
