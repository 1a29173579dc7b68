//! Records the golden journals of this version: `cargo xtask golden` runs the ignored test.
//!
//! The core's tests fold what lies in its `tests/golden`; a story here is what a journal there tells.

use crate::goal_rig;
use crate::ledger::InFlight;
use crate::scenario::{Scenario, all, flows, named};
use crate::simulate::{Run, settle, undisturbed, world};
use praxis_core::ids::{StepId, TaskId};
use praxis_core::intake::plan;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::PlanOutcome;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::journal::submission::EffectMode;
use praxis_core::replay::portrait::fingerprint;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::arrival::TaskCommand;
use praxis_engine::fork::{ForkOrder, ForkPoint};
use praxis_engine::order::ClientOrder;
use praxis_engine::seams::{Journal, JournalAppend, TaskRow, WrittenEntry};
use praxis_testkit::memory::MemoryJournal;
use praxis_testkit::world::{BEGINNING, EngineWorld};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The rows of a task, by the name of their file.
type Journals = BTreeMap<String, Vec<Entry>>;

/// A scenario that is running.
struct Story {
    world: EngineWorld,
    task: TaskId,
}

impl Story {
    async fn begin(name: &str, file: Value) -> Self {
        let scenario = Scenario::of(name, file);
        let (ledger, journal, blobs) = Default::default();
        let world = world(&scenario, (&ledger, &journal, &blobs), BEGINNING);
        let accepted = world.submit(&scenario.document(), scenario.metadata()).await.unwrap();
        Self { world, task: accepted.task }
    }

    async fn state(&self) -> State {
        settle(&self.world, &self.task).await
    }

    async fn answer(&self, answer: QuestionAnswer) {
        let state = self.state().await;
        let question = state.questions.keys().next().unwrap().clone();
        let answer = TaskCommand::Answer { question, answer, by: "lin".to_owned() };
        self.world.engine.command(&self.task, answer).await.unwrap();
        self.state().await;
    }

    async fn order(&self, order: ClientOrder) -> TaskId {
        let receipt = self.world.engine.carry_out(order).await.unwrap();
        receipt.tasks.first().unwrap().clone()
    }

    async fn cancel_after(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        let (reason, by) = ("enough".to_owned(), "lin".to_owned());
        self.world.engine.command(&self.task, TaskCommand::Cancel { reason, by }).await.unwrap();
        self.state().await;
    }

    async fn retry(&self, from: Option<&str>) {
        let (task, from) = (self.task.clone(), from.map(StepId::from));
        self.order(ClientOrder::Retry { task, from, current: None, by: "lin".to_owned() }).await;
        self.state().await;
    }

    async fn fork(&self, effects: EffectMode) -> TaskId {
        let mode = BTreeMap::from([("/mode".to_owned(), json!("{{loud}}"))]);
        let fork = ForkOrder {
            task: self.task.clone(),
            at: ForkPoint::Step("b".into()),
            set: Map::from_iter([("n".to_owned(), json!(2))]),
            overrides: BTreeMap::from([("b".into(), mode)]),
            effects,
            by: "lin".to_owned(),
        };
        let task = self.order(ClientOrder::Fork(Box::new(fork))).await;
        settle(&self.world, &task).await;
        task
    }

    fn rows(&self) -> Vec<Entry> {
        self.world.journal.entries(&self.task)
    }
}

async fn cancelled_and_retried() -> Vec<Entry> {
    let story = Story::begin(
        "cancelled",
        json!({
            "tools": [{"id": "look", "risk": "read"}, {"id": "slow"}],
            "world": {"slow": {"takes_ms": 1000}},
            "steps": [
                {"step_id": "a", "tool": "look"},
                {"step_id": "b", "tool": "slow", "parameters": {"from": "{{a.outputs.receipt}}"}},
                {"step_id": "c", "tool": "look", "depends_on": ["b"]},
            ],
        }),
    )
    .await;
    story.cancel_after(500).await;
    story.retry(None).await;
    story.answer(QuestionAnswer::DoAgain).await;
    story.rows()
}

async fn failed_and_done_anew() -> Vec<Entry> {
    let story = Story::begin(
        "done_anew",
        json!({
            "tools": [{"id": "look", "risk": "read"}, {"id": "bad"}],
            "world": {"bad": {"answers": ["failed", "ok"]}},
            "options": {"on_unresolved": "error"},
            "steps": [
                {"step_id": "a", "tool": "look"},
                {"step_id": "b", "tool": "bad", "depends_on": ["a"]},
                {"step_id": "r", "tool": "look", "parameters": {"x": "{{nowhere}}"}},
                {"step_id": "s", "tool": "look", "depends_on": ["r"]},
            ],
        }),
    )
    .await;
    story.state().await;
    story.retry(Some("a")).await;
    story.rows()
}

async fn forked() -> Journals {
    let story = Story::begin(
        "parent",
        json!({
            "tools": [{"id": "look", "risk": "read"}, {"id": "pay", "risk": "irreversible"}],
            "metadata": {"n": 1},
            "steps": [
                {"step_id": "a", "tool": "look", "parameters": {"n": "{{n}}"}},
                {"step_id": "b", "tool": "pay", "parameters": {"from": "{{a.outputs.receipt}}", "mode": "plain"}},
            ],
        }),
    )
    .await;
    story.state().await;
    let simulated = story.fork(EffectMode::Simulate).await;
    let asked = story.fork(EffectMode::Ask).await;
    let journal = story.world.journal.clone();
    let approved = Story { world: story.world, task: asked.clone() };
    approved.answer(QuestionAnswer::Approve).await;
    let named = [("fork_simulated", simulated), ("fork_approved", asked)];
    named.into_iter().map(|(name, task)| (name.to_owned(), journal.entries(&task))).collect()
}

/// A question is open; a second revision brings steps that need no answer.
async fn planned_again() -> Vec<Entry> {
    let story = Story::begin(
        "revision",
        json!({
            "tools": [{"id": "look", "risk": "read"}],
            "steps": [
                {"step_id": "a", "tool": "look"},
                {"step_id": "b", "tool": "look", "parameters": {"x": "{{nowhere}}"}},
            ],
        }),
    )
    .await;
    let state = story.state().await;
    let steps = json!({"steps": [
        {"step_id": "c", "tool": "look", "parameters": {"from": "{{receipt}}"}},
        {"step_id": "d", "tool": "look", "depends_on": ["c"]},
    ]});
    let steps = plan::read(&steps).unwrap().steps;
    let closed = Event::closed(2, PlanOutcome::Complete);
    let events = [Event::planned(2, steps), closed];
    append(&story.world.journal, &story.task, &state, &events).await;
    story.world.engine.recover().await.unwrap();
    let values = BTreeMap::from([("/x".to_owned(), json!("given"))]);
    story.answer(QuestionAnswer::Values { values }).await;
    story.rows()
}

async fn append(journal: &MemoryJournal, task: &TaskId, state: &State, events: &[Event]) {
    let written = |(after, event): (u64, &Event)| {
        let body = serde_json::to_string(event).unwrap();
        WrittenEntry { seq: state.seq + 1 + after, at: state.at.plus_ms(1000), body }
    };
    let row = TaskRow {
        status: TaskStatus::Executing,
        waits_for: None,
        wake_at: None,
        open_questions: 1,
        epoch: 1,
        done: 1,
        total: 4,
    };
    let append = JournalAppend {
        task: task.clone(),
        after: state.seq,
        entries: (0..).zip(events).map(written).collect(),
        row,
        opening: None,
        asked: vec![],
        closed: vec![],
        blobs: vec![],
    };
    journal.append(Arc::new(append)).await.unwrap();
}

/// Killed right after the last event that is `wanted`, what it began unanswered.
async fn killed(scenario: &str, wanted: impl Fn(&Event) -> bool) -> Vec<Entry> {
    let run: Run = undisturbed(&named(scenario)).await;
    let last = run.entries.iter().rev().find(|entry| wanted(&entry.event));
    run.crashed_after(last.unwrap().seq, InFlight::Acted).await.entries
}

fn starts(step: &str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::StepStarted { step: s, .. } if s.as_str() == step)
}

async fn stories() -> Journals {
    let mut journals = Journals::new();
    for scenario in all() {
        journals.insert(scenario.name.clone(), undisturbed(&scenario).await.entries);
    }
    let mut not_done = named("write_without_key").answering("blow", &["broke_before", "ok"]);
    "not_done".clone_into(&mut not_done.name);
    journals.insert("not_done".into(), undisturbed(&not_done).await.entries);
    journals.insert("killed_in_doubt".into(), killed("write_without_key", starts("b")).await);
    let check = |event: &Event| matches!(event, Event::CheckStarted { .. });
    journals.insert("killed_in_a_check".into(), killed("check_done", check).await);
    journals.insert("killed_and_again".into(), killed("payment", starts("pay")).await);
    journals.insert("cancelled".into(), cancelled_and_retried().await);
    journals.insert("done_anew".into(), failed_and_done_anew().await);
    journals.insert("revision".into(), planned_again().await);
    journals.extend(forked().await);
    for name in GOALS {
        journals.insert(format!("goal_{name}"), goal_rig::named(name).run().await.entries);
    }
    for scenario in flows().into_iter().filter(|scenario| FLOWS.contains(&&*scenario.name)) {
        let entries = undisturbed(&scenario).await.entries;
        journals.insert(format!("flow_{}", scenario.name), entries);
    }
    journals.insert("goal_continued".into(), goal_rig::continued("继续执行").await.entries);
    journals
}

/// Flows that together hold every kind of event and of way.
const FLOWS: [&str; 12] = [
    "slot_guessed",
    "agent_is_told_what_is_wrong",
    "slot_by_a_model_and_a_person",
    "three_deep",
    "error_step",
    "loop_failure_continues",
    "approve_denied",
    "sub_flow_named",
    "slot_from_context",
    "slot_answered_in_parts",
    "slot_skipped",
    "tool_complains_of_a_parameter",
];

/// Goals that together hold every kind of event.
const GOALS: [&str; 19] = [
    "recalled",
    "long_result_is_extracted",
    "plain",
    "user_is_told",
    "full_replan",
    "skip_steps",
    "add_remediation",
    "repair_step",
    "inferred",
    "chosen",
    "wall_tokens",
    "wall_tokens_raised",
    "review_edited",
    "settled",
    "help_is_asked",
    "plan_corrected",
    "plan_cut",
    "late_read",
    "missed_then_reached",
];

/// The release that this version belongs to: `v0.1`.
fn folder() -> PathBuf {
    let mut version = env!("CARGO_PKG_VERSION").split('.');
    let release = format!("v{}.{}", version.next().unwrap(), version.next().unwrap());
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../praxis-core/tests/golden").join(release)
}

fn row(entry: &Entry) -> String {
    let body = serde_json::to_string(&entry.event).unwrap();
    format!("{{\"seq\":{},\"at\":{},\"body\":{body}}}\n", entry.seq, entry.at.0)
}

/// The first half of the fingerprint after each entry.
fn states(entries: &[Entry]) -> Vec<String> {
    let mut state = State::default();
    let mut after = |entry| {
        state.apply(entry).unwrap();
        fingerprint(&state)[..16].to_owned()
    };
    entries.iter().map(&mut after).collect()
}

#[tokio::test(start_paused = true)]
#[ignore = "writes fixtures: run `cargo xtask golden`"]
async fn record_the_golden_journals_of_this_version() {
    let (journals, folder) = (stories().await, folder());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    for (name, entries) in &journals {
        let rows: String = entries.iter().map(row).collect();
        std::fs::write(folder.join(format!("{name}.jsonl")), rows).unwrap();
    }
    let hashes: BTreeMap<_, _> = journals.iter().map(|(name, e)| (name, states(e))).collect();
    let text = serde_json::to_string_pretty(&hashes).unwrap();
    std::fs::write(folder.join("states.json"), format!("{text}\n")).unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_same_story_is_recorded_alike_each_time() {
    assert_eq!(stories().await, stories().await);
}
