//! `praxis test`: recorded tasks as regression tests.
//!
//! - in: a task of the data folder; files `NAME.json` with the journal of a task and its blobs
//! - out: the result of replaying each test, with the first divergence
//! - never: makes a call, or needs the data folder to run a test

use super::follow::blob;
use super::recorded::{self, difference};
use crate::args::TaskChoice;
use crate::args_test::{Test, TestAdd, TestCommand};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::view::text::{Paint, counted, cut, pad};
use praxis_core::ids::BlobId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::replay::{Divergence, ReplayError, ReplaySummary};
use praxis_core::state::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Version of the file format.
const FORM: u32 = 1;

/// A recorded task with everything that a replay needs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedTask {
    praxis_test: u32,
    goal: String,
    entries: Vec<Entry>,
    blobs: BTreeMap<BlobId, Value>,
}

pub(crate) fn run(context: &CliContext, test: &Test) -> Result<ExitCode, CommandFailure> {
    let dir = &test.dir;
    match &test.what {
        TestCommand::Add(add) => self::add(context, dir, add),
        TestCommand::Run { names } => run_all(context, dir, names),
        TestCommand::List => list(context, dir),
        TestCommand::Update { name } => update(context, dir, name),
        TestCommand::Rm { name } => {
            let path = place(dir, name)?;
            read(&path, name)?;
            std::fs::remove_file(&path).map_err(|error| broken(&path, &error))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

impl RecordedTask {
    fn decided_anew(&self) -> Result<ReplaySummary, ReplayError> {
        recorded::decided_anew(&self.entries, |id| self.blobs.get(id).cloned())
    }
}

fn add(context: &CliContext, dir: &Path, add: &TestAdd) -> Result<ExitCode, CommandFailure> {
    let (task, name) = match (add.words.as_slice(), add.last) {
        ([task], false) => (Some(task.clone()), None),
        ([task, name], false) => (Some(task.clone()), Some(name.clone())),
        ([], true) => (None, None),
        ([name], true) => (None, Some(name.clone())),
        _ => {
            let words = ("give a task, or --last", "请给出任务，或 --last");
            return Err(CommandFailure::usage("usage", words));
        }
    };
    let reader = context.reader()?;
    let task = context.task(&reader, &TaskChoice { last: task.is_none(), task })?;
    let entries = reader.entries(&task, 0)?;
    let state = State::replay(&entries).map_err(CommandFailure::illegal)?;
    let mut blobs = BTreeMap::new();
    for id in entries.iter().flat_map(|entry| entry.event.blobs()) {
        if is_document(&state, &id) {
            continue;
        }
        let value = blob(context, &id)?;
        blobs.insert(id, value);
    }
    let goal = state.submission.as_ref().map(|s| s.goal.clone()).unwrap_or_default();
    let recorded = RecordedTask { praxis_test: FORM, goal, entries, blobs };
    // A task that diverges already cannot serve as a test.
    let same = recorded.decided_anew().map_err(|error| recorded::failure(&error))?;
    let name = name.unwrap_or_else(|| task.to_string());
    let path = place(dir, &name)?;
    if path.exists() {
        let words = (format!("test `{name}` already exists"), format!("测试 `{name}` 已存在"));
        return Err(CommandFailure::usage("duplicate_test", words));
    }
    write(&path, &recorded)?;
    let shown = path.display().to_string();
    if context.json {
        out!("{}", json!({"test": name, "file": shown, "same": same}));
    } else {
        out!("{shown}");
        note!("{}praxis test run {name}", context.say("  next    ", "  下一步  "));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns true if the blob is the plan document, which is stored as text and not needed by any decision.
fn is_document(state: &State, id: &BlobId) -> bool {
    state.submission.as_ref().is_some_and(|s| s.document.as_ref() == Some(id))
}

fn run_all(context: &CliContext, dir: &Path, names: &[String]) -> Result<ExitCode, CommandFailure> {
    let names = if names.is_empty() { all(dir)? } else { names.to_vec() };
    if names.is_empty() {
        let shown = dir.display();
        let words = (format!("no tests in {shown}"), format!("{shown} 中没有测试"));
        let next = (
            "create one with `praxis test add --last NAME`",
            "用 `praxis test add --last NAME` 创建",
        );
        return Err(CommandFailure::not_found(words).next(next));
    }
    let mut parted = 0_usize;
    for name in &names {
        let recorded = read(&place(dir, name)?, name)?;
        match recorded.decided_anew() {
            Ok(same) => tell_same(context, name, same),
            Err(ReplayError::Diverged(found)) => {
                parted += 1;
                tell_parted(context, name, &found);
            }
            Err(error) => return Err(recorded::failure(&error)),
        }
    }
    if parted == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let words = (
        format!("{parted} of {} diverged from the recording", counted(names.len(), "test")),
        format!("{} 个测试中有 {parted} 个与记录不同", names.len()),
    );
    let next = (
        "if the change is intended, run `praxis test update NAME`",
        "如属预期变化，运行 `praxis test update NAME`",
    );
    Err(CommandFailure::new(Exit::Diverged, "replay_diverged", words).next(next))
}

fn tell_same(context: &CliContext, name: &str, same: ReplaySummary) {
    if context.json {
        return out!("{}", json!({"test": name, "same": same}));
    }
    let words = recorded::told_same(context, same);
    out!("{} {}  {words}", Paint(context.colors).green("✔"), pad(name, 24));
}

fn tell_parted(context: &CliContext, name: &str, found: &Divergence) {
    if context.json {
        return out!("{}", json!({"test": name, "diverged": found}));
    }
    let (seq, both) = (found.seq, difference(found, context.lang));
    let en = format!("event {seq} differs from the recording{both}");
    let words = context.say(en, format!("事件 {seq} 与记录不同{both}"));
    out!("{} {}  {words}", Paint(context.colors).red("✘"), pad(name, 24));
}

fn list(context: &CliContext, dir: &Path) -> Result<ExitCode, CommandFailure> {
    for name in all(dir)? {
        let recorded = read(&place(dir, &name)?, &name)?;
        if context.json {
            out!(
                "{}",
                json!({"test": name, "goal": recorded.goal, "events": recorded.entries.len()})
            );
        } else {
            out!("{}  {:>5}  {}", pad(&name, 24), recorded.entries.len(), cut(&recorded.goal, 60));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Replaces the diverging event by the current decision. Later events are dropped, because they followed from the old
/// decision.
fn update(context: &CliContext, dir: &Path, name: &str) -> Result<ExitCode, CommandFailure> {
    let path = place(dir, name)?;
    let mut recorded = read(&path, name)?;
    let found = match recorded.decided_anew() {
        Ok(same) => {
            tell_same(context, name, same);
            return Ok(ExitCode::SUCCESS);
        }
        Err(ReplayError::Diverged(found)) => found,
        Err(error) => return Err(recorded::failure(&error)),
    };
    tell_parted(context, name, &found);
    let at = recorded.entries.iter().find(|entry| entry.seq == found.seq).map(|entry| entry.at);
    recorded.entries.retain(|entry| entry.seq < found.seq);
    let now: Option<Event> = serde_json::from_value(found.now.clone()).ok();
    recorded.entries.extend(at.zip(now).map(|(at, event)| Entry { seq: found.seq, at, event }));
    let same = recorded.decided_anew().map_err(|error| recorded::failure(&error))?;
    write(&path, &recorded)?;
    tell_same(context, name, same);
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of all tests, sorted.
fn all(dir: &Path) -> Result<Vec<String>, CommandFailure> {
    let listed = match std::fs::read_dir(dir) {
        Ok(listed) => listed,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(broken(dir, &error)),
    };
    let paths = listed.flatten().map(|entry| entry.path());
    let is_test = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let names = paths
        .filter(is_test)
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

fn place(dir: &Path, name: &str) -> Result<PathBuf, CommandFailure> {
    let is_plain = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !is_plain {
        let words = (format!("invalid test name `{name}`"), format!("测试名 `{name}` 无效"));
        return Err(CommandFailure::usage("bad_id", words));
    }
    Ok(dir.join(format!("{name}.json")))
}

fn read(path: &Path, name: &str) -> Result<RecordedTask, CommandFailure> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let words = (format!("test `{name}` not found"), format!("找不到测试 `{name}`"));
            CommandFailure::not_found(words)
                .next(("list the tests with `praxis test list`", "用 `praxis test list` 列出测试"))
        }
        _ => broken(path, &error),
    })?;
    let recorded: RecordedTask =
        serde_json::from_slice(&bytes).map_err(|error| broken(path, &error))?;
    if recorded.praxis_test > FORM {
        return Err(unusable(path, ("written by a newer praxis", "由较新的 praxis 写入")));
    }
    Ok(recorded)
}

fn write(path: &Path, recorded: &RecordedTask) -> Result<(), CommandFailure> {
    let text = serde_json::to_string_pretty(recorded).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text + "\n"));
    written.map_err(|error| broken(path, &error))
}

fn broken(path: &Path, error: &impl ToString) -> CommandFailure {
    let why = error.to_string();
    unusable(path, (&why, &why))
}

fn unusable(path: &Path, (en, zh): (&str, &str)) -> CommandFailure {
    let shown = path.display();
    let words = (format!("cannot use {shown}: {en}"), format!("无法使用 {shown}：{zh}"));
    CommandFailure::usage("test_unusable", words)
}
