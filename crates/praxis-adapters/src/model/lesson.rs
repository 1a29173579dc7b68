//! What one answer, or its absence, teaches about an endpoint. Pure.

use super::card::{Card, Rung};
use super::cards::Known;
use super::schema;
use super::wire::{self, Manner};
use praxis_core::ask::fault::Fault;
use praxis_core::ask::json::{self, Missing};
use praxis_core::ask::reply::{Finish, Reply};
use praxis_core::ask::request::{Format, Request};
use praxis_core::schema::Schema;
use serde_json::Value;

/// So many answers in a row that break the promise of their rung, and it is given up.
const MOST_BROKEN: u32 = 2;

/// Something that was learnt.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lesson {
    /// A refusal: the card is now this one.
    Refusal(Card),
    /// The rung brings no JSON at all.
    Fall,
    /// Calls may be lost in the stream: the same again as a whole.
    Whole,
    /// The answer is JSON and not what the rung promises. It stands; the next may be asked for otherwise.
    BrokenPromise,
}

impl Lesson {
    /// Writes it down.
    pub(super) fn apply(&self, known: &mut Known) {
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
    outcome: &Result<Reply, Fault>,
    request: &Request,
    manner: Manner,
    card: &Card,
) -> Option<Lesson> {
    let wants_calls = !request.tools.is_empty() || manner.rung == Rung::ForcedTool;
    match outcome {
        Err(Fault::ModelEmpty { .. }) if manner.streams && wants_calls => Some(Lesson::Whole),
        // Words are refused for what they say, not for what they ask.
        Err(Fault::ModelRefused { .. }) if manner.rung == Rung::Words => None,
        Err(fault) => {
            let mut card = card.clone();
            card.learn(fault).then_some(Lesson::Refusal(card))
        }
        Ok(reply) => of_reply(reply, request, manner),
    }
}

fn of_reply(reply: &Reply, request: &Request, manner: Manner) -> Option<Lesson> {
    let Format::Json { schema, .. } = &request.format else { return None };
    let is_said = reply.finish == Finish::Stop || manner.rung == Rung::ForcedTool;
    // Nobody promised JSON of an answer that was cut off or held back, or that is a call.
    if manner.rung == Rung::Words || !is_said || !request.tools.is_empty() {
        return None;
    }
    let came = wire::read(reply.clone(), request, manner);
    // Only what every server can enforce is a promise.
    let promised = Schema::compile(&schema::plain(schema)).ok()?;
    let fits = |value: &Value| promised.errors(value).is_empty();
    match json::find(&came.text, fits) {
        Ok(_) => None,
        Err(Missing::Nothing | Missing::TooLarge | Missing::TooLong) => Some(nothing(manner)),
        Err(Missing::Unfit) => {
            matches!(manner.rung, Rung::Schema | Rung::Grammar).then_some(Lesson::BrokenPromise)
        }
    }
}

fn nothing(manner: Manner) -> Lesson {
    if manner.rung == Rung::ForcedTool && manner.streams { Lesson::Whole } else { Lesson::Fall }
}
