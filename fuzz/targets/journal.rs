//! Any rows are folded or refused without a panic, and what is folded can be decided upon.
//!
//! A line is a row as the golden journals have it. Numbers and times of the rows are put right, so that the
//! rest of a row matters, unless the first line is `=`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use praxis_core::dataflow::resolve::Blobs;
use praxis_core::decide::begin::{begin, needs};
use praxis_core::decide::decide;
use praxis_core::journal::event::Entry;
use praxis_core::journal::read::read;
use praxis_core::lang::Lang;
use praxis_core::state::State;
use praxis_core::state::step::Status;
use praxis_core::time::At;
use praxis_core::view::account::Accounts;
use praxis_core::view::compare::compare;
use praxis_core::view::history::history;
use praxis_fuzz::task::{ToolSchemas, inputs, toolbox};
use serde::Deserialize;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mended = !text.starts_with("=\n");
    let lines = text.lines().skip(usize::from(!mended));
    let (mut state, mut legal) = (State::default(), vec![]);
    for line in lines {
        let Some(entry) = entry(line, mended.then_some(&state)) else { continue };
        let mut next = state.clone();
        if next.apply(&entry).is_ok() {
            look_at(&next);
            state = next;
            legal.push(entry);
        }
    }
    let folded = State::replay(&legal).expect("what was legal is legal again");
    assert_eq!(serde_json::to_value(&folded).ok(), serde_json::to_value(&state).ok());
    let accounts = Accounts::read(&legal).expect("what was legal is legal again");
    for step in &state.steps {
        let _ = (accounts.reasons(&step.plan.id), accounts.sent_shown(&step.plan.id));
    }
    assert_eq!(compare(&accounts, &accounts), [], "a task differs from itself");
    let _ = history(&legal, &accounts, Lang::En);
});

#[derive(Deserialize)]
struct Row<'a> {
    seq: u64,
    at: At,
    #[serde(borrow)]
    body: &'a RawValue,
}

fn entry(line: &str, mended: Option<&State>) -> Option<Entry> {
    let row: Row<'_> = serde_json::from_str(line).ok()?;
    let event = read(row.body.get()).ok()?;
    let written = serde_json::to_string(&event).expect("an event is JSON");
    assert_eq!(read(&written).as_ref(), Ok(&event), "{written}");
    Some(match mended {
        Some(state) => Entry { seq: state.seq + 1, at: At(state.at.0.saturating_add(1)), event },
        None => Entry { seq: row.seq, at: row.at, event },
    })
}

/// Everything that a driver asks of a state.
fn look_at(state: &State) {
    let _ = (state.status(), state.wake_at(), state.waits_for(), state.slots());
    let succeeded = state.steps.iter().filter(|step| step.status == Status::Success).count();
    assert_eq!(state.progress(), (succeeded, state.steps.len()));
    let toolbox = toolbox();
    let tools = ToolSchemas(toolbox);
    for effect in decide(state) {
        if needs(state, &effect).is_empty() {
            let _ = begin(state, &effect, &inputs(&Blobs::new(), &tools));
        }
    }
}
