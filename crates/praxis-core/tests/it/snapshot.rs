//! A snapshot gives back the state that was kept, or nothing.

use super::golden;
use praxis_core::dataflow::context::StepIndex;
use praxis_core::dataflow::template::ParameterTemplate;
use praxis_core::intake::plan::PlannedStep;
use praxis_core::journal::event::Entry;
use praxis_core::replay::snapshot::{read, write};
use praxis_core::state::State;
use praxis_core::state::step::Step;
use praxis_core::state::steps::Steps;
use serde_json::json;

/// The state after the first `count` entries, as it is kept.
fn kept(entries: &[Entry], count: usize) -> (State, Vec<u8>) {
    let state = State::replay(&entries[..count]).unwrap();
    let text = write(&state, &entries[count - 1]).unwrap();
    (state, text)
}

// C-032
#[test]
fn a_state_kept_after_any_event_is_given_back_equal_and_goes_on_equal() {
    for golden in golden::all() {
        let end = State::replay(&golden.entries).unwrap();
        for count in 1..=golden.entries.len() {
            let (state, text) = kept(&golden.entries, count);
            let from = &golden.entries[count - 1..];
            let back = read(&text).unwrap().continued(&from[..1]).unwrap().unwrap();
            assert!(back == state, "{} after {count}: {back:#?}", golden.name);
            let on = read(&text).unwrap().continued(from).unwrap().unwrap();
            assert!(on == end, "{} on from {count}: {on:#?}", golden.name);
        }
    }
}

#[test]
fn a_snapshot_that_was_cut_or_changed_is_none() {
    let golden = golden::all().into_iter().min_by_key(|golden| golden.entries.len()).unwrap();
    let (_, text) = kept(&golden.entries, golden.entries.len());
    for place in 0..text.len() {
        assert!(read(&text[..place]).is_none(), "cut at {place}");
        let mut changed = text.clone();
        changed[place] ^= 1;
        assert!(read(&changed).is_none(), "changed at {place}");
    }
    assert!(read(&text).is_some());
}

#[test]
fn a_snapshot_of_another_build_is_none() {
    let golden = golden::all().remove(0);
    let (_, mut text) = kept(&golden.entries, 1);
    let build = text.iter().position(|byte| *byte == b' ').unwrap();
    text.splice(..build, *b"0123456789abcdef");
    assert!(read(&text).is_none());
}

#[test]
fn a_snapshot_over_another_journal_is_none() {
    let journals = golden::all();
    let (one, other) = (&journals[0].entries, &journals[1].entries);
    let (_, text) = kept(one, 2);
    assert!(read(&text).unwrap().continued(&other[1..]).is_none(), "another task");
    assert!(read(&text).unwrap().continued(&one[2..]).is_none(), "an event too late");
    assert!(read(&text).unwrap().continued(&[]).is_none(), "a shorter journal");
}

#[test]
fn a_state_that_could_not_be_read_again_is_not_written() {
    let journals = golden::all();
    let entries = &journals[0].entries;
    let (mut state, text) = kept(entries, 2);
    assert!(read(&text).is_some());
    // A placeholder at the bottom of many objects: each level of it is three of the snapshot.
    for levels in 1..=100 {
        let mut value = json!("{{a}}");
        for _ in 0..levels {
            value = json!({ "[{\"": value });
        }
        let step = json!({"id": "deep", "tool": "t", "parameters": value});
        let step: PlannedStep = serde_json::from_value(step).unwrap();
        let template = ParameterTemplate::parse(&step.parameters, &state.context);
        state.steps = Steps::default();
        state.steps.add(StepIndex::at(0), Step::new(step, template));
        let written = write(&state, &entries[1]);
        assert!(written.as_deref().is_none_or(|text| read(text).is_some()), "{levels} levels");
        assert!(written.is_some() || levels > 30, "{levels} levels");
        assert!(written.is_none() || levels < 50, "{levels} levels");
    }
}
