//! Promise P5: damage is named, never read as a shorter story.

use crate::rig::{Rig, copy};
use praxis_adapters::sqlite::JournalReader;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_engine::seams::ReadError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A finished task in a database that is closed: all of it is in one file.
struct Finished {
    rig: Rig,
    task: TaskId,
    entries: Vec<Entry>,
}

impl Finished {
    fn new() -> Self {
        let rig = Rig::new();
        assert!(rig.run().status.success());
        let database = Connection::open(rig.data().join("praxis.db")).unwrap();
        database.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).unwrap();
        drop(database);
        let task = TaskId::from(rig.last()["task"].as_str().unwrap());
        let entries = look(&rig.data().join("praxis.db"), &task).unwrap();
        Self { rig, task, entries }
    }

    fn database(&self) -> PathBuf {
        self.rig.data().join("praxis.db")
    }

    /// A copy of the data folder with the database changed by SQL.
    fn changed(&self, sql: &str) -> Rig {
        let copied = Rig::new();
        copy(&self.rig.data(), &copied.data());
        let database = Connection::open(copied.data().join("praxis.db")).unwrap();
        database.execute_batch(sql).unwrap();
        copied
    }
}

/// What `praxis show` does to find a task.
fn look(database: &Path, task: &TaskId) -> Result<Vec<Entry>, String> {
    let reader = JournalReader::open(database).map_err(|error| error.to_string())?;
    let found = reader.by_prefix(task.as_str()).map_err(|error| error.to_string())?;
    let found = found.first().map(|_| reader.entries(task, 0));
    match found.unwrap_or_else(|| Err(ReadError::NotFound(task.clone()))) {
        Ok(entries) => Ok(entries),
        Err(ReadError::NotFound(_)) => panic!("the task is silently lost"),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn a_flipped_bit_anywhere_in_the_file_changes_no_answer_unseen() {
    let finished = Finished::new();
    let whole = std::fs::read(finished.database()).unwrap();
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let place = folder.path().join("praxis.db");
    let mut seen = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&place, &damaged).unwrap();
        let answer = std::panic::catch_unwind(|| look(&place, &finished.task));
        match answer.unwrap_or_else(|_| panic!("byte {at}: the task is silently lost")) {
            Ok(entries) => assert!(entries == finished.entries, "byte {at}: another story"),
            Err(_) => seen += 1,
        }
    }
    println!("{} flips, {seen} seen", whole.len().div_ceil(7));
    assert!(seen > 100);
}

#[test]
fn a_file_that_ends_too_early_is_not_read_as_a_shorter_story() {
    let finished = Finished::new();
    let whole = std::fs::read(finished.database()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("praxis.db");
    for length in (0..whole.len()).step_by(509) {
        std::fs::write(&place, &whole[..length]).unwrap();
        // The end may hold nothing of the task.
        if let Ok(entries) = look(&place, &finished.task) {
            assert!(entries == finished.entries, "{length} bytes: another story");
        }
    }
}

/// What `praxis show` says of a task that was changed by SQL.
fn said(changed: &Rig, task: &TaskId) -> (Option<i32>, String) {
    let output = changed.praxis(&["show", task.as_str()]).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn assert_damaged(finished: &Finished, sql: &str, seq: u64) {
    let (code, words) = said(&finished.changed(sql), &finished.task);
    let named = format!("{} is damaged at event {seq}", finished.task);
    assert_eq!(code, Some(1), "{sql}: {words}");
    assert!(words.contains("journal_damaged") && words.contains(&named), "{sql}: {words}");
}

#[test]
fn changed_and_missing_events_are_named_with_their_task() {
    let finished = Finished::new();
    let last = finished.entries.len() as u64;
    for seq in 1..=last {
        let text = format!("update events set body = replace(body, 'a', 'b') where seq = {seq}");
        assert_damaged(&finished, &text, seq);
        assert_damaged(&finished, &format!("delete from events where seq = {seq}"), seq);
    }
    assert_damaged(&finished, "update events set at = at + 1 where seq = 3", 3);
    assert_damaged(&finished, "update events set link = zeroblob(16) where seq = 4", 4);
    assert_damaged(&finished, "update events set link = x'00' where seq = 4", 4);
    assert_damaged(&finished, "delete from events", 1);
    let tail = format!("delete from events where seq > {}", last - 2);
    assert_damaged(&finished, &tail, last - 1);
    let swapped = "update events set seq = -seq where seq in (5, 6); \
                   update events set seq = 11 + seq where seq < 0";
    assert_damaged(&finished, swapped, 5);
}

#[test]
fn every_byte_of_every_event_is_covered_by_its_checksum() {
    let finished = Finished::new();
    let changed = finished.changed("select 1");
    let place = changed.data().join("praxis.db");
    let database = Connection::open(&place).unwrap();
    database.pragma_update(None, "synchronous", "off").unwrap();
    let reader = JournalReader::open(&place).unwrap();
    let body = |seq: u64| -> String {
        database
            .query_row("select body from events where seq = ?1", [seq.cast_signed()], |r| r.get(0))
            .unwrap()
    };
    let set = |seq: u64, text: &str| {
        database
            .execute("update events set body = ?2 where seq = ?1", (seq.cast_signed(), text))
            .unwrap();
    };
    for seq in 1..=finished.entries.len() as u64 {
        let whole = body(seq);
        for at in (0..whole.len()).step_by(3).filter(|at| whole.is_char_boundary(*at)) {
            let next = whole[at..].chars().next().unwrap();
            let other = if next == '7' { '8' } else { '7' };
            let rest = &whole[at + next.len_utf8()..];
            set(seq, &format!("{}{other}{rest}", &whole[..at]));
            match reader.entries(&finished.task, 0) {
                Err(ReadError::Damaged { seq: named, .. }) => assert_eq!(named, seq),
                other => panic!("event {seq}, byte {at}: {other:?}"),
            }
        }
        set(seq, &whole);
    }
    assert_eq!(reader.entries(&finished.task, 0), Ok(finished.entries));
}

#[test]
fn a_damaged_blob_is_refused() {
    let rig = Rig::new();
    assert!(rig.run().status.success());
    let output = ["show", "--last", "--step", "c", "--output"];
    assert!(rig.praxis(&output).output().unwrap().status.success());
    let shards = std::fs::read_dir(rig.data().join("blobs")).unwrap().flatten();
    let blobs = shards.flat_map(|shard| std::fs::read_dir(shard.path()).unwrap().flatten());
    let large = |place: &PathBuf| place.metadata().unwrap().len() > 65536;
    let place = blobs.map(|blob| blob.path()).find(large).unwrap();
    let mut content = std::fs::read(&place).unwrap();
    content[40_000] ^= 1;
    std::fs::write(&place, &content).unwrap();
    let refused = rig.praxis(&output).output().unwrap();
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && words.contains("is damaged"), "{words}");
    std::fs::write(&place, &content[..40_000]).unwrap();
    assert!(!rig.praxis(&output).output().unwrap().status.success());
}

#[test]
fn a_damaged_task_is_not_driven_and_does_not_stop_the_others() {
    let plan =
        r#"{plan_description: ask, steps: [{step_id: a, tool: look, parameters: {x: "{{y}}"}}]}"#;
    let tools = "{id: look, risk: read, command: {argv: [sh, -c, 'echo a >> CALLS; echo 1']}}";
    let rig = Rig::with(plan, tools);
    assert_eq!(rig.run().status.code(), Some(3));
    let asked = rig.last();
    let question = asked["questions"].as_object().unwrap().keys().next().unwrap().clone();
    let database = Connection::open(rig.data().join("praxis.db")).unwrap();
    database
        .execute_batch("update events set body = replace(body, 'a', 'b') where seq = 2")
        .unwrap();
    drop(database);
    let answered = rig.praxis(&["answer", &question, "x=1"]).output().unwrap();
    let words = String::from_utf8_lossy(&answered.stderr);
    assert!(!answered.status.success() && words.contains("damaged at event 2"), "{words}");
    assert!(rig.calls().is_empty());
    let other = "{plan_description: other, steps: [{step_id: a, tool: look}]}";
    std::fs::write(rig.path("plan.yaml"), other).unwrap();
    let run = rig.praxis(&["run", "plan.yaml", "--tools", "tools.yaml"]).output().unwrap();
    assert!(run.status.success(), "{run:?}");
}

#[test]
fn a_machine_without_certificates_runs_plans_that_need_none() {
    let rig = Rig::new();
    std::fs::write(rig.path("empty"), "").unwrap();
    let mut command = rig.praxis(&rig.run_words());
    command.env("SSL_CERT_FILE", rig.path("empty")).env("SSL_CERT_DIR", rig.path("nowhere"));
    let run = command.output().unwrap();
    assert!(run.status.success(), "{run:?}");
}
