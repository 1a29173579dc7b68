//! Asks a model for a task, and hands over what is said while it is said.

use crate::arrival::Arrival;
use crate::driver::Driver;
use crate::engine::{Speaker, Spoken};
use crate::large;
use crate::seams::{Answered, Unanswered};
use futures::FutureExt;
use praxis_core::ask::elements::Elements;
use praxis_core::ask::errand::Errand;
use praxis_core::ask::fault::Fault;
use praxis_core::ask::heard::Heard;
use praxis_core::ask::reply::Usage;
use praxis_core::ask::request::Request;
use praxis_core::ask::split::Delta;
use praxis_core::ask::waiting::Waiting;
use praxis_core::budget::ledger::Reserved;
use praxis_core::payload::Payload;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::mpsc::{self, error::TrySendError};

/// Starts a call to a model; its answer arrives at the driver.
pub(crate) fn ask(driver: &Driver, ask: u32, errand: &Errand, request: &Payload) {
    let asking = driver.state.goal.as_deref().and_then(|course| course.asks.under_way.get(&ask));
    let Some(asking) = asking else { return };
    let model = driver.engine.models.get(&asking.model);
    let (name, reserved) = (asking.model.clone(), asking.reserved);
    let (engine, outbox) = (Arc::clone(&driver.engine), driver.outbox.clone());
    let (request, mut stop) = (request.clone(), driver.stop.subscribe());
    let mut ear = Ear {
        engine: Arc::clone(&engine),
        outbox: outbox.clone(),
        ask,
        spoken: Spoken {
            task: driver.task.clone(),
            by: Speaker::Ask { ask, errand: errand.clone() },
            delta: Delta::WasThought,
        },
        elements: errand.plans().then(|| Elements::of("steps")),
        unsent: Vec::new(),
        cost: Cost::default(),
    };
    tokio::spawn(async move {
        let asked = async {
            let unreachable = |message: String| unanswered(Fault::ModelUnreachable { message });
            let missing = || unreachable(format!("no model `{name}` is set up here"));
            let model = model.ok_or_else(missing)?;
            let value = match request {
                Payload::Json(value) => Arc::unwrap_or_clone(value),
                Payload::Blob(stored) => {
                    let read = large::read(&*engine.blobs, &stored.blob).await;
                    read.map_err(|error| unreachable(error.to_string()))?
                }
            };
            let request: Request = serde_json::from_value(value)
                .map_err(|error| unreachable(format!("the request cannot be read: {error}")))?;
            let mut said = |delta: Delta| ear.hear(delta);
            let asked = AssertUnwindSafe(model.ask(&request, &mut said)).catch_unwind().await;
            match asked {
                Ok(answered) => answered,
                Err(_) => Err(unreachable("the client panicked".to_owned())),
            }
        };
        let asked: Option<Result<Answered, Unanswered>> = tokio::select! {
            biased;
            asked = asked => Some(asked),
            _ = stop.wait_for(|stop| stop.all) => None,
        };
        let result = match asked {
            Some(result) => result,
            None => {
                let fault = Fault::ModelUnreachable { message: "the task is stopping".to_owned() };
                Err(Unanswered { fault, spent: ear.cost.so_far(reserved) })
            }
        };
        // If the driver is gone, the call is found lost on resume.
        let _ = outbox.send(Arrival::Answered { ask, result: result.map_err(Box::new) }).await;
    });
}

fn unanswered(fault: Fault) -> Unanswered {
    Unanswered { fault, spent: Usage::default() }
}

/// Hears an answer as it comes: shows it, and hands over the steps of a plan that are whole.
struct Ear {
    engine: Arc<crate::engine::Inner>,
    outbox: mpsc::Sender<Arrival>,
    ask: u32,
    spoken: Spoken,
    elements: Option<Elements>,
    unsent: Vec<Value>,
    cost: Cost,
}

/// What a call has cost by now, as far as one can hear.
#[derive(Default)]
struct Cost {
    heard: Heard,
    /// Nothing of it has reached the model yet.
    is_held: bool,
}

impl Cost {
    fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Words(_) | Delta::Thought(_) => self.heard.count(delta),
            Delta::Waits(Waiting::Turn { .. }) => self.is_held = true,
            Delta::Waits(Waiting::Rest { fault, .. }) => {
                self.is_held = matches!(fault, Fault::ModelUnreachable { .. });
            }
            Delta::Waits(Waiting::Over) => self.is_held = false,
            Delta::WasThought | Delta::Again => {}
        }
    }

    /// What was sent was read, and what was heard was written; of more nobody knows.
    fn so_far(&self, reserved: Reserved) -> Usage {
        let prompt = if self.is_held { 0 } else { reserved.prompt };
        let completion = self.heard.tokens().min(reserved.completion);
        Usage { prompt, completion, cached: 0, estimated: true }
    }
}

impl Ear {
    fn hear(&mut self, delta: Delta) {
        self.cost.hear(&delta);
        self.engine.speak(Spoken { delta: delta.clone(), ..self.spoken.clone() });
        let words = match delta {
            Delta::Words(words) => words,
            Delta::Thought(_) | Delta::Waits(_) => return,
            // What was heard may not be the answer: its end alone counts.
            Delta::WasThought | Delta::Again => {
                self.elements = None;
                return;
            }
        };
        let Some(elements) = &mut self.elements else { return };
        let whole = elements.feed(&words);
        if whole.is_empty() {
            return;
        }
        self.unsent.extend(whole);
        let elements = std::mem::take(&mut self.unsent);
        let heard = Arrival::Heard { ask: self.ask, elements };
        // A full inbox loses nothing: they go with the next ones, or with the whole answer.
        if let Err(TrySendError::Full(Arrival::Heard { elements, .. })) =
            self.outbox.try_send(heard)
        {
            self.unsent = elements;
        }
    }
}
