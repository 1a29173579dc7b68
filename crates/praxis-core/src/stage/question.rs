//! Questions to a person, including those asked at a budget limit.

use crate::budget::limit::LimitReached;
use crate::ids::{QuestionId, StepId};
use crate::journal::event::Event;
use crate::journal::options::OnLimit;
use crate::journal::question::{Question, QuestionSubject};
use crate::state::State;

/// Returns the event that asks a person a question.
pub fn question(state: &State, step: Option<StepId>, about: QuestionSubject) -> Event {
    let task = state.submission.as_ref().map_or("", |submission| submission.task.as_str());
    let tail: String = task.chars().skip(task.chars().count().saturating_sub(10)).collect();
    let id = QuestionId::from(format!("q_{}_{}", tail.to_lowercase(), state.questions_asked + 1));
    let options = state.submission.as_ref().map(|submission| &submission.options);
    let said = step.as_ref().and_then(|step| state.step(step.as_str()));
    let said = said.and_then(|step| step.plan.node.as_ref()?.unanswered.as_ref());
    let within_ms =
        said.and_then(|said| said.after_ms).or_else(|| options.and_then(|o| o.answer_within_ms));
    let otherwise = said.and_then(|said| said.then).or_else(|| options.map(|o| o.unanswered));
    let otherwise = otherwise.unwrap_or_default();
    Event::QuestionAsked { question: Question { id, step, within_ms, otherwise, about } }
}

/// Handles a reached limit: asks a person, or fails the task if `on_wall` is `OnLimit::Fail`.
pub fn limit_reached(state: &State, hit: LimitReached) -> Event {
    let on_wall = state.submission.as_ref().map(|s| s.options.on_wall).unwrap_or_default();
    if on_wall == OnLimit::Fail {
        Event::WallHit(hit)
    } else {
        question(state, None, QuestionSubject::Budget { hit })
    }
}
