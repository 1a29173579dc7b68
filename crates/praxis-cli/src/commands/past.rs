//! `praxis diff`, `replay`, `export`: looks at what was recorded.

use super::follow::blob;
use crate::args::{Diff, Export, Which};
use crate::failure::{Exit, Failure};
use crate::home::Desk;
use crate::say::print_out;
use crate::view::text::{Paint, short};
use praxis_adapters::sqlite::Reader;
use praxis_core::ask::tokens::Estimate;
use praxis_core::call::schema::Schema;
use praxis_core::call::tool::Tool;
use praxis_core::execute::start::Schemas;
use praxis_core::fault::FieldError;
use praxis_core::finalize::account::Accounts;
use praxis_core::finalize::compare::compare;
use praxis_core::finalize::history::history;
use praxis_core::goal::library::Library;
use praxis_core::ids::{BlobId, TaskId, ToolId};
use praxis_core::journal::event::Entry;
use praxis_core::journal::replay::{self, ReplayError};
use praxis_core::state::State;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::ExitCode;

fn load(desk: &Desk, reader: &Reader, which: &Which) -> Result<(Vec<Entry>, State), Failure> {
    let entries = reader.entries(&desk.task(reader, which)?, 0)?;
    let state = State::replay(&entries).map_err(Failure::illegal)?;
    Ok((entries, state))
}

/// Compares two tasks. Exit 0 whether they differ or not: the output says.
pub(crate) fn diff(desk: &Desk, diff: &Diff) -> Result<ExitCode, Failure> {
    let reader = desk.reader()?;
    let (left, right) = pair(desk, &reader, diff)?;
    let accounts =
        |task: &TaskId| Accounts::read(&reader.entries(task, 0)?).map_err(Failure::illegal);
    let differences = compare(&accounts(&left)?, &accounts(&right)?);
    let paint = Paint(desk.colors);
    if desk.json {
        for difference in &differences {
            out!("{}", serde_json::to_string(difference).unwrap_or_default());
        }
        return Ok(ExitCode::SUCCESS);
    }
    out!("{} {left}\n{} {right}", paint.red("-"), paint.green("+"));
    for difference in &differences {
        let step = difference.step.as_ref().map(|step| format!("{step}: ")).unwrap_or_default();
        out!("{step}{}", paint.bold(&difference.what));
        out!("  {} {}", paint.red("-"), short(&difference.left, 160));
        out!("  {} {}", paint.green("+"), short(&difference.right, 160));
    }
    if differences.is_empty() {
        out!("{}", desk.say("no difference", "没有差别"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The tasks to compare: two words, one and the last task, or a fork that came last and its parent.
fn pair(desk: &Desk, reader: &Reader, diff: &Diff) -> Result<(TaskId, TaskId), Failure> {
    let named = |task: &str| desk.task(reader, &Which { task: Some(task.to_owned()), last: false });
    let last = || desk.task(reader, &Which { task: None, last: true });
    match (diff.tasks.as_slice(), diff.last) {
        ([left, right], false) => Ok((named(left)?, named(right)?)),
        ([left], true) => Ok((named(left)?, last()?)),
        ([], true) => {
            let fork = last()?;
            let state = State::replay(&reader.entries(&fork, 0)?).map_err(Failure::illegal)?;
            let parent = state.submission.as_ref().and_then(|s| s.parent.as_ref());
            let none = || {
                let words = ("the last task is no fork", "最后的任务不是分叉");
                Failure::usage("usage", words).next(("name another task too", "请再给出另一个任务"))
            };
            Ok((parent.map(|parent| parent.task.clone()).ok_or_else(none)?, fork))
        }
        _ => {
            let words = (
                "give two tasks, or one and --last, or --last alone for a fork",
                "请给出两个任务，或一个任务和 --last，或对分叉只给 --last",
            );
            Err(Failure::usage("usage", words))
        }
    }
}

/// The execution history, or the journal itself.
pub(crate) fn export(desk: &Desk, export: &Export) -> Result<ExitCode, Failure> {
    let reader = desk.reader()?;
    let entries = reader.entries(&desk.task(&reader, &export.which)?, 0)?;
    if export.md {
        let accounts = Accounts::read(&entries).map_err(Failure::illegal)?;
        print_out(&history(&entries, &accounts, desk.lang));
        return Ok(ExitCode::SUCCESS);
    }
    State::replay(&entries).map_err(Failure::illegal)?;
    for entry in &entries {
        out!("{}", serde_json::to_string(entry).unwrap_or_default());
    }
    Ok(ExitCode::SUCCESS)
}

/// Decides a task anew.
pub(crate) fn replay(desk: &Desk, which: &Which) -> Result<ExitCode, Failure> {
    let (entries, state) = load(desk, &desk.reader()?, which)?;
    let schemas = PinnedSchemas::read(desk, &state)?;
    let read = |id: &BlobId| blob(desk, id).ok();
    let library = state.brief().and_then(|brief| Library::read(brief, read));
    let tokens = Estimate::default();
    let ground = replay::Ground { schemas: &schemas, library: library.as_ref(), tokens: &tokens };
    let replayed = replay::replay(&entries, &ground, read);
    match replayed {
        Ok(same) => {
            if desk.json {
                out!("{}", serde_json::to_string(&same).unwrap_or_default());
            } else {
                out!("the same: {} decisions from {} answers", same.decisions, same.answers);
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(ReplayError::Diverged(divergence)) => {
            if desk.json {
                out!("{}", serde_json::to_string(&divergence).unwrap_or_default());
            }
            let (recorded, now) = (short(&divergence.recorded, 200), short(&divergence.now, 200));
            let seq = divergence.seq;
            let both = format!("\n  recorded {recorded}\n  now      {now}");
            let words = (
                format!("event {seq} is decided otherwise{both}"),
                format!("事件 {seq} 的决定与记录不同{both}"),
            );
            Err(Failure::new(Exit::Diverged, "replay_diverged", words))
        }
        Err(error @ (ReplayError::Illegal(_) | ReplayError::Blob(_))) => {
            Err(impossible(error.to_string()))
        }
    }
}

fn impossible(said: String) -> Failure {
    let words = (said.clone(), format!("无法重放：{said}"));
    Failure::new(Exit::TaskFailed, "replay_impossible", words)
}

/// The schemas of the tools that a task was pinned to, from their blobs.
struct PinnedSchemas(BTreeMap<ToolId, (Tool, Schema)>);

impl PinnedSchemas {
    fn read(desk: &Desk, state: &State) -> Result<Self, Failure> {
        let mut found = BTreeMap::new();
        for contract in state.contracts.values() {
            let manifest = blob(desk, &contract.version)?;
            let tool: Tool =
                serde_json::from_value(manifest).map_err(|e| impossible(e.to_string()))?;
            let schema = Schema::compile(&tool.input_schema).map_err(impossible)?;
            found.insert(contract.tool.clone(), (tool, schema));
        }
        Ok(Self(found))
    }
}

impl Schemas for PinnedSchemas {
    fn input_schema(&self, tool: &ToolId) -> Option<&Value> {
        self.0.get(tool).map(|(tool, _)| &tool.input_schema)
    }

    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError> {
        self.0.get(tool).map_or(vec![], |(_, schema)| schema.errors(arguments))
    }
}
