//! The calls that Praxis makes itself: what flows are built of. No tool can have one of their names.

use serde::{Deserialize, Serialize};

/// A call of Praxis' own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnCall {
    /// Does nothing.
    Empty,
    /// Takes a branch.
    Choice,
    /// Puts a text or data together.
    Convert,
    /// Says something to the user.
    Reply,
    /// Asks a model.
    Llm,
    /// Sums up what was said.
    Summary,
    /// Keeps what is worth knowing of an answer.
    Facts,
    /// Finds values for parameters.
    Slot,
    /// Lets a model call tools until it has an answer.
    Agent,
    /// Lets a model write the query that answers a question.
    Sql,
    /// Lets time pass.
    Wait,
    /// Asks a person whether to go on.
    Approve,
    /// Runs the steps inside it again and again.
    Loop,
    /// Runs the steps of another flow.
    SubFlow,
}

impl OwnCall {
    /// What a model is asked for. An agent that holds a frame asks by the steps inside it.
    pub fn asks(self) -> Option<OwnCallSpec> {
        match self {
            Self::Llm => Some(OwnCallSpec::Words),
            Self::Summary => Some(OwnCallSpec::Summary),
            Self::Facts => Some(OwnCallSpec::Facts),
            Self::Slot => Some(OwnCallSpec::Values),
            Self::Agent | Self::Sql => Some(OwnCallSpec::Turn),
            Self::Empty | Self::Choice | Self::Convert | Self::Reply | Self::Wait => None,
            Self::Approve | Self::Loop | Self::SubFlow => None,
        }
    }

    /// Whether a model is asked.
    pub fn asks_a_model(self) -> bool {
        self.asks().is_some()
    }
}

/// What a call asks a model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnCallSpec {
    /// An answer to a prompt.
    Words,
    /// A summary of what was said.
    Summary,
    /// Facts that are worth keeping.
    Facts,
    /// Values for parameters.
    Values,
    /// What an agent does next.
    Turn,
}
