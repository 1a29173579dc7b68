//! The experience file in memory: read when first needed, then only the lines that were added.
//!
//! - in: the file, which other processes write too
//! - out: the past tasks whose goals are most similar to a goal
//! - never: trusts that a file of the same name is the same file

use super::file::{MOST_LINES, count_lines, opened};
use super::line::{ExperienceLine, ForgottenPart, ReadLine, Removal};
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::case::{Case, PlanTemplate};
use praxis_core::journal::experience::ExperienceCategory;
use praxis_core::journal::memory::{PlanBarred, RecalledTask};
use praxis_core::time::Timestamp;
use praxis_engine::seams::RecallRequest;
use praxis_planner::retrieve::goals::GoalIndex;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The cases of successful tasks, by task and by goal.
#[derive(Default)]
pub(super) struct KnownCases {
    /// The file as it was read. Held open so that its inode number cannot be reused by another file.
    file: Option<File>,
    /// The offset up to which the file was read, at the end of a line.
    seen: u64,
    /// The number of lines read so far.
    lines: usize,
    kept: BTreeMap<TaskId, KnownCase>,
    /// The tasks of `kept` by line number: the oldest are dropped first.
    order: BTreeMap<usize, TaskId>,
    goals: BTreeMap<Tenant, GoalIndex>,
    /// The hash of a reused plan that failed or had to be changed, by the task that used it.
    misled: BTreeMap<TaskId, String>,
}

struct KnownCase {
    number: usize,
    tenant: Tenant,
    case: Case,
    at: Option<Timestamp>,
    summary: String,
}

impl KnownCases {
    /// Reads the lines added since the last call; the whole file if it was replaced.
    pub(super) fn catch_up(&mut self, path: &Path) -> io::Result<()> {
        let Some(file) = opened(path)? else {
            *self = Self::default();
            return Ok(());
        };
        let (now, before) = (file.metadata()?, self.file.as_ref().map(File::metadata));
        let same = match before.transpose()? {
            Some(before) => (before.dev(), before.ino()) == (now.dev(), now.ino()),
            None => false,
        };
        if !same || now.len() < self.seen {
            *self = Self::default();
        }
        let skipped =
            if self.seen == 0 { count_lines(path)?.saturating_sub(MOST_LINES) } else { 0 };
        let mut reader = BufReader::new(&file);
        reader.seek(SeekFrom::Start(self.seen))?;
        let mut line = Vec::new();
        // A line without a newline is still being written or was truncated: it is read again next time.
        while reader.read_until(b'\n', &mut line)? > 0 && line.last() == Some(&b'\n') {
            self.seen += line.len() as u64;
            self.lines += 1;
            if self.lines > skipped {
                self.take(&String::from_utf8_lossy(&line));
            }
            line.clear();
        }
        self.file = Some(file);
        self.let_the_oldest_go();
        Ok(())
    }

    fn take(&mut self, line: &str) {
        match ReadLine::read(line, self.lines) {
            Some(ReadLine::Taught(line)) => self.put(*line),
            Some(ReadLine::Removed(Removal { task_id, removed: ForgottenPart::Experience })) => {
                self.forget(&task_id);
            }
            Some(ReadLine::Removed(Removal { task_id, removed: ForgottenPart::Plan })) => {
                if let Some(kept) = self.kept.get_mut(&task_id) {
                    kept.case.plan = None;
                }
            }
            None => {}
        }
    }

    /// Stores an experience. It replaces the earlier one of the task even if it is not usable itself.
    fn put(&mut self, line: ExperienceLine) {
        let ExperienceLine { task_id, tenant, at, experience, .. } = line;
        self.forget(&task_id);
        let misled_by = experience.case.as_ref().and_then(|case| case.misled_by.clone());
        self.misled.extend(misled_by.map(|plan| (task_id.clone(), plan)));
        let worked =
            experience.category == ExperienceCategory::SolvingIdeas && !experience.defaulted;
        let Some(case) = experience.case.filter(|_| worked) else { return };
        self.goals.entry(tenant.clone()).or_default().put(&task_id, &case.goal);
        self.order.insert(self.lines, task_id.clone());
        let (number, summary) = (self.lines, experience.quick_summary);
        self.kept.insert(task_id, KnownCase { number, tenant, case, at, summary });
    }

    /// Drops the experience of a task.
    pub(super) fn forget(&mut self, task: &TaskId) {
        self.misled.remove(task);
        let Some(kept) = self.kept.remove(task) else { return };
        self.order.remove(&kept.number);
        if let Some(goals) = self.goals.get_mut(&kept.tenant) {
            goals.remove(task);
        }
    }

    fn let_the_oldest_go(&mut self) {
        let last = self.lines.saturating_sub(MOST_LINES);
        while let Some((number, task)) = self.order.first_key_value() {
            if *number > last {
                break;
            }
            let task = task.clone();
            self.forget(&task);
        }
    }

    /// Continues with the file that this process has just rewritten; the cases in memory are already up to date.
    pub(super) fn moved_to(&mut self, path: &Path) -> io::Result<()> {
        if self.file.is_none() {
            return Ok(());
        }
        let file = File::open(path)?;
        self.seen = file.metadata()?.len();
        self.file = Some(file);
        Ok(())
    }

    /// Returns true if a task reused the plan of a case and it failed or had to be changed.
    fn has_misled(&self, case: &Case) -> bool {
        if self.misled.is_empty() {
            return false;
        }
        let plan = case.plan.as_ref().map(PlanTemplate::hash);
        plan.is_some_and(|plan| self.misled.values().any(|misled| *misled == plan))
    }

    /// Returns the tasks with the most similar goals, the most similar first.
    pub(super) fn nearest(&self, asked: &RecallRequest<'_>) -> Vec<RecalledTask> {
        let goals = self.goals.get(asked.tenant);
        let near = goals.map(|goals| goals.nearest_and(asked.goal, asked.most, asked.named));
        let memory = |(task, similarity): (TaskId, u32)| {
            let kept = self.kept.get(&task)?;
            let (summary, case, at) = (kept.summary.clone(), kept.case.clone(), kept.at);
            let barred = self.has_misled(&case).then_some(PlanBarred::Failed);
            Some(RecalledTask { hash: case.hash(), task, similarity, summary, case, at, barred })
        };
        near.into_iter().flatten().filter_map(memory).collect()
    }
}
