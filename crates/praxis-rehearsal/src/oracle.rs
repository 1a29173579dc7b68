//! A model that knows the right answer, and errs as often as it is told to.
//!
//! - in: something that knows right answers, and how often to spoil them
//! - out: answers
//! - never: counts as the quality of a model; it shows what the engine makes of errors

use super::answer::ScriptedAnswer;
use super::asked::ChatRequest;
use super::degrade::Degrader;
use super::voice::{UsageAccount, Voice, VoiceDecision};
use praxis_core::problem::Bilingual;
use serde_json::Value;

/// Knows the right answer.
pub trait Oracle: Send {
    /// The right answer to a request; none if it knows none.
    fn answer(&mut self, asked: &ChatRequest) -> Option<Value>;
}

impl<F: FnMut(&ChatRequest) -> Option<Value> + Send> Oracle for F {
    fn answer(&mut self, asked: &ChatRequest) -> Option<Value> {
        self(asked)
    }
}

/// An oracle whose answers are spoiled now and then. Each call errs anew, with the same probabilities.
pub struct DegradedOracle<O> {
    oracle: O,
    degrader: Degrader,
}

impl<O: Oracle> DegradedOracle<O> {
    /// An oracle that errs like this.
    pub fn new(oracle: O, degrader: Degrader) -> Self {
        Self { oracle, degrader }
    }
}

impl<O: Oracle> Voice for DegradedOracle<O> {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        match self.oracle.answer(asked) {
            Some(right) => {
                let answer = ScriptedAnswer::text(self.degrader.spoil(right, &asked.tools));
                VoiceDecision::Say { by: "oracle".to_owned(), answer }
            }
            None => {
                let stage = asked.stage.as_deref().unwrap_or("?");
                let en = format!("the oracle knows nothing about stage `{stage}`");
                VoiceDecision::Nothing(Bilingual::from((en, format!("神谕不了解阶段 `{stage}`"))))
            }
        }
    }

    fn account(&self) -> UsageAccount {
        UsageAccount { unused: Vec::new(), counts: self.degrader.injected().counts() }
    }
}
