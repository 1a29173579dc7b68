//! Makes the model calls of a goal, and forwards the reply while it is streamed.

use crate::arrival::Arrival;
use crate::driver::TaskDriver;
use crate::engine::{LiveText, LiveTextSource};
use crate::large;
use crate::seams::{ModelAnswered, ModelCallFailed};
use futures::FutureExt;
use praxis_core::ask::elements::Elements;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::TokenUsage;
use praxis_core::ask::request::ModelRequest;
use praxis_core::ask::token_meter::TokenMeter;
use praxis_core::ask::waiting::WaitReason;
use praxis_core::budget::ledger::Reserved;
use praxis_core::payload::Payload;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::mpsc::{self, error::TrySendError};

/// Starts a model call; the reply arrives in the driver's inbox as `Arrival::Answered`.
pub(crate) fn ask(driver: &TaskDriver, ask: u32, purpose: &Purpose, request: &Payload) {
    let asking =
        driver.state.goal.as_deref().and_then(|goal_state| goal_state.asks.under_way.get(&ask));
    let Some(asking) = asking else { return };
    let model = driver.engine.models.get(&asking.model);
    let (name, reserved) = (asking.model.clone(), asking.reserved);
    let (engine, outbox) = (Arc::clone(&driver.engine), driver.outbox.clone());
    let (request, mut stop) = (request.clone(), driver.stop.subscribe());
    let mut ear = ReplyWatcher {
        engine: Arc::clone(&engine),
        outbox: outbox.clone(),
        ask,
        spoken: LiveText {
            task: driver.task.clone(),
            by: LiveTextSource::Ask { ask, purpose: purpose.clone() },
            delta: Delta::ReclassifyAsReasoning,
        },
        elements: purpose.plans().then(|| Elements::of("steps")),
        unsent: Vec::new(),
        cost: RunningCost::default(),
    };
    tokio::spawn(async move {
        let asked = async {
            let unreachable =
                |message: String| unanswered(ModelFault::ModelUnreachable { message });
            let missing = || unreachable(format!("no model `{name}` is set up here"));
            let model = model.ok_or_else(missing)?;
            let value = match request {
                Payload::Json(value) => Arc::unwrap_or_clone(value),
                Payload::Blob(stored) => {
                    let read = large::read(&*engine.blobs, &stored.blob).await;
                    read.map_err(|error| unreachable(error.to_string()))?
                }
            };
            let request: ModelRequest = serde_json::from_value(value)
                .map_err(|error| unreachable(format!("the request cannot be read: {error}")))?;
            let mut said = |delta: Delta| ear.hear(delta);
            let asked = AssertUnwindSafe(model.ask(&request, &mut said)).catch_unwind().await;
            match asked {
                Ok(answered) => answered,
                Err(_) => Err(unreachable("the client panicked".to_owned())),
            }
        };
        let asked: Option<Result<ModelAnswered, ModelCallFailed>> = tokio::select! {
            biased;
            asked = asked => Some(asked),
            _ = stop.wait_for(|stop| stop.all) => None,
        };
        let result = match asked {
            Some(result) => result,
            None => {
                let fault =
                    ModelFault::ModelUnreachable { message: "the task is stopping".to_owned() };
                Err(ModelCallFailed { fault, spent: ear.cost.so_far(reserved) })
            }
        };
        // If the driver is gone, the call is recorded as lost on resume.
        let _ = outbox.send(Arrival::Answered { ask, result: result.map_err(Box::new) }).await;
    });
}

fn unanswered(fault: ModelFault) -> ModelCallFailed {
    ModelCallFailed { fault, spent: TokenUsage::default() }
}

/// Observes a streamed reply: publishes it as `LiveText`, and sends complete steps of a plan to the driver.
struct ReplyWatcher {
    engine: Arc<crate::engine::EngineInner>,
    outbox: mpsc::Sender<Arrival>,
    ask: u32,
    spoken: LiveText,
    elements: Option<Elements>,
    unsent: Vec<Value>,
    cost: RunningCost,
}

/// The estimated token usage of a call that is still running.
#[derive(Default)]
struct RunningCost {
    heard: TokenMeter,
    /// True while the request has not reached the model.
    is_held: bool,
}

impl RunningCost {
    fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(_) | Delta::Reasoning(_) => self.heard.count(delta),
            Delta::Waiting(WaitReason::Turn { .. }) => self.is_held = true,
            Delta::Waiting(WaitReason::Rest { fault, .. }) => {
                self.is_held = matches!(fault, ModelFault::ModelUnreachable { .. });
            }
            Delta::Waiting(WaitReason::Over) => self.is_held = false,
            Delta::ReclassifyAsReasoning | Delta::Restart => {}
        }
    }

    /// Estimates the usage of a cancelled call: the prompt, if it was sent, and the tokens received so far.
    fn so_far(&self, reserved: Reserved) -> TokenUsage {
        let prompt = if self.is_held { 0 } else { reserved.prompt };
        let completion = self.heard.tokens().min(reserved.completion);
        TokenUsage { prompt, completion, cached: 0, estimated: true }
    }
}

impl ReplyWatcher {
    fn hear(&mut self, delta: Delta) {
        self.cost.hear(&delta);
        self.engine.speak(LiveText { delta: delta.clone(), ..self.spoken.clone() });
        let words = match delta {
            Delta::Text(words) => words,
            Delta::Reasoning(_) | Delta::Waiting(_) => return,
            // The text so far may not be the answer: from here on only the finished reply counts.
            Delta::ReclassifyAsReasoning | Delta::Restart => {
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
        // A full inbox loses nothing: the elements are sent with the next ones, or with the finished reply.
        if let Err(TrySendError::Full(Arrival::Heard { elements, .. })) =
            self.outbox.try_send(heard)
        {
            self.unsent = elements;
        }
    }
}
