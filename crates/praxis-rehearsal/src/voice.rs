//! What decides the answer to each request.

use super::answer::Answer;
use super::asked::Asked;
use super::fault::Fault;
use super::wire::Wire;
use praxis_core::problem::Words;
use std::collections::BTreeMap;

/// Decides the answer to each request: a script, a cassette, an oracle, or several in turn.
pub trait Voice: Send {
    /// The answer to the next request.
    fn turn(&mut self, asked: &Asked) -> Turn;

    /// What was used, and what never was.
    fn account(&self) -> Account {
        Account::default()
    }
}

/// What becomes of one request.
#[derive(Clone, Debug)]
pub enum Turn {
    /// An answer in good order.
    Say {
        /// Who says it, for the log of calls.
        by: String,
        /// The answer.
        answer: Answer,
    },
    /// An answer that a fault damages.
    Break {
        /// Who says it.
        by: String,
        /// The fault.
        fault: Fault,
        /// The answer that a healthy endpoint would give.
        answer: Answer,
    },
    /// These bytes.
    Send {
        /// Who sends them.
        by: String,
        /// What goes over the wire.
        wire: Wire,
    },
    /// Nobody has an answer: the client gets status 500.
    Nothing(Words),
}

/// What was used, and what never was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What was there for nothing: rules, recorded calls, faults.
    pub unused: Vec<String>,
    /// How often something happened, by name.
    pub counts: BTreeMap<String, u64>,
}

impl Account {
    /// Both together.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.unused.extend(other.unused);
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
        self
    }
}

impl Voice for Box<dyn Voice> {
    fn turn(&mut self, asked: &Asked) -> Turn {
        (**self).turn(asked)
    }

    fn account(&self) -> Account {
        (**self).account()
    }
}

/// Several voices: the first that has an answer gives it.
impl Voice for Vec<Box<dyn Voice>> {
    fn turn(&mut self, asked: &Asked) -> Turn {
        let mut missing = Words::from(("nobody is there to answer", "没有可以作答的一方"));
        for voice in self {
            match voice.turn(asked) {
                Turn::Nothing(words) => missing = words,
                turn => return turn,
            }
        }
        Turn::Nothing(missing)
    }

    fn account(&self) -> Account {
        self.iter().map(Voice::account).fold(Account::default(), Account::plus)
    }
}
