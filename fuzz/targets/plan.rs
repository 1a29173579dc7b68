//! Any document is read, checked and refused with reasons; a checked plan can be folded and run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use praxis_core::document::{Format, read};
use praxis_core::intake::{check, plan};
use praxis_core::state::State;
use praxis_fuzz::task::{advance, opening, succeed, tell, toolbox};
use serde_json::json;
use std::collections::BTreeSet;

fuzz_target!(|data: &[u8]| {
    let Some((first, document)) = data.split_first() else { return };
    let format = [Format::Json, Format::Yaml, Format::Toml][usize::from(first % 3)];
    let Ok(document) = read(document, format) else { return };
    let Ok(written) = plan::read(&document) else { return };
    let again = plan::write(written.plan_id.as_deref(), &written.description, &written.steps);
    let again = plan::read(&again).expect("a plan that was written can be read");
    assert_eq!(again.steps, written.steps);
    let (toolbox, metadata) = (toolbox(), plan::metadata(&document));
    let Ok(checked) = check::check(&written, toolbox, &metadata, &BTreeSet::new()) else { return };
    let mut state = State::default();
    for event in opening(toolbox, &metadata, checked.steps) {
        tell(&mut state, event);
    }
    let steps = state.steps.len();
    for _ in 0..=steps.min(20) {
        advance(&mut state, toolbox, 2 * steps + 2);
        succeed(&mut state, &json!({"id": 7, "n": "{{a}}", "deep": {"l": [null]}}));
    }
});
