//! The seam that decides the answer to each request.

use super::answer::ScriptedAnswer;
use super::asked::ChatRequest;
use super::fault::RehearsalFault;
use super::wire::WireAnswer;
use praxis_core::problem::Bilingual;
use std::collections::BTreeMap;

/// Decides the answer to each request: a script, a cassette, an oracle, or several in turn.
pub trait Voice: Send {
    /// Returns the answer to the next request.
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision;

    /// Returns the answers used, and those never used.
    fn account(&self) -> VoiceReport {
        VoiceReport::default()
    }
}

/// The decision about one request.
#[derive(Clone, Debug)]
pub enum VoiceDecision {
    /// A healthy answer.
    Say {
        /// The source of the answer, for the call log.
        by: String,
        /// The answer.
        answer: ScriptedAnswer,
    },
    /// An answer damaged by a fault.
    Break {
        /// The source of the answer, for the call log.
        by: String,
        /// The fault to apply.
        fault: RehearsalFault,
        /// The answer that a healthy endpoint would give.
        answer: ScriptedAnswer,
    },
    /// Fixed bytes.
    Send {
        /// The source of the bytes, for the call log.
        by: String,
        /// The answer to send as it is.
        wire: WireAnswer,
    },
    /// No answer, with the reason: the client gets status 500.
    Nothing(Bilingual),
}

/// The answers used, and those never used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VoiceReport {
    /// The names of unused rules, recorded calls and faults.
    pub unused: Vec<String>,
    /// The number of uses by name.
    pub counts: BTreeMap<String, u64>,
}

impl VoiceReport {
    /// Adds two accounts.
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

    fn account(&self) -> VoiceReport {
        (**self).account()
    }
}

/// Several voices: the first one with an answer gives it.
impl Voice for Vec<Box<dyn Voice>> {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        let mut missing = Bilingual::from((
            "no script or recording is loaded to answer requests",
            "没有指定应答来源（--script 或 --replay）",
        ));
        for voice in self {
            match voice.turn(asked) {
                VoiceDecision::Nothing(words) => missing = words,
                turn => return turn,
            }
        }
        VoiceDecision::Nothing(missing)
    }

    fn account(&self) -> VoiceReport {
        self.iter().map(Voice::account).fold(VoiceReport::default(), VoiceReport::plus)
    }
}
