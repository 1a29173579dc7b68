#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a conformance suite fails by panicking"
)]
//! The conformance suites of journals, blob stores, snapshot stores and experience stores. Every implementation runs
//! them.

use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::case::{Case, PlanTemplate};
use praxis_core::journal::event::Event;
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::journal::memory::PlanBarred;
use praxis_core::state::TaskStatus;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{
    AppendError, BlobError, Blobs, Experiences, IntakeLimits, Journal, JournalAppend, KeyHolder,
    ReadError, RecallRequest, Snapshots, TaskOpening, TaskRow, TaughtExperience, WrittenEntry,
};
use serde_json::json;
use std::sync::Arc;

/// Returns the `TaskRow` of a running task.
pub fn running() -> TaskRow {
    TaskRow {
        status: TaskStatus::Executing,
        waits_for: None,
        wake_at: None,
        open_questions: 0,
        epoch: 1,
        done: 0,
        total: 1,
    }
}

/// Returns an append of `count` small events.
pub fn append(task: &str, after: u64, count: u64) -> JournalAppend {
    let event = Event::Woken { by: "conformance".to_owned() };
    let body = serde_json::to_string(&event).unwrap_or_default();
    let write = |seq| WrittenEntry { seq, at: Timestamp(1000 + seq), body: body.clone() };
    JournalAppend {
        task: TaskId::from(task),
        after,
        entries: (after + 1..=after + count).map(write).collect(),
        row: running(),
        opening: (after == 0).then(|| opening(None)),
        asked: vec![],
        closed: vec![],
        blobs: vec![],
    }
}

/// Returns the opening of a task, optionally with an idempotency key and its fingerprint.
pub fn opening(key: Option<(&str, &str)>) -> TaskOpening {
    TaskOpening {
        intake_limits: IntakeLimits::default(),
        tenant: Tenant::default(),
        goal: "conform".to_owned(),
        key: key.map(|(key, fingerprint)| (key.to_owned(), fingerprint.to_owned())),
        at: Timestamp(1000),
    }
}

/// Checks everything that a [`Journal`] must do.
///
/// # Panics
/// If a check fails.
pub async fn journal(journal: &dyn Journal) {
    appends_are_read_back_in_order(journal).await;
    an_append_that_does_not_follow_is_refused(journal).await;
    a_key_belongs_to_one_task(journal).await;
    no_more_tasks_are_taken_in_than_the_door_allows(journal).await;
    only_tasks_that_can_go_on_are_listed_oldest_first(journal).await;
    many_writers_lose_nothing(journal).await;
    an_event_of_a_later_version_is_named(journal).await;
}

async fn appends_are_read_back_in_order(journal: &dyn Journal) {
    let task = TaskId::from("task_order");
    journal.append(Arc::new(append("task_order", 0, 3))).await.unwrap();
    journal.append(Arc::new(append("task_order", 3, 2))).await.unwrap();
    let read = journal.read(&task, 0).await.unwrap();
    assert_eq!(read.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(read[4].at, Timestamp(1005));
    let tail = journal.read(&task, 4).await.unwrap();
    assert_eq!(tail.len(), 1);
    let missing = TaskId::from("task_nobody");
    assert_eq!(journal.read(&missing, 0).await, Err(ReadError::NotFound(missing)));
}

async fn an_append_that_does_not_follow_is_refused(journal: &dyn Journal) {
    journal.append(Arc::new(append("task_conflict", 0, 2))).await.unwrap();
    let stale = journal.append(Arc::new(append("task_conflict", 1, 1))).await;
    assert_eq!(stale, Err(AppendError::Conflict { expected: 1, found: 2 }));
    let twice = journal.append(Arc::new(append("task_conflict", 0, 1))).await;
    assert_eq!(twice, Err(AppendError::Conflict { expected: 0, found: 2 }));
    let unknown = journal.append(Arc::new(append("task_unknown", 5, 1))).await;
    assert_eq!(unknown, Err(AppendError::Conflict { expected: 5, found: 0 }));
    assert_eq!(journal.read(&TaskId::from("task_conflict"), 0).await.unwrap().len(), 2);
}

async fn a_key_belongs_to_one_task(journal: &dyn Journal) {
    let keyed = |task: &str, asked: &str| JournalAppend {
        opening: Some(opening(Some(("key-1", asked)))),
        ..append(task, 0, 1)
    };
    journal.append(Arc::new(keyed("task_key", "a"))).await.unwrap();
    let task = TaskId::from("task_key");
    let same = journal.append(Arc::new(keyed("task_other", "a"))).await;
    assert_eq!(same, Err(AppendError::KeyTaken { task: task.clone(), same: true }));
    let other = journal.append(Arc::new(keyed("task_other", "b"))).await;
    assert_eq!(other, Err(AppendError::KeyTaken { task: task.clone(), same: false }));
    let (tenant, fingerprint) = (Tenant::default(), "a".to_owned());
    let held = journal.holder(&tenant, "key-1").await.unwrap();
    assert_eq!(held, Some(KeyHolder { task, fingerprint }));
    assert_eq!(journal.holder(&tenant, "key-2").await.unwrap(), None);
    assert_eq!(journal.holder(&Tenant::from("other"), "key-1").await.unwrap(), None);
    let mut theirs = keyed("task_theirs", "a");
    if let Some(opening) = &mut theirs.opening {
        opening.tenant = Tenant::from("other");
    }
    assert_eq!(journal.append(Arc::new(theirs)).await, Ok(()));
}

async fn no_more_tasks_are_taken_in_than_the_door_allows(journal: &dyn Journal) {
    let door = |tasks, requests| IntakeLimits { tasks, requests, within_ms: 15_000 };
    let at_the_door = |task: &str, at: u64, intake_limits: IntakeLimits| {
        let tenant = Tenant::from("crowd");
        JournalAppend {
            opening: Some(TaskOpening {
                intake_limits,
                tenant,
                at: Timestamp(at),
                ..opening(None)
            }),
            ..append(task, 0, 1)
        }
    };
    let submit = |task: &'static str, at: u64, door: IntakeLimits| async move {
        journal.append(Arc::new(at_the_door(task, at, door))).await
    };
    submit("task_door_1", 1_000_000, door(2, 2)).await.unwrap();
    submit("task_door_2", 1_001_000, door(2, 2)).await.unwrap();
    let crowded = submit("task_door_3", 1_002_000, door(2, 0)).await;
    assert_eq!(crowded, Err(AppendError::TooManyTasks { allowed: 2 }));
    let often = submit("task_door_3", 1_002_000, door(0, 2)).await;
    assert_eq!(often, Err(AppendError::TooManyRequests { allowed: 2, within_ms: 15_000 }));
    let unwritten = TaskId::from("task_door_3");
    assert_eq!(journal.read(&unwritten, 0).await, Err(ReadError::NotFound(unwritten)));
    submit("task_door_3", 1_015_500, door(0, 2)).await.unwrap();
    let ended = TaskRow { status: TaskStatus::Completed, ..running() };
    let end = JournalAppend { row: ended, ..append("task_door_1", 1, 1) };
    journal.append(Arc::new(end)).await.unwrap();
    submit("task_door_4", 1_016_000, door(3, 0)).await.unwrap();
    let crowded = submit("task_door_5", 1_016_000, door(3, 0)).await;
    assert_eq!(crowded, Err(AppendError::TooManyTasks { allowed: 3 }));
}

async fn only_tasks_that_can_go_on_are_listed_oldest_first(journal: &dyn Journal) {
    let with = |status| TaskRow { status, ..running() };
    for (task, status) in [
        ("task_1_runs", TaskStatus::Executing),
        ("task_2_waits", TaskStatus::Waiting),
        ("task_3_ended", TaskStatus::Completed),
        ("task_4_plans", TaskStatus::Planning),
    ] {
        journal.append(Arc::new(append(task, 0, 1))).await.unwrap();
        journal
            .append(Arc::new(JournalAppend { row: with(status), ..append(task, 1, 1) }))
            .await
            .unwrap();
    }
    // Its question may expire, so it has a wake-up time.
    let waits = TaskRow { wake_at: Some(Timestamp(9)), ..with(TaskStatus::Waiting) };
    journal.append(Arc::new(append("task_5_expires", 0, 1))).await.unwrap();
    let expires = JournalAppend { row: waits, ..append("task_5_expires", 1, 1) };
    journal.append(Arc::new(expires)).await.unwrap();
    let listed = journal.runnable().await.unwrap();
    let ours = ["task_1_runs", "task_2_waits", "task_3_ended", "task_4_plans", "task_5_expires"];
    let ours: Vec<&str> =
        listed.iter().map(TaskId::as_str).filter(|task| ours.contains(task)).collect();
    assert_eq!(ours, ["task_1_runs", "task_4_plans", "task_5_expires"]);
}

async fn many_writers_lose_nothing(journal: &dyn Journal) {
    let one = |name: String| async move {
        for after in 0..20 {
            journal.append(Arc::new(append(&name, after, 1))).await.unwrap();
        }
    };
    futures::future::join_all((0..32).map(|n| one(format!("task_many_{n}")))).await;
    for n in 0..32 {
        let read = journal.read(&TaskId::from(format!("task_many_{n}")), 0).await.unwrap();
        assert_eq!(read.len(), 20);
    }
}

async fn an_event_of_a_later_version_is_named(journal: &dyn Journal) {
    let mut later = append("task_later", 0, 3);
    r#"{"kind":"dreamt"}"#.clone_into(&mut later.entries[1].body);
    journal.append(Arc::new(later)).await.unwrap();
    match journal.read(&TaskId::from("task_later"), 0).await {
        Err(ReadError::UnknownEvent { seq: 2, why, .. }) => assert!(why.contains("`dreamt`")),
        other => assert_eq!(other, Ok(vec![]), "event 2 was to be named"),
    }
}

/// Checks everything that a [`Blobs`] store must do.
///
/// # Panics
/// If a check fails.
pub async fn blobs(blobs: &dyn Blobs) {
    let content = vec![7_u8; 100_000];
    let id = blobs.put(Arc::new(content.clone())).await.unwrap();
    assert_eq!(
        blobs.put(Arc::new(content.clone())).await.unwrap(),
        id,
        "the same content has the same name"
    );
    assert_eq!(blobs.get(&id).await.unwrap(), content);
    let missing = praxis_core::ids::BlobId::from("00".repeat(32));
    assert_eq!(blobs.get(&missing).await, Err(BlobError::Missing(missing)));
    blobs.remove(&id).await.unwrap();
    assert_eq!(blobs.get(&id).await, Err(BlobError::Missing(id.clone())));
    blobs.remove(&id).await.unwrap();
    let empty = blobs.put(Arc::new(vec![])).await.unwrap();
    assert_eq!(blobs.get(&empty).await.unwrap(), Vec::<u8>::new());
}

/// Checks everything that a [`Snapshots`] store must do.
///
/// # Panics
/// If a check fails.
pub async fn snapshots(store: &dyn Snapshots) {
    let (one, other) = (TaskId::from("task_one"), TaskId::from("task_other"));
    assert!(store.kept(&one).await.is_empty(), "nothing is kept at first");
    assert_eq!(store.get(&one, 1).await, None);
    store.put(&other, 7, b"other".to_vec()).await.unwrap();
    for seq in [1, 2, 10, 20] {
        store.put(&one, seq, format!("after {seq}").into_bytes()).await.unwrap();
    }
    assert_eq!(store.kept(&one).await.first(), Some(&20));
    store.put(&one, 10, b"after 10 again".to_vec()).await.unwrap();
    let kept = store.kept(&one).await;
    assert_eq!(kept.get(..2), Some(&[10, 2][..]), "the newest first, and none of what came later");
    assert_eq!(store.get(&one, 2).await, Some(b"after 2".to_vec()));
    assert_eq!(store.get(&one, 10).await, Some(b"after 10 again".to_vec()));
    assert_eq!(store.get(&one, 3).await, None);
    for _ in 0..2 {
        store.forget(&one).await.unwrap();
    }
    assert!(store.kept(&one).await.is_empty(), "nothing is left");
    assert_eq!(store.get(&one, 10).await, None);
    assert_eq!(store.get(&other, 7).await, Some(b"other".to_vec()), "the other is untouched");
}

/// Checks everything that an [`Experiences`] store must do.
///
/// # Panics
/// If a check fails.
pub fn experiences(store: &dyn Experiences) {
    let (local, other) = (Tenant::default(), Tenant::from("other"));
    let keep = |tenant: &Tenant, task: &str, experience: &Experience| {
        let task = &TaskId::from(task);
        store
            .keep(&TaughtExperience { tenant, task, seq: 9, at: Timestamp(9), experience })
            .unwrap();
    };
    let recalled = |tenant: &Tenant, goal: &str, most: usize| -> Vec<(String, u32)> {
        let near = store.recall(&RecallRequest { tenant, goal, most, named: None }).unwrap();
        near.into_iter().map(|memory| (memory.task.to_string(), memory.similarity)).collect()
    };
    assert!(recalled(&local, "send a mail", 5).is_empty());
    keep(&local, "task_a", &taught("send a mail to the team", ExperienceCategory::SolvingIdeas));
    keep(&local, "task_b", &taught("send a parcel", ExperienceCategory::SolvingIdeas));
    keep(&local, "task_c", &taught("send a mail", ExperienceCategory::ReflectionSuggestions));
    keep(&other, "task_d", &taught("send a mail", ExperienceCategory::SolvingIdeas));
    let near = recalled(&local, "send a mail", 5);
    let tasks: Vec<&str> = near.iter().map(|(task, _)| task.as_str()).collect();
    assert_eq!(tasks, ["task_a", "task_b"], "the nearest first, and only what ended well");
    assert_eq!(near.first().map(|(_, similarity)| *similarity), Some(1000));
    assert_eq!(recalled(&local, "send a mail", 1).len(), 1);
    assert_eq!(recalled(&other, "send a mail", 5), [("task_d".to_owned(), 1000)]);
    keep(&local, "task_a", &taught("send a mail to the team", ExperienceCategory::SolvingIdeas));
    assert_eq!(recalled(&local, "send a mail", 5).len(), 2, "told twice is told once");
    let asked = RecallRequest { tenant: &local, goal: "send a mail", most: 1, named: None };
    let found = store.recall(&asked).unwrap();
    let memory = found.first().unwrap();
    assert_eq!((memory.hash.as_str(), memory.summary.as_str()), (&*memory.case.hash(), "q"));
    assert_eq!((memory.at, memory.barred), (Some(Timestamp(9)), None));
    let named = |task: &str| -> Vec<(String, u32)> {
        let named = Some(&TaskId::from(task));
        let found = store.recall(&RecallRequest { goal: "zzz", named, ..asked }).unwrap();
        found.into_iter().map(|memory| (memory.task.to_string(), memory.similarity)).collect()
    };
    assert_eq!(named("task_b"), [("task_b".to_owned(), 0)], "however little it is like");
    assert_eq!(named("task_d"), [], "it is another tenant's");
    assert_eq!(named("task_c"), [], "it did not end well");
    plans_that_misled(store, &keep);
    store.forget(&TaskId::from("task_a")).unwrap();
    store.forget(&TaskId::from("task_nobody")).unwrap();
    assert_eq!(recalled(&local, "send a mail", 5).len(), 1);
}

/// Checks that a plan with which a task failed is barred in every recalled task that has it, until the failed task is
/// forgotten.
fn plans_that_misled(store: &dyn Experiences, keep: &dyn Fn(&Tenant, &str, &Experience)) {
    let tenant = &Tenant::default();
    let plan = PlanTemplate { steps: vec![json!({"tool": "look"})], ..PlanTemplate::default() };
    let mut way = taught("water every plant", ExperienceCategory::SolvingIdeas);
    way.case.as_mut().unwrap().plan = Some(plan.clone());
    let mut failure = taught("water the cactus", ExperienceCategory::ReflectionSuggestions);
    failure.case.as_mut().unwrap().misled_by = Some(plan.hash());
    let barred = || {
        let asked = RecallRequest { tenant, goal: "water every plant", most: 9, named: None };
        let found = store.recall(&asked).unwrap();
        found.iter().filter(|memory| memory.barred == Some(PlanBarred::Failed)).count()
    };
    keep(tenant, "task_e", &way);
    keep(tenant, "task_f", &way);
    assert_eq!(barred(), 0);
    keep(tenant, "task_g", &failure);
    assert_eq!(barred(), 2);
    keep(tenant, "task_g", &failure);
    store.forget(&TaskId::from("task_g")).unwrap();
    assert_eq!(barred(), 0);
    for task in ["task_e", "task_f"] {
        store.forget(&TaskId::from(task)).unwrap();
    }
}

/// Returns an experience with this goal.
pub fn taught(goal: &str, category: ExperienceCategory) -> Experience {
    let case = Case { goal: goal.to_owned(), tools: vec!["look".into()], ..Case::default() };
    Experience {
        task_completion: 90,
        execution_efficiency: 80,
        tool_usage: 70,
        category,
        intention: String::new(),
        task: goal.to_owned(),
        experience: "e".to_owned(),
        quick_summary: "q".to_owned(),
        defaulted: false,
        case: Some(case),
    }
}
