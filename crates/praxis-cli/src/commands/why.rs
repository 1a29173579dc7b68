//! `praxis why`: the chain of origins of a step's values.

use super::follow::blob;
use crate::args::{Which, Why};
use crate::failure::Failure;
use crate::home::Desk;
use crate::view::text::{Paint, short};
use praxis_core::dataflow::resolve::{Blobs, blobs_needed};
use praxis_core::dataflow::why::{Reason, Source, reasons};
use praxis_core::ids::StepId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::state::State;
use std::process::ExitCode;
use std::sync::Arc;

/// How far back a chain is followed.
const DEEPEST: usize = 12;

pub(crate) fn run(desk: &Desk, why: &Why) -> Result<ExitCode, Failure> {
    let reader = desk.reader()?;
    let (task, wanted) = match (why.words.as_slice(), why.last) {
        ([step], true) => (None, step),
        ([task, step], _) => (Some(task.clone()), step),
        _ => {
            let words = (
                "give a task and STEP or STEP.PARAM, or --last and a step",
                "请给出任务和 STEP 或 STEP.PARAM，或 --last 和步骤",
            );
            return Err(Failure::usage("usage", words));
        }
    };
    let last = task.is_none();
    let task = desk.task(&reader, &Which { task, last })?;
    let entries = reader.entries(&task, 0)?;
    let state = State::replay(&entries).map_err(Failure::illegal)?;
    let (step, parameter) = split(&state, wanted)?;
    let teller = Teller { desk, entries: &entries, paint: Paint(desk.colors) };
    let found = origins(desk, &entries, &step)?;
    let matches =
        |reason: &&Reason| parameter.as_ref().is_none_or(|p| reason.pointer.starts_with(p));
    let chosen: Vec<&Reason> = found.iter().filter(matches).collect();
    if chosen.is_empty() {
        let words =
            (format!("step `{step}` has no such parameter"), format!("步骤 `{step}` 没有此参数"));
        let names: Vec<&str> = found.iter().map(|reason| reason.pointer.as_str()).collect();
        let names = names.join(", ");
        return Err(
            Failure::not_found(words).next((format!("it has {names}"), format!("它有 {names}")))
        );
    }
    if desk.json {
        for reason in chosen {
            out!("{}", serde_json::to_string(reason).unwrap_or_default());
        }
        return Ok(ExitCode::SUCCESS);
    }
    for reason in chosen {
        teller.tell(reason, 0)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `step_3.datasource_id` is a step and a JSON pointer; step ids may contain dots.
fn split(state: &State, wanted: &str) -> Result<(StepId, Option<String>), Failure> {
    let cuts = wanted.match_indices('.').map(|(cut, _)| cut).chain([wanted.len()]);
    for cut in cuts {
        let (step, rest) = wanted.split_at(cut);
        if state.step(step).is_some() {
            let pointer = rest.strip_prefix('.').map(|path| format!("/{}", path.replace('.', "/")));
            return Ok((StepId::from(step), pointer));
        }
    }
    Err(crate::commands::show::no_step(state, wanted))
}

struct Teller<'a> {
    desk: &'a Desk,
    entries: &'a [Entry],
    paint: Paint,
}

impl Teller<'_> {
    fn tell(&self, reason: &Reason, depth: usize) -> Result<(), Failure> {
        let indent = "  ".repeat(depth);
        let value =
            reason.value.as_ref().map_or_else(|| "(in a blob)".to_owned(), |v| short(v, 60));
        let name = reason.pointer.trim_start_matches('/');
        let source = self.words(&reason.source);
        let written = self.paint.faint(&reason.written);
        match reason.source {
            Source::Literal => out!("{indent}{name} = {value}  ← literal in the plan"),
            _ => out!("{indent}{name} = {value}  ← {written} {source}"),
        }
        let (Source::Runtime { step, .. } | Source::Result { step }) = &reason.source else {
            return Ok(());
        };
        if depth >= DEEPEST {
            return Ok(());
        }
        let tool = self.tool_of(step);
        out!("{indent}  {}", self.paint.faint(&format!("{step} called {tool} with")));
        for earlier in origins(self.desk, self.entries, step)? {
            self.tell(&earlier, depth + 2)?;
        }
        Ok(())
    }

    fn words(&self, source: &Source) -> String {
        match source {
            Source::Literal => "literal".to_owned(),
            Source::Initial => "initial metadata".to_owned(),
            Source::Runtime { step, shadows } if shadows.is_empty() => {
                format!("runtime metadata, written by {step}")
            }
            Source::Runtime { step, shadows } => {
                format!("runtime metadata, written by {step}; shadows {}", shadows.join(", "))
            }
            Source::Result { step } => format!("result of {step}"),
            Source::Person { by, question } => format!("given by {by} in answer to {question}"),
            Source::Override { by } => format!("override, set by {by} when the task was forked"),
            Source::Kept => "nothing has this name; the text stayed".to_owned(),
        }
    }

    fn tool_of(&self, step: &StepId) -> String {
        let state = State::replay(self.entries).unwrap_or_default();
        state.step(step.as_str()).map_or_else(|| "?".to_owned(), |step| step.tool().to_string())
    }
}

/// The origins of a step's arguments at the moment when it last started.
pub(crate) fn origins(
    desk: &Desk,
    entries: &[Entry],
    step: &StepId,
) -> Result<Vec<Reason>, Failure> {
    let started =
        entries.iter().rfind(|entry| starts(entry, step)).map_or(u64::MAX, |entry| entry.seq);
    let state = State::replay(entries.iter().take_while(|entry| entry.seq <= started))
        .map_err(Failure::illegal)?;
    let Some(found) = state.step(step.as_str()) else { return Ok(vec![]) };
    let mut blobs = Blobs::new();
    for id in blobs_needed(&found.template, &state.context) {
        let value = blob(desk, &id)?;
        blobs.insert(id, Arc::new(value));
    }
    Ok(reasons(&state, found, &blobs))
}

/// Whether an entry has the arguments of a step.
pub(crate) fn starts(entry: &Entry, step: &StepId) -> bool {
    match &entry.event {
        Event::StepStarted { step: started, .. } | Event::StepInherited { step: started, .. } => {
            started == step
        }
        _ => false,
    }
}
