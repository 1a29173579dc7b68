use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::sqlite::{Commits, JournalReader, SqliteJournal, TaskFilter};
use praxis_core::ids::TaskId;
use praxis_core::state::TaskStatus;
use praxis_engine::seams::Journal;
use praxis_testkit::conformance::{self, append};
use std::sync::Arc;

// C-032, A-081
#[tokio::test]
async fn sqlite_is_a_journal() {
    let folder = tempfile::tempdir().unwrap();
    let commits = Commits { most: 64, inline_single: true };
    let journal = SqliteJournal::open(&folder.path().join("praxis.db"), commits).unwrap();
    conformance::journal(&journal).await;
}

#[tokio::test]
async fn memory_is_a_journal() {
    conformance::journal(&praxis_testkit::memory::MemoryJournal::default()).await;
}

#[tokio::test]
async fn files_and_memory_are_blob_stores() {
    let folder = tempfile::tempdir().unwrap();
    conformance::blobs(&FileBlobs::open(folder.path()).unwrap()).await;
    conformance::blobs(&praxis_testkit::memory::MemoryBlobs::default()).await;
}

#[tokio::test]
async fn a_task_that_is_being_written_is_not_taken_for_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("praxis.db");
    let journal = SqliteJournal::open(&place, Commits { most: 64, inline_single: false }).unwrap();
    journal.append(Arc::new(append("task_busy", 0, 1))).await.unwrap();
    let reading = std::thread::spawn(move || {
        let reader = JournalReader::open(&place).unwrap();
        let mut last = 0;
        while last < 400 {
            let entries = reader.entries(&TaskId::from("task_busy"), 0).unwrap();
            last = entries.last().unwrap().seq;
        }
    });
    for after in 1..400 {
        journal.append(Arc::new(append("task_busy", after, 1))).await.unwrap();
    }
    reading.join().unwrap();
}

#[tokio::test]
async fn the_log_is_emptied_by_itself_and_stays_short() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("praxis.db");
    let journal = SqliteJournal::open(&place, Commits { most: 64, inline_single: true }).unwrap();
    let log = || std::fs::metadata(folder.path().join("praxis.db-wal")).unwrap().len();
    let (mut longest, mut lengths) = (0, std::collections::BTreeSet::new());
    for seq in 0..3000 {
        let mut append = append("task_long", seq, 1);
        append.entries[0].body =
            format!(r#"{{"kind":"woken","by":"{}"}}"#, seq.to_string().repeat(4000));
        journal.append(Arc::new(append)).await.unwrap();
        longest = longest.max(log());
        lengths.insert(log());
    }
    // Without emptying it would be three times as long; without room it would grow with every commit.
    assert!(longest < 20 * 1024 * 1024, "{longest} bytes");
    assert!(lengths.len() < 100, "{} lengths", lengths.len());
    assert_eq!(
        JournalReader::open(&place).unwrap().entries(&"task_long".into(), 0).unwrap().len(),
        3000
    );
}

#[tokio::test]
async fn a_list_gives_each_status_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("praxis.db");
    let journal = SqliteJournal::open(&place, Commits { most: 64, inline_single: true }).unwrap();
    let all = ["pending", "planning", "executing", "evaluating", "reflecting", "waiting"];
    let all = all.into_iter().chain(["completed", "failed", "cancelled"]);
    let all: Vec<TaskStatus> = all.map(|word| TaskStatus::of_word(word).unwrap()).collect();
    for (at, status) in all.iter().enumerate() {
        let mut append = append(&format!("task_{at}"), 0, 1);
        append.row.status = *status;
        journal.append(Arc::new(append)).await.unwrap();
    }
    let listed =
        JournalReader::open(&place).unwrap().list(&TaskFilter { status: None, most: 20 }).unwrap();
    let listed: Vec<TaskStatus> = listed.into_iter().rev().map(|task| task.status).collect();
    assert_eq!(listed, all);
}
