//! Own calls of Praxis, the building blocks of flows. No tool can have one of their names.

use serde::{Deserialize, Serialize};

/// A call that Praxis itself implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnCall {
    /// Does nothing.
    Empty,
    /// Takes one of several branches.
    Choice,
    /// Builds a text or data from a template.
    Convert,
    /// Sends a text to the user.
    Reply,
    /// Asks a model.
    Llm,
    /// Summarizes a conversation.
    Summary,
    /// Extracts the facts worth keeping from a question and its answer.
    Facts,
    /// Finds values for parameters.
    Slot,
    /// Lets a model call tools until it has an answer.
    Agent,
    /// Lets a model write the SQL query that answers a question.
    Sql,
    /// Waits for a time span or until a moment.
    Wait,
    /// Asks a person for approval.
    Approve,
    /// Repeats the steps inside it.
    Loop,
    /// Runs the steps of another flow.
    SubFlow,
}

impl OwnCall {
    /// Returns the kind of answer that the call asks a model for. An agent with a frame asks through the steps inside
    /// it.
    pub fn asks(self) -> Option<ModelAnswerKind> {
        match self {
            Self::Llm => Some(ModelAnswerKind::Words),
            Self::Summary => Some(ModelAnswerKind::Summary),
            Self::Facts => Some(ModelAnswerKind::Facts),
            Self::Slot => Some(ModelAnswerKind::Values),
            Self::Agent | Self::Sql => Some(ModelAnswerKind::Turn),
            Self::Empty | Self::Choice | Self::Convert | Self::Reply | Self::Wait => None,
            Self::Approve | Self::Loop | Self::SubFlow => None,
        }
    }

    /// Returns true if the call asks a model.
    pub fn asks_a_model(self) -> bool {
        self.asks().is_some()
    }
}

/// The kind of answer that a call asks a model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAnswerKind {
    /// An answer to a prompt.
    Words,
    /// A summary of a conversation.
    Summary,
    /// Facts worth keeping.
    Facts,
    /// Values for parameters.
    Values,
    /// The next turn of an agent.
    Turn,
}
