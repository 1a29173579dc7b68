//! Derives an experience from a finished task. The task itself does not change.

use super::by_rules::by_rules;
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::inputs::Inputs;
use crate::journal::case::Case;
use crate::journal::event::Event;
use crate::journal::experience::{Experience, ExperienceCategory};
use crate::prompt::schema;
use crate::stage::compose::{StageTexts, request};
use crate::stage::reading::{ReadAnswer, score, text};
use crate::state::State;

/// The score if the model's answer is unusable.
const DEFAULT_SCORE: u32 = 50;

/// Builds the model request for an experience.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let library = inputs.library?;
    let fault = state.fault().map(|fault| fault.message(library.pack.lang()));
    let outcome = format!("{}\n{}", state.status().word(), fault.unwrap_or_default());
    let holes = [("outcome", outcome.trim())];
    let schema = schema("post_task_evaluation")?;
    let purpose = Purpose::Learn;
    let stage =
        StageTexts { purpose: &purpose, part: "post_task_evaluation", holes: &holes, schema };
    request(state, library, inputs.tokens, &stage)
}

/// Reads the model's answer into `TaskLearnt`.
pub fn read(state: &State, found: &ReadAnswer, inputs: &Inputs<'_>) -> Event {
    let value = &found.value;
    let category = match value.get("category").and_then(serde_json::Value::as_str) {
        Some("solving_ideas") => ExperienceCategory::SolvingIdeas,
        _ => ExperienceCategory::ReflectionSuggestions,
    };
    Event::TaskLearnt(Box::new(Experience {
        task_completion: score(value, "task_completion"),
        execution_efficiency: score(value, "execution_efficiency"),
        tool_usage: score(value, "tool_usage"),
        category,
        intention: text(value, "intention"),
        task: text(value, "task"),
        experience: text(value, "experience"),
        quick_summary: text(value, "quick_summary"),
        defaulted: false,
        case: Some(Case::of(state, inputs.library, inputs.planner)),
    }))
}

/// Returns the experience without a model: by rules, or a default one if a model's answer was unusable.
pub fn without_model(state: &State, inputs: &Inputs<'_>) -> Event {
    let goal_state = state.goal.as_deref();
    let unfit = goal_state.is_some_and(|goal_state| goal_state.unfit(&Purpose::Learn).is_some());
    if unfit {
        by_default(state, inputs)
    } else {
        Event::TaskLearnt(Box::new(by_rules(state, inputs)))
    }
}

/// Returns the default experience, for an unusable answer of the model.
fn by_default(state: &State, inputs: &Inputs<'_>) -> Event {
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let intent = state.goal_spec().and_then(|spec| spec.intent.clone());
    Event::TaskLearnt(Box::new(Experience {
        task_completion: DEFAULT_SCORE,
        execution_efficiency: DEFAULT_SCORE,
        tool_usage: DEFAULT_SCORE,
        category: ExperienceCategory::ReflectionSuggestions,
        intention: intent.unwrap_or_default(),
        task: goal.chars().take(200).collect(),
        experience: String::new(),
        quick_summary: state.status().word().to_owned(),
        defaulted: true,
        case: Some(Case::of(state, inputs.library, inputs.planner)),
    }))
}
