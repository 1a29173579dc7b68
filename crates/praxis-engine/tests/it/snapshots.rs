//! A long task is read in from its newest good snapshot; a bad one costs time and nothing else.

use futures::future::BoxFuture;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::event::Entry;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::arrival::TaskCommand;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::seams::{AppendError, Journal, JournalAppend, KeyHolder, ReadError, Snapshots};
use praxis_testkit::memory::MemoryJournal;
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::{EngineWorld, parts};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A journal that notes after which events it was read.
#[derive(Default)]
struct Noting {
    journal: MemoryJournal,
    reads: Mutex<Vec<u64>>,
}

impl Journal for Noting {
    fn append(&self, append: Arc<JournalAppend>) -> BoxFuture<'_, Result<(), AppendError>> {
        self.journal.append(append)
    }

    fn read<'a>(
        &'a self,
        task: &'a TaskId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        self.reads.lock().unwrap().push(after);
        self.journal.read(task, after)
    }

    fn holder<'a>(
        &'a self,
        tenant: &'a Tenant,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<KeyHolder>, ReadError>> {
        self.journal.holder(tenant, key)
    }

    fn runnable(&self) -> BoxFuture<'_, Result<Vec<TaskId>, ReadError>> {
        self.journal.runnable()
    }
}

fn tools() -> ScriptedTools {
    ScriptedTools::default()
        .answering(json!({"id": "give", "risk": "read"}), |call| Ok(call.arguments.clone()))
}

/// Thirty steps in a row, then a value that only a person has.
fn long_plan() -> Value {
    let step = |n: usize| {
        let before: Vec<String> = n.checked_sub(1).map(|n| format!("s{n}")).into_iter().collect();
        json!({
            "step_id": format!("s{n}"), "tool": "give", "depends_on": before,
            "parameters": {"n": n, "before": n.checked_sub(1).map(|n| format!("{{{{s{n}.outputs.n}}}}"))},
        })
    };
    let mut steps: Vec<Value> = (0..30).map(step).collect();
    let v = json!({"v": "{{nowhere}}"});
    steps.push(json!({"step_id": "ask", "tool": "give", "depends_on": ["s29"], "parameters": v}));
    json!({ "steps": steps })
}

/// The long plan, waiting for its answer, with four snapshots.
async fn waiting() -> (EngineWorld, TaskId, Vec<u64>) {
    let world = EngineWorld::new(tools());
    let task = world.submit(&long_plan(), json!({})).await.unwrap().task;
    let state = world.settle(&task).await;
    assert_eq!(state.status(), TaskStatus::Waiting);
    let kept = world.journal.snapshots.kept(&task).await;
    (world, task, kept)
}

/// Another engine on a journal, which notes what is read, and keeps new snapshots or none.
fn another(
    journal: &MemoryJournal,
    world: &EngineWorld,
    snapshot_after: u64,
) -> (Engine, Arc<Noting>) {
    let noting = Arc::new(Noting { journal: journal.clone(), reads: Mutex::default() });
    let blobs = Arc::new(world.blobs.clone());
    let parts = EngineParts {
        journal: Arc::clone(&noting) as Arc<dyn Journal>,
        snapshots: Arc::new(journal.snapshots.clone()),
        snapshot_after,
        ..parts(Arc::new(journal.clone()), blobs, Arc::new(tools()))
    };
    (Engine::new(parts), noting)
}

/// Another engine takes the task up, with the answer. Says from where the task was read.
async fn answered(journal: &MemoryJournal, world: &EngineWorld, task: &TaskId) -> Vec<u64> {
    let state = State::replay(&journal.entries(task)).unwrap();
    let journal = journal.crashed_after(task, state.seq);
    let (engine, noting) = another(&journal, world, 4);
    let question = state.questions.keys().next().unwrap().clone();
    let answer = QuestionAnswer::Values { values: BTreeMap::from([("/v".to_owned(), json!(1))]) };
    let answer = TaskCommand::Answer { question, answer, by: "test".to_owned() };
    engine.command(task, answer).await.unwrap();
    engine.idle().await.unwrap();
    let state = State::replay(&journal.entries(task)).unwrap();
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(state.progress(), (31, 31));
    let reads = noting.reads.lock().unwrap();
    reads.clone()
}

#[tokio::test(start_paused = true)]
async fn snapshots_are_spaced_so_that_each_doubles_what_the_last_covered() {
    let (_, _, kept) = waiting().await;
    assert!(kept.len() >= 4, "{kept:?}");
    for pair in kept.windows(2) {
        assert!(pair[0] >= 2 * pair[1] && pair[0] <= 2 * pair[1] + 8, "{kept:?}");
    }
}

// C-032
#[tokio::test(start_paused = true)]
async fn a_task_is_read_in_from_its_newest_snapshot_and_ends_as_without() {
    let (world, task, kept) = waiting().await;
    let reads = answered(&world.journal, &world, &task).await;
    assert_eq!(reads, [kept[0] - 1], "only what followed was read");
}

// C-032
#[tokio::test(start_paused = true)]
async fn a_damaged_snapshot_makes_way_for_the_one_before_it_and_at_last_for_the_journal() {
    let (world, task, kept) = waiting().await;
    for (bad, seq) in kept.iter().enumerate() {
        world.journal.snapshots.damage(&task, *seq);
        let reads = answered(&world.journal, &world, &task).await;
        assert_eq!(reads, [kept.get(bad + 1).map_or(0, |seq| seq - 1)], "with {} bad", bad + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_of_a_history_that_was_put_back_is_passed_over() {
    let (world, task, kept) = waiting().await;
    // The journal is an old copy that lacks the event of the newest snapshot, and goes on from there.
    let journal = world.journal.crashed_after(&task, kept[0] - 1);
    let (engine, noting) = another(&journal, &world, 0);
    assert_eq!(engine.recover().await.unwrap(), std::slice::from_ref(&task));
    engine.idle().await.unwrap();
    assert_eq!(*noting.reads.lock().unwrap(), [kept[0] - 1, kept[1] - 1], "it is not there yet");
    let reads = answered(&journal, &world, &task).await;
    assert_eq!(reads, [kept[0] - 1, kept[1] - 1], "another event stands there now");
}

#[tokio::test(start_paused = true)]
async fn what_was_kept_of_a_task_is_forgotten_when_it_ends_and_when_it_is_erased() {
    let (world, task, _) = waiting().await;
    let cancel = TaskCommand::Cancel { reason: String::new(), by: "test".to_owned() };
    world.engine.command(&task, cancel).await.unwrap();
    world.settle(&task).await;
    let snapshots = world.journal.snapshots.clone();
    assert!(snapshots.kept(&task).await.is_empty(), "it ended");
    // A crash may have come before they were forgotten.
    snapshots.recall(&task);
    assert!(!snapshots.kept(&task).await.is_empty());
    world.engine.erase(&task).await.unwrap();
    assert!(snapshots.kept(&task).await.is_empty(), "it was erased");
}
