//! Derives what one answer, or a fault, teaches about an endpoint. Pure.

use super::card::{CapabilityCard, JsonMode};
use super::cards::EndpointKnowledge;
use super::schema;
use super::wire::{self, WireOptions};
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::json::{self, JsonMissing};
use praxis_core::ask::reply::{FinishReason, ModelReply};
use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use praxis_core::schema::Schema;
use serde_json::Value;

/// The number of consecutive answers that break the guarantee of their JSON mode before the mode is given up.
const MOST_BROKEN: u32 = 2;

/// A lesson about an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lesson {
    /// A refusal; the card after it.
    Refusal(CapabilityCard),
    /// The JSON mode yields no JSON at all.
    Fall,
    /// The stream may lose calls: send the same request without streaming.
    Whole,
    /// The answer is JSON but breaks the guarantee of the mode. It is used; a later request may use another mode.
    BrokenPromise,
}

impl Lesson {
    /// Applies the lesson to the knowledge of the endpoint.
    pub(super) fn apply(&self, known: &mut EndpointKnowledge) {
        match self {
            Self::Refusal(card) => known.card = card.clone(),
            Self::Fall => drop(known.card.fall()),
            Self::Whole => {}
            Self::BrokenPromise => {
                known.broken_promises += 1;
                if known.broken_promises >= MOST_BROKEN {
                    known.broken_promises = 0;
                    known.card.fall();
                }
            }
        }
    }
}

/// Returns the lesson of an outcome, if any.
pub(super) fn lesson(
    outcome: &Result<ModelReply, ModelFault>,
    request: &ModelRequest,
    goal_options: WireOptions,
    card: &CapabilityCard,
) -> Option<Lesson> {
    let wants_calls = !request.tools.is_empty() || goal_options.rung == JsonMode::ForcedTool;
    match outcome {
        Err(ModelFault::ModelEmpty { .. }) if goal_options.streams && wants_calls => {
            Some(Lesson::Whole)
        }
        // A request in this mode has no special fields, so it was refused for its content.
        Err(ModelFault::ModelRefused { .. }) if goal_options.rung == JsonMode::Words => None,
        Err(fault) => {
            let mut card = card.clone();
            card.learn(fault).then_some(Lesson::Refusal(card))
        }
        Ok(reply) => of_reply(reply, request, goal_options),
    }
}

fn of_reply(
    reply: &ModelReply,
    request: &ModelRequest,
    goal_options: WireOptions,
) -> Option<Lesson> {
    let AnswerFormat::Json { schema, .. } = &request.format else { return None };
    let is_said = reply.finish == FinishReason::Stop || goal_options.rung == JsonMode::ForcedTool;
    // JSON is not guaranteed for an answer that was truncated or filtered, or when tools are offered.
    if goal_options.rung == JsonMode::Words || !is_said || !request.tools.is_empty() {
        return None;
    }
    let came = wire::read(reply.clone(), request, goal_options);
    // Only what every server can enforce counts as guaranteed.
    let promised = Schema::compile(&schema::plain(schema)).ok()?;
    let fits = |value: &Value| promised.errors(value).is_empty();
    match json::find(&came.text, fits) {
        Ok(_) => None,
        Err(JsonMissing::Nothing | JsonMissing::TooLarge | JsonMissing::TooLong) => {
            Some(nothing(goal_options))
        }
        Err(JsonMissing::Unfit) => {
            matches!(goal_options.rung, JsonMode::Schema | JsonMode::Grammar)
                .then_some(Lesson::BrokenPromise)
        }
    }
}

fn nothing(goal_options: WireOptions) -> Lesson {
    if goal_options.rung == JsonMode::ForcedTool && goal_options.streams {
        Lesson::Whole
    } else {
        Lesson::Fall
    }
}
