//! A model that knows the right answer, with errors injected at given rates.
//!
//! - in: an `Oracle` and a `Degrader`
//! - out: answers
//! - never: measures the quality of a model; it shows how the engine copes with errors

use super::answer::ScriptedAnswer;
use super::asked::ChatRequest;
use super::degrade::Degrader;
use super::voice::{Voice, VoiceDecision, VoiceReport};
use praxis_core::problem::Bilingual;
use serde_json::Value;

/// A source of right answers.
pub trait Oracle: Send {
    /// Returns the right answer to a request, or `None` if it is not known.
    fn answer(&mut self, asked: &ChatRequest) -> Option<Value>;
}

impl<F: FnMut(&ChatRequest) -> Option<Value> + Send> Oracle for F {
    fn answer(&mut self, asked: &ChatRequest) -> Option<Value> {
        self(asked)
    }
}

/// An oracle with errors injected into its answers. Every call draws with the same probabilities.
pub struct DegradedOracle<O> {
    oracle: O,
    degrader: Degrader,
}

impl<O: Oracle> DegradedOracle<O> {
    /// Combines an oracle with a degrader.
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
                let en = format!("the oracle has no answer for stage `{stage}`");
                VoiceDecision::Nothing(Bilingual::from((
                    en,
                    format!("没有为阶段 `{stage}` 准备应答"),
                )))
            }
        }
    }

    fn account(&self) -> VoiceReport {
        VoiceReport { unused: Vec::new(), counts: self.degrader.injected().counts() }
    }
}
