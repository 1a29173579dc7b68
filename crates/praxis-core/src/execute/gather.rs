//! Combines the outputs of a step's actions into one text: one line per action, in the plan's order.

use crate::dataflow::context::StepIndex;
use crate::fault::Fault;
use crate::ids::StepId;
use crate::journal::event::Event;
use crate::journal::outcome::CallOutcome;
use crate::lang::Lang;
use crate::payload::{Payload, PayloadValue};
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use serde_json::Value;

/// The largest number of characters of an output in its line. The whole output can be read by the action's id.
const LINE_CHARS: usize = 2000;

/// Starts and finishes the step at once, because no call is made.
pub fn events(state: &State, index: StepIndex) -> Vec<Event> {
    let Some(step) = state.step_at(index) else { return vec![] };
    let actions: Vec<&Step> =
        step.plan.actions.iter().filter_map(|id| state.step(id.as_str())).collect();
    let lines: Vec<String> = actions.iter().map(|action| line(state, action)).collect();
    let output = Payload::json(Value::String(lines.join("\n")));
    let failed: Vec<StepId> = actions
        .iter()
        .filter(|action| action.status != StepStatus::Success)
        .map(|action| action.plan.id.clone())
        .collect();
    let outcome = if failed.is_empty() {
        CallOutcome::Succeeded(output)
    } else {
        CallOutcome::Failed {
            fault: Fault::ActionsFailed { actions: failed },
            output: Some(output),
        }
    };
    let (id, attempt) = (step.plan.id.clone(), step.attempt + 1);
    let started = Event::StepStarted {
        step: id.clone(),
        attempt,
        generation: step.generation,
        tool: None,
        arguments: Payload::json(Value::Object(serde_json::Map::new())),
        holes: vec![],
        reserved: None,
    };
    vec![started, Event::StepFinished { step: id, attempt, outcome, retry_at: None, usage: None }]
}

fn line(state: &State, action: &Step) -> String {
    let id = &action.plan.id;
    if action.status == StepStatus::Success {
        let result =
            state.context.index_of(id.as_str()).and_then(|index| state.context.result(index));
        let shown = result.map(|result| shown(&result.output)).unwrap_or_default();
        return format!("[{id}] ✅ {shown}");
    }
    let lang = state.submission.as_ref().map(|s| s.options.lang).unwrap_or_default();
    let skipped = match lang {
        Lang::En => "skipped",
        Lang::Zh => "已跳过",
    };
    let why = action.fault.as_ref().map_or_else(|| skipped.to_owned(), |fault| fault.message(lang));
    format!("[{id}] ❌ {why}")
}

fn shown(output: &Payload) -> String {
    let text = match output.whole() {
        PayloadValue::Value(Value::String(text)) => text.clone(),
        PayloadValue::Value(value) => value.to_string(),
        PayloadValue::InBlob { stored, .. } => stored.preview.clone(),
    };
    text.chars().take(LINE_CHARS).collect()
}
