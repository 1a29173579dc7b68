//! A model that knows the right answer, and errs as often as it is told to.
//!
//! - in: something that knows right answers, and how often to spoil them
//! - out: answers
//! - never: counts as the quality of a model; it shows what the engine makes of errors

use super::answer::Answer;
use super::asked::Asked;
use super::degrade::Degrader;
use super::voice::{Account, Turn, Voice};
use praxis_core::problem::Words;
use serde_json::Value;

/// Knows the right answer.
pub trait Oracle: Send {
    /// The right answer to a request; none if it knows none.
    fn answer(&mut self, asked: &Asked) -> Option<Value>;
}

impl<F: FnMut(&Asked) -> Option<Value> + Send> Oracle for F {
    fn answer(&mut self, asked: &Asked) -> Option<Value> {
        self(asked)
    }
}

/// An oracle whose answers are spoiled now and then. Each call errs anew, with the same probabilities.
pub struct Degraded<O> {
    oracle: O,
    degrader: Degrader,
}

impl<O: Oracle> Degraded<O> {
    /// An oracle that errs like this.
    pub fn new(oracle: O, degrader: Degrader) -> Self {
        Self { oracle, degrader }
    }
}

impl<O: Oracle> Voice for Degraded<O> {
    fn turn(&mut self, asked: &Asked) -> Turn {
        match self.oracle.answer(asked) {
            Some(right) => {
                let answer = Answer::text(self.degrader.spoil(right, &asked.tools));
                Turn::Say { by: "oracle".to_owned(), answer }
            }
            None => {
                let stage = asked.stage.as_deref().unwrap_or("?");
                let en = format!("the oracle knows nothing about stage `{stage}`");
                Turn::Nothing(Words::from((en, format!("神谕不了解阶段 `{stage}`"))))
            }
        }
    }

    fn account(&self) -> Account {
        Account { unused: Vec::new(), counts: self.degrader.injected().counts() }
    }
}
