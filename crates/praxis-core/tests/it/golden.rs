//! The journals of every release, folded by this version.
//!
//! `tests/golden/<release>/<name>.jsonl` holds the rows of one task as they were stored; `states.json` beside
//! them the fingerprint of the state after each row. `cargo xtask golden` records those of the present version.

use praxis_core::ask::purpose::Purpose;
use praxis_core::decide::decide;
use praxis_core::effect::{Effect, WorkKind};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::{CallOutcome, CheckVerdict, TaskEnding};
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::journal::read::read;
use praxis_core::replay::portrait::{fingerprint, portrait};
use praxis_core::state::State;
use praxis_core::time::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One task of one release.
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) entries: Vec<Entry>,
    /// The fingerprint after each entry.
    states: Vec<String>,
}

/// A row as it was stored.
#[derive(Deserialize)]
struct Row<'a> {
    seq: u64,
    at: Timestamp,
    #[serde(borrow)]
    body: &'a RawValue,
}

pub(crate) fn all() -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let releases = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<Golden> = releases.flat_map(|release| of_release(&release)).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn of_release(folder: &Path) -> Vec<Golden> {
    let states = std::fs::read_to_string(folder.join("states.json")).unwrap();
    let states: BTreeMap<String, Vec<String>> = serde_json::from_str(&states).unwrap();
    let release = folder.file_name().unwrap().to_string_lossy().into_owned();
    let golden = |(name, states): (String, Vec<String>)| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
        let entries = text.lines().map(entry).collect();
        Golden { name: format!("{release}/{name}"), entries, states }
    };
    let read: Vec<Golden> = states.into_iter().map(golden).collect();
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, read.len() + 1, "{release}: a journal without its states");
    read
}

fn entry(line: &str) -> Entry {
    let row: Row<'_> = serde_json::from_str(line).unwrap();
    Entry { seq: row.seq, at: row.at, event: read(row.body.get()).unwrap() }
}

// C-032
#[test]
fn the_journal_of_every_release_folds_to_the_states_it_had() {
    for golden in all() {
        let mut state = State::default();
        assert_eq!(golden.entries.len(), golden.states.len(), "{}", golden.name);
        for (entry, expected) in golden.entries.iter().zip(&golden.states) {
            let place = format!("{} after event {}", golden.name, entry.seq);
            state.apply(entry).unwrap_or_else(|illegal| panic!("{place}: {illegal}"));
            assert!(
                fingerprint(&state).starts_with(expected.as_str()),
                "{place} it is another state now: {:#}",
                portrait(&state)
            );
        }
    }
}

/// What the rules of a number decide.
fn decided_by(rules: u32, state: &State) -> Vec<Effect> {
    match rules {
        1 => decide(state),
        other => panic!("rules {other} are not kept"),
    }
}

#[test]
fn every_start_of_every_release_is_among_what_its_rules_decide() {
    let mut starts = 0;
    for golden in all() {
        let mut state = State::default();
        for entry in &golden.entries {
            if let Event::StepStarted { step, .. } | Event::CheckStarted { step } = &entry.event {
                let index = state.context.index_of(step.as_str()).unwrap();
                let decided = decided_by(state.submission.as_ref().unwrap().rules, &state);
                let wanted = match &entry.event {
                    Event::CheckStarted { .. } => Effect::Clarify(index),
                    _ if state.step_at(index).unwrap().plan.gathers() => Effect::Gather(index),
                    _ => Effect::Make(index),
                };
                let place = format!("{} at event {}", golden.name, entry.seq);
                assert!(decided.contains(&wanted), "{place}: {wanted:?} is not in {decided:?}");
                starts += 1;
            }
            if let Event::AskStarted { purpose, .. } = &entry.event {
                let decided = decided_by(state.submission.as_ref().unwrap().rules, &state);
                let index = purpose.step().and_then(|step| state.context.index_of(step.as_str()));
                let wanted = match (purpose, index) {
                    // What is too long is read before it is judged.
                    (Purpose::Extract { .. }, _) => Effect::Ask(Purpose::Evaluate),
                    (_, Some(index)) => Effect::Recover(index),
                    // A model is asked where words do not tell.
                    (Purpose::Select, None) => Effect::Work(WorkKind::Select),
                    (purpose, None) => Effect::Ask(purpose.clone()),
                };
                let place = format!("{} at event {}", golden.name, entry.seq);
                assert!(decided.contains(&wanted), "{place}: {wanted:?} is not in {decided:?}");
            }
            state.apply(entry).unwrap();
        }
    }
    assert!(starts > 50);
}

/// The words of an enum's variants, as serde itself lists them.
fn variants<T: for<'de> Deserialize<'de>>(wrong: &str) -> BTreeSet<String> {
    let Err(error) = serde_json::from_str::<T>(wrong) else { panic!("`{wrong}` was read") };
    let said = error.to_string();
    let (_, listed) = said.split_once("expected one of ").unwrap();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

// A new kind of event needs a journal that holds it: add a story to the recorder and run `cargo xtask golden`.
#[test]
fn every_kind_of_event_outcome_verdict_answer_and_ending_is_in_a_journal_of_some_release() {
    let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut note = |what, word: Option<String>| {
        seen.entry(what).or_default().extend(word);
    };
    for entry in all().iter().flat_map(|golden| &golden.entries) {
        let value = serde_json::to_value(&entry.event).unwrap();
        let word = |pointer: &str| value.pointer(pointer)?.as_str().map(str::to_owned);
        note("event", word("/kind"));
        note("verdict", word("/verdict/state"));
        note("answer", word("/answer/say"));
        note("ending", word("/ending/status"));
        let tag = value.pointer("/outcome").and_then(|outcome| outcome.as_object());
        note("outcome", tag.and_then(|map| map.keys().next().cloned()));
        note("outcome", word("/outcome"));
    }
    for (what, known) in [
        ("event", variants::<Event>(r#"{"kind":"?"}"#)),
        ("verdict", variants::<CheckVerdict>(r#"{"state":"?"}"#)),
        ("answer", variants::<QuestionAnswer>(r#"{"say":"?"}"#)),
        ("ending", variants::<TaskEnding>(r#"{"status":"?"}"#)),
        ("outcome", variants::<CallOutcome>(r#""?""#)),
    ] {
        let missing: Vec<_> = known.difference(&seen[what]).collect();
        assert!(missing.is_empty(), "no golden journal has the {what} {missing:?}");
    }
}
