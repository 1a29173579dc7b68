//! What one answer, or its absence, teaches about an endpoint. Pure.

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

/// So many answers in a row that break the promise of their rung, and it is given up.
const MOST_BROKEN: u32 = 2;

/// Something that was learnt.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lesson {
    /// A refusal: the card is now this one.
    Refusal(CapabilityCard),
    /// The rung brings no JSON at all.
    Fall,
    /// Calls may be lost in the stream: the same again as a whole.
    Whole,
    /// The answer is JSON and not what the rung promises. It stands; the next may be asked for otherwise.
    BrokenPromise,
}

impl Lesson {
    /// Writes it down.
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

/// What an outcome teaches, if anything.
pub(super) fn lesson(
    outcome: &Result<ModelReply, ModelFault>,
    request: &ModelRequest,
    manner: WireOptions,
    card: &CapabilityCard,
) -> Option<Lesson> {
    let wants_calls = !request.tools.is_empty() || manner.rung == JsonMode::ForcedTool;
    match outcome {
        Err(ModelFault::ModelEmpty { .. }) if manner.streams && wants_calls => Some(Lesson::Whole),
        // Words are refused for what they say, not for what they ask.
        Err(ModelFault::ModelRefused { .. }) if manner.rung == JsonMode::Words => None,
        Err(fault) => {
            let mut card = card.clone();
            card.learn(fault).then_some(Lesson::Refusal(card))
        }
        Ok(reply) => of_reply(reply, request, manner),
    }
}

fn of_reply(reply: &ModelReply, request: &ModelRequest, manner: WireOptions) -> Option<Lesson> {
    let AnswerFormat::Json { schema, .. } = &request.format else { return None };
    let is_said = reply.finish == FinishReason::Stop || manner.rung == JsonMode::ForcedTool;
    // Nobody promised JSON of an answer that was cut off or held back, or that is a call.
    if manner.rung == JsonMode::Words || !is_said || !request.tools.is_empty() {
        return None;
    }
    let came = wire::read(reply.clone(), request, manner);
    // Only what every server can enforce is a promise.
    let promised = Schema::compile(&schema::plain(schema)).ok()?;
    let fits = |value: &Value| promised.errors(value).is_empty();
    match json::find(&came.text, fits) {
        Ok(_) => None,
        Err(JsonMissing::Nothing | JsonMissing::TooLarge | JsonMissing::TooLong) => {
            Some(nothing(manner))
        }
        Err(JsonMissing::Unfit) => matches!(manner.rung, JsonMode::Schema | JsonMode::Grammar)
            .then_some(Lesson::BrokenPromise),
    }
}

fn nothing(manner: WireOptions) -> Lesson {
    if manner.rung == JsonMode::ForcedTool && manner.streams { Lesson::Whole } else { Lesson::Fall }
}
