//! Relates a request to earlier work: as the caller said, by its words, or by a model.

use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::goal::strategy::StrategyDecision;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::planner::Planner;
use crate::prompt::schema;
use crate::stage::compose::{StageTexts, request};
use crate::stage::reading::{ReadAnswer, score, text};
use crate::state::State;
use serde_json::Value;
use std::fmt::Write;

/// The confidence below which the model's strategy is not used.
const LEAST_CONFIDENCE: u32 = 70;

/// Chooses the strategy that the caller named, else the one that the words of the request tell.
pub fn by_words(state: &State, planner: &dyn Planner) -> Option<Event> {
    let past = state.goal_spec()?.past.as_ref()?;
    if let Some(strategy) = past.strategy {
        let by = "caller".to_owned();
        return Some(Event::StrategyChosen {
            strategy,
            by,
            confidence: 100,
            reasoning: String::new(),
        });
    }
    let found = planner.strategy(&state.submission.as_ref()?.goal);
    Some(Event::StrategyChosen {
        strategy: found.decision,
        by: "keywords".to_owned(),
        confidence: found.confidence.into(),
        reasoning: found.cue.unwrap_or_default(),
    })
}

/// Builds the request for a strategy.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let library = inputs.library?;
    let past = state.goal_spec()?.past.as_ref()?;
    let goal = &state.submission.as_ref()?.goal;
    let mut history = format!("{}\n", past.goal);
    for done in &past.done {
        let _ = writeln!(history, "✅ {} {} ({})", done.id(), done.step.name, done.step.tool);
    }
    for undone in &past.undone {
        let _ = writeln!(history, "❌ {undone}");
    }
    let holes = [("request", goal.as_str()), ("history", history.trim_end())];
    let (purpose, schema) = (Purpose::Strategy, schema("strategy")?);
    let stage =
        StageTexts { purpose: &purpose, part: "continue_planning.strategy", holes: &holes, schema };
    request(state, library, inputs.tokens, &stage)
}

/// Reads the model's strategy; below `LEAST_CONFIDENCE`, the words of the request decide.
pub fn read(state: &State, found: &ReadAnswer, planner: &dyn Planner) -> Option<Event> {
    let strategy = match found.value.get("strategy").and_then(Value::as_str) {
        Some("continue_planning") => StrategyDecision::ContinuePlanning,
        Some("replanning") => StrategyDecision::Replanning,
        _ => StrategyDecision::NormalPlanning,
    };
    let confidence = score(&found.value, "confidence");
    if confidence < LEAST_CONFIDENCE {
        return by_words(state, planner);
    }
    let reasoning = text(&found.value, "reasoning");
    Some(Event::StrategyChosen { strategy, by: "model".to_owned(), confidence, reasoning })
}
