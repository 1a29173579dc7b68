//! Recognises values that the plan chose by itself: a rule may change these without asking the user.
//!
//! - in: a parameter of a step
//! - out: true only for a literal value that a model's plan chose by itself
//! - never: counts values that the user said, passed in, approved or answered, or that came from another step

use crate::journal::rung::RecoveryRung;
use crate::journal::selection::SelectionMethod;
use crate::payload::PayloadValue;
use crate::pointer::pointer_to;
use crate::state::State;
use crate::state::step::Step;
use serde_json::Value;

/// Returns true if only the plan chose this value.
pub fn is_plans_own(state: &State, step: &Step, (name, value): (&str, &Value)) -> bool {
    let given = step.given.get(&pointer_to("", name));
    let by_rule = given.is_none_or(|given| matches!(&given.rung, Some((RecoveryRung::Class, _))));
    by_rule
        && is_models(state)
        && !value.to_string().contains("{{")
        && !is_handed_in(state, name, value)
        && !is_said(state, name, value)
}

/// Returns true if the plan was made by a model alone: not from a workflow, and neither helped nor approved by a
/// person.
fn is_models(state: &State) -> bool {
    state.goal.as_deref().is_some_and(|goal_state| {
        let flow = goal_state
            .planning
            .selection
            .as_ref()
            .is_some_and(|it| it.by == SelectionMethod::Workflow);
        !flow && !goal_state.recovery.helped && goal_state.planning.approved == 0
    })
}

fn is_handed_in(state: &State, name: &str, value: &Value) -> bool {
    let same =
        |datum: PayloadValue<'_>| matches!(datum, PayloadValue::Value(handed) if handed == value);
    state.context.initial().iter().any(|(key, handed)| **key == *name || same(handed.whole()))
}

/// Returns true if the parameter's name or value occurs in the user's words.
fn is_said(state: &State, name: &str, value: &Value) -> bool {
    let Some(submission) = state.submission.as_ref() else { return true };
    let mut words = vec![submission.goal.to_lowercase()];
    if let Some(material) = submission.brief.as_deref().map(|spec| &spec.material) {
        let said = material.user_preferences.iter().chain(&material.conversation_history);
        words.extend(said.map(|text| text.to_lowercase()));
        let info = material.additional_info.iter();
        words.extend(info.map(|(key, value)| format!("{key} {value}").to_lowercase()));
    }
    let name = name.to_lowercase();
    let named = |text: &String| text.contains(&name) || text.contains(&name.replace('_', " "));
    words.iter().any(named) || words.iter().any(|text| tells(text, value))
}

fn tells(text: &str, value: &Value) -> bool {
    match value {
        Value::String(word) => {
            let word = word.trim().to_lowercase();
            !word.is_empty() && text.contains(&word)
        }
        Value::Number(number) => text.contains(&number.to_string()),
        Value::Array(items) => items.iter().any(|item| tells(text, item)),
        Value::Object(map) => map.values().any(|item| tells(text, item)),
        Value::Null | Value::Bool(_) => false,
    }
}
