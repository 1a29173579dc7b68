//! Promise P6: after the first sync that failed, nothing more is acknowledged.

use crate::disk::{Dice, Disk};
use crate::kill::{take_up, used};
use crate::record::{Op, record};
use crate::rig::{Rig, copy, statuses};
use crate::strace;
use praxis_adapters::sqlite::JournalReader;
use praxis_core::ids::TaskId;

/// Lets the sync with a number fail; false if there was none.
fn fail_at(number: usize) -> bool {
    let (rig, before) = (Rig::new(), Rig::new());
    used(&rig);
    copy(&rig.data(), &before.data());
    let (ops, code) = record(&rig, &words(&rig, number));
    if code == Some(0) {
        return false;
    }
    let said = std::fs::read_to_string(rig.path("stderr")).unwrap();
    assert_eq!(code, Some(7), "sync {number}: {said}");
    assert!(said.contains("the journal stopped"), "sync {number}: {said}");
    let mut disk = Disk::holding(&before.path(""));
    for op in &ops {
        disk.take(op);
    }
    let left = tempfile::tempdir().unwrap();
    disk.fail(left.path(), &mut Dice::new(1), 0);
    assert_told_is_left(&ops, left.path(), number);
    let lost = statuses(&rig.last()).get("b").is_some_and(|status| status == "RUNNING");
    take_up(&rig, &format!("sync {number} failed"), lost);
    true
}

/// Only the log and what is told are looked at; only syncs of the log can fail.
fn words(rig: &Rig, number: usize) -> Vec<String> {
    let fault = format!("inject=fsync,fdatasync:error=EIO:when={number}");
    let log = rig.data().join("praxis.db-wal").display().to_string();
    let told = rig.path("told").display().to_string();
    ["-e".to_owned(), fault, "-P".to_owned(), log, "-P".to_owned(), told].to_vec()
}

/// What was told is on the disk even if the failed sync lost everything that it was for.
fn assert_told_is_left(ops: &[Op], left: &std::path::Path, number: usize) {
    let told = ops.iter().filter_map(|op| match op {
        Op::Told { task, seq } => Some((TaskId::from(task.as_str()), *seq)),
        _ => None,
    });
    let Some((task, seq)) = told.max_by_key(|(_, seq)| *seq) else { return };
    let entries = JournalReader::open(&left.join("data/praxis.db")).unwrap().entries(&task, 0);
    let entries = entries.unwrap_or_else(|error| panic!("sync {number}: {error}"));
    assert!(entries.len() as u64 >= seq, "sync {number}: event {seq} was told after it failed");
}

#[test]
fn nothing_is_acknowledged_after_a_sync_that_failed() {
    if strace::is_here() {
        let failed = (1..100).take_while(|number| fail_at(*number)).count();
        println!("{failed} failed syncs");
        assert!(failed > 3);
    }
}
