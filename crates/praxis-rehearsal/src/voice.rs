//! What decides the answer to each request.

use super::answer::ScriptedAnswer;
use super::asked::ChatRequest;
use super::fault::RehearsalFault;
use super::wire::WireAnswer;
use praxis_core::problem::Bilingual;
use std::collections::BTreeMap;

/// Decides the answer to each request: a script, a cassette, an oracle, or several in turn.
pub trait Voice: Send {
    /// The answer to the next request.
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision;

    /// What was used, and what never was.
    fn account(&self) -> UsageAccount {
        UsageAccount::default()
    }
}

/// What becomes of one request.
#[derive(Clone, Debug)]
pub enum VoiceDecision {
    /// An answer in good order.
    Say {
        /// Who says it, for the log of calls.
        by: String,
        /// The answer.
        answer: ScriptedAnswer,
    },
    /// An answer that a fault damages.
    Break {
        /// Who says it.
        by: String,
        /// The fault.
        fault: RehearsalFault,
        /// The answer that a healthy endpoint would give.
        answer: ScriptedAnswer,
    },
    /// These bytes.
    Send {
        /// Who sends them.
        by: String,
        /// What goes over the wire.
        wire: WireAnswer,
    },
    /// Nobody has an answer: the client gets status 500.
    Nothing(Bilingual),
}

/// What was used, and what never was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageAccount {
    /// What was there for nothing: rules, recorded calls, faults.
    pub unused: Vec<String>,
    /// How often something happened, by name.
    pub counts: BTreeMap<String, u64>,
}

impl UsageAccount {
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
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        (**self).turn(asked)
    }

    fn account(&self) -> UsageAccount {
        (**self).account()
    }
}

/// Several voices: the first that has an answer gives it.
impl Voice for Vec<Box<dyn Voice>> {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        let mut missing = Bilingual::from(("nobody is there to answer", "没有可以作答的一方"));
        for voice in self {
            match voice.turn(asked) {
                VoiceDecision::Nothing(words) => missing = words,
                turn => return turn,
            }
        }
        VoiceDecision::Nothing(missing)
    }

    fn account(&self) -> UsageAccount {
        self.iter().map(Voice::account).fold(UsageAccount::default(), UsageAccount::plus)
    }
}
