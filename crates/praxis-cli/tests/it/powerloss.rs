//! Promise P8: what was acknowledged is there after a power loss, which keeps only what was synced.

use crate::disk::{Dice, Disk};
use crate::record::{Op, record};
use crate::rig::Rig;
use crate::strace;
use praxis_adapters::blobs;
use praxis_adapters::sqlite::{Commits, JournalReader, SqliteJournal};
use praxis_core::ids::TaskId;
use std::collections::BTreeMap;
use std::path::Path;

/// Power losses in the ordinary tests; `cargo xtask powerloss` tries many more.
const SEEDS: u64 = 200;

/// What a run asked of the disk, and what the disk held before it.
struct Recording {
    before: Rig,
    ops: Vec<Op>,
}

impl Recording {
    /// A run on a new folder, or on one that has been used.
    fn of(used: bool) -> Self {
        let (rig, before) = (Rig::new(), Rig::new());
        if used {
            let run = rig.praxis(&["run", "plan.yaml", "--tools", "tools.yaml"]).output().unwrap();
            assert!(run.status.success(), "{run:?}");
            crate::rig::copy(&rig.data(), &before.data());
        }
        let (ops, code) = record(&rig, &[]);
        assert_eq!(code, Some(0));
        let told = ops.iter().filter(|op| matches!(op, Op::Told { .. })).count();
        assert!(told >= 12, "only {told} events were told");
        Self { before, ops }
    }

    /// Loses the power once for each seed; says what was lost.
    fn lose_power(&self, seeds: std::ops::Range<u64>) -> Vec<String> {
        seeds.filter_map(|seed| self.lose_power_once(seed).err()).collect()
    }

    fn lose_power_once(&self, seed: u64) -> Result<(), String> {
        let mut dice = Dice::new(seed);
        let cut = dice.below(self.ops.len() + 1);
        let mut disk = Disk::holding(&self.before.path(""));
        let mut told = BTreeMap::new();
        for op in &self.ops[..cut] {
            disk.take(op);
            if let Op::Told { task, seq } = op {
                told.insert(TaskId::from(task.as_str()), *seq);
            }
        }
        let left = folder_in_memory();
        let of_ten = [0, 5, 9, 10][dice.below(4)];
        disk.fail(left.path(), &mut dice, of_ten);
        check(&left.path().join("data"), &told)
            .map_err(|lost| format!("seed {seed}, cut {cut}, kept {of_ten}/10: {lost}"))
    }
}

/// What stands for a disk here need not be on one.
fn folder_in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Opens what is left and looks for every event that was told, and for what these name.
fn check(data: &Path, told: &BTreeMap<TaskId, u64>) -> Result<(), String> {
    let database = data.join("praxis.db");
    if told.is_empty() && !database.exists() {
        return Ok(());
    }
    let _recovered = SqliteJournal::open(&database, Commits { most: 1, inline_single: false })
        .map_err(|error| error.to_string())?;
    let reader = JournalReader::open(&database).map_err(|error| error.to_string())?;
    for (task, seq) in told {
        let entries = reader.entries(task, 0).map_err(|error| error.to_string())?;
        if (entries.len() as u64) < *seq {
            return Err(format!("event {seq} of {task} was told, and {} are left", entries.len()));
        }
        for id in entries.iter().take(usize::try_from(*seq).unwrap()).flat_map(|e| e.event.blobs())
        {
            blobs::read(&data.join("blobs"), &id).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn seeds() -> u64 {
    let wanted = std::env::var_os("PRAXIS_POWERLOSS_SEEDS");
    wanted.and_then(|seeds| seeds.to_str()?.parse().ok()).unwrap_or(SEEDS)
}

#[test]
fn no_acknowledged_event_is_lost_with_the_power() {
    if !strace::is_here() {
        return;
    }
    for used in [false, true] {
        let lost = Recording::of(used).lose_power(0..seeds());
        assert!(lost.is_empty(), "{} losses, such as\n{}", lost.len(), lost[0]);
    }
}

#[test]
fn the_disk_would_show_that_a_sync_is_missing() {
    if !strace::is_here() {
        return;
    }
    let whole = Recording::of(false);
    let without = |missing: &dyn Fn(&Path) -> bool| {
        let forget = |op: &Op| match op {
            Op::Sync { path, .. } if missing(path) => Op::Sync { path: path.clone(), upto: 0 },
            other => other.clone(),
        };
        let ops = whole.ops.iter().map(forget).collect();
        Recording { before: Rig::new(), ops }.lose_power(0..SEEDS).len()
    };
    // As with `synchronous = normal`.
    assert!(without(&|path| path.ends_with("praxis.db-wal")) > 0);
    assert!(without(&|path| path.ends_with("data")) > 0);
    assert!(without(&|path| path.ends_with("")) > 0);
    assert!(without(&|path| path.starts_with("data/blobs") && path.iter().count() < 4) > 0);
    assert!(without(&|path| path.starts_with("data/blobs") && path.iter().count() == 4) > 0);
}
