//! The experience file: one JSON line per finished task. Derived from the journal: it can be lost and rebuilt.
//!
//! - in: experiences and removals, appended; only erasing a task rewrites the file
//! - out: the current experiences: the last line of each task counts
//! - never: loses a line of another process, or lets a truncated line spoil the next one

use super::known::KnownCases;
use super::line::{ExperienceLine, ForgottenPart, ReadLine, Removal};
use praxis_core::ids::TaskId;
use praxis_core::journal::memory::RecalledTask;
use praxis_engine::seams::{Experiences, RecallRequest, TaughtExperience};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of lines that are read; older lines count as forgotten.
pub const MOST_LINES: usize = 100_000;

/// The experience file of a data folder.
pub struct ExperienceFile {
    path: PathBuf,
    known: Mutex<KnownCases>,
}

/// The content of an experience file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperienceLines {
    /// The current experiences, oldest first.
    pub read: Vec<ExperienceLine>,
    /// The numbers of the unreadable lines, counted from 1.
    pub unread: Vec<usize>,
}

impl ExperienceFile {
    /// Uses the file at a path; the first write creates it.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), known: Mutex::default() }
    }

    /// Appends an experience.
    pub fn append(&self, line: &ExperienceLine) -> io::Result<()> {
        self.add(line)
    }

    /// Appends the removal of a task's experience, or of its plan only.
    pub fn remove(&self, task: &TaskId, removed: ForgottenPart) -> io::Result<()> {
        self.add(&Removal { task_id: task.clone(), removed })
    }

    /// Appends a line in one write. A truncated last line is ended first, so that it does not swallow this one.
    fn add(&self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        let _alone = self.alone()?;
        let mut file = File::options().create(true).append(true).read(true).open(&self.path)?;
        if is_torn(&mut file)? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())
    }

    /// Locks the file against writes of other processes until the returned file is dropped.
    fn alone(&self) -> io::Result<File> {
        let path = self.path.with_extension("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(path)?;
        lock.lock()?;
        Ok(lock)
    }

    /// Rewrites the file without the lines of a task; all other lines stay, even unreadable ones.
    fn without(&self, task: &TaskId) -> io::Result<()> {
        let mut known = self.known();
        if !self.path.exists() {
            return Ok(());
        }
        let _alone = self.alone()?;
        known.catch_up(&self.path)?;
        let bytes = std::fs::read(&self.path)?;
        let text = String::from_utf8_lossy(&bytes);
        let is_of_task = |line: &&str| {
            let line = serde_json::from_str::<Value>(line).unwrap_or_default();
            line.get("task_id").and_then(Value::as_str) == Some(task.as_str())
        };
        if !text.lines().any(|line| is_of_task(&line)) {
            return Ok(());
        }
        let rest: String =
            text.lines().filter(|line| !is_of_task(line)).map(|line| format!("{line}\n")).collect();
        let beside = self.path.with_extension("new");
        let mut file = File::create(&beside)?;
        file.write_all(rest.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.path)?;
        known.forget(task);
        known.moved_to(&self.path)
    }

    /// Reads the current experiences and the numbers of the unreadable lines.
    pub fn read(&self) -> io::Result<ExperienceLines> {
        let mut unread = Vec::new();
        let mut taught: BTreeMap<TaskId, (usize, ExperienceLine)> = BTreeMap::new();
        let Some(file) = opened(&self.path)? else { return Ok(ExperienceLines::default()) };
        let skipped = count_lines(&self.path)?.saturating_sub(MOST_LINES);
        for (index, line) in BufReader::new(file).split(b'\n').enumerate().skip(skipped) {
            let line = line?;
            let (line, number) = (String::from_utf8_lossy(&line), index + 1);
            if line.trim().is_empty() {
                continue;
            }
            match ReadLine::read(&line, number) {
                Some(ReadLine::Taught(line)) => {
                    taught.insert(line.task_id.clone(), (number, *line));
                }
                Some(ReadLine::Removed(removal)) => take_back(&mut taught, &removal),
                None => unread.push(number),
            }
        }
        let mut read: Vec<(usize, ExperienceLine)> = taught.into_values().collect();
        read.sort_by_key(|(number, _)| *number);
        Ok(ExperienceLines { read: read.into_iter().map(|(_, line)| line).collect(), unread })
    }

    fn known(&self) -> MutexGuard<'_, KnownCases> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.path.display())
    }
}

fn take_back(taught: &mut BTreeMap<TaskId, (usize, ExperienceLine)>, removal: &Removal) {
    match removal.removed {
        ForgottenPart::Experience => {
            taught.remove(&removal.task_id);
        }
        ForgottenPart::Plan => {
            let line = taught.get_mut(&removal.task_id).map(|(_, line)| line);
            if let Some(case) = line.and_then(|line| line.experience.case.as_mut()) {
                case.plan = None;
            }
        }
    }
}

/// Opens a file; returns `None` if it does not exist.
pub(super) fn opened(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}

/// Counts the lines of a file, including a last line without a newline.
pub(super) fn count_lines(path: &Path) -> io::Result<usize> {
    let Some(file) = opened(path)? else { return Ok(0) };
    let mut count = 0;
    for line in BufReader::new(file).split(b'\n') {
        line?;
        count += 1;
    }
    Ok(count)
}

/// Returns true if the last line has no newline: its writer died in the middle of it.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

impl Experiences for ExperienceFile {
    fn keep(&self, taught: &TaughtExperience<'_>) -> Result<(), String> {
        let TaughtExperience { tenant, task, seq, at, experience } = *taught;
        let line = ExperienceLine {
            evaluation_id: format!("{task}/{seq}"),
            task_id: task.clone(),
            tenant: tenant.clone(),
            at: Some(at),
            experience: experience.clone(),
        };
        self.append(&line).map_err(|error| self.named(&error))
    }

    fn forget(&self, task: &TaskId) -> Result<(), String> {
        self.without(task).map_err(|error| self.named(&error))
    }

    fn recall(&self, asked: &RecallRequest<'_>) -> Result<Vec<RecalledTask>, String> {
        let mut known = self.known();
        known.catch_up(&self.path).map_err(|error| self.named(&error))?;
        Ok(known.nearest(asked))
    }
}
