//! What an endpoint has shown that it takes. Learnt by being refused, one thing at a time.

use praxis_core::ask::fault::{Fault, Parameter};
use std::collections::BTreeSet;

/// What is known of one model behind one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Parameters that it refuses.
    pub refused: BTreeSet<Parameter>,
    /// What becomes of earlier thoughts.
    pub thoughts: Thoughts,
    /// How JSON is asked for.
    pub rung: Rung,
}

/// What becomes of the model's earlier thoughts when it is asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thoughts {
    /// They stay here.
    #[default]
    Kept,
    /// They are sent back.
    Returned,
}

/// How JSON is asked for, the surest first. An answer is checked on every rung alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// `response_format: json_schema`.
    #[default]
    Schema,
    /// `response_format: json_object`, and the schema in words.
    Object,
    /// In words alone.
    Words,
}

impl Card {
    /// Learns from a refusal; false if there is nothing to be learnt, and asking again is no use.
    pub fn learn(&mut self, fault: &Fault) -> bool {
        match fault {
            Fault::ModelParameterRefused { parameter, .. } => self.without(*parameter),
            Fault::ModelReasoningWanted { .. } => self.turn(Thoughts::Returned),
            Fault::ModelReasoningRefused { .. } => self.turn(Thoughts::Kept),
            _ => false,
        }
    }

    fn turn(&mut self, thoughts: Thoughts) -> bool {
        std::mem::replace(&mut self.thoughts, thoughts) != thoughts
    }

    fn without(&mut self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::ResponseFormat | Parameter::Grammar | Parameter::GuidedJson => {
                let lower = match self.rung {
                    Rung::Schema => Rung::Object,
                    Rung::Object | Rung::Words => Rung::Words,
                };
                std::mem::replace(&mut self.rung, lower) != lower
            }
            other => self.refused.insert(other),
        }
    }
}
