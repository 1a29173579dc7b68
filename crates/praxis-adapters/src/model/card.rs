//! What an endpoint has shown that it takes. Learnt by being refused, one thing at a time.

use praxis_core::ask::fault::{ModelFault, Parameter};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is known of one model behind one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CapabilityCard {
    /// Parameters that it refuses.
    pub refused: BTreeSet<Parameter>,
    /// What becomes of earlier thoughts.
    pub thoughts: ReasoningStyle,
    /// How JSON is asked for.
    pub rung: JsonMode,
    /// Schemas go out without `pattern`, `format` and bounds, of which it cannot make a grammar.
    pub plain_schemas: bool,
    /// How the calls that it wants come.
    pub calls: ToolCallStyle,
}

/// What becomes of the model's earlier thoughts when it is asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningStyle {
    /// They stay here.
    #[default]
    Kept,
    /// They are sent back.
    Returned,
}

/// How calls come out of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallStyle {
    /// In the stream.
    #[default]
    Streamed,
    /// In a whole answer only: its stream loses them.
    Whole,
}

/// How JSON is asked for, the surest first. An answer is checked on every rung alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonMode {
    /// `response_format: json_schema`.
    #[default]
    Schema,
    /// `response_format: json_object`, and the schema in words.
    Object,
    /// The arguments of one tool that must be called.
    ForcedTool,
    /// `structured_outputs` and `json_schema`, of which the server makes a grammar; the schema in words as well.
    Grammar,
    /// In words alone.
    Words,
}

impl JsonMode {
    /// All of them, from the top.
    pub const ALL: [Self; 5] =
        [Self::Schema, Self::Object, Self::ForcedTool, Self::Grammar, Self::Words];

    /// The next one below.
    fn below(self) -> Self {
        match self {
            Self::Schema => Self::Object,
            Self::Object => Self::ForcedTool,
            Self::ForcedTool => Self::Grammar,
            Self::Grammar | Self::Words => Self::Words,
        }
    }

    /// As the request names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Schema => "json_schema",
            Self::Object => "json_object",
            Self::ForcedTool => "forced tool",
            Self::Grammar => "grammar",
            Self::Words => "words",
        }
    }
}

impl CapabilityCard {
    /// Learns from a refusal; false if there is nothing to be learnt, and asking again is no use.
    pub fn learn(&mut self, fault: &ModelFault) -> bool {
        match fault {
            ModelFault::ModelParameterRefused { parameter, .. } => self.without(*parameter),
            ModelFault::ModelReasoningWanted { .. } => self.turn(ReasoningStyle::Returned),
            ModelFault::ModelReasoningRefused { .. } => self.turn(ReasoningStyle::Kept),
            // What is unusual about these two is what they ask for.
            ModelFault::ModelRefused { status: 400 | 422, .. }
                if matches!(self.rung, JsonMode::ForcedTool | JsonMode::Grammar) =>
            {
                self.fall()
            }
            _ => false,
        }
    }

    /// Goes one rung down; false if there is none.
    pub fn fall(&mut self) -> bool {
        let mut below = self.rung.below();
        let no_tools = [Parameter::Tools, Parameter::ToolChoice];
        if below == JsonMode::ForcedTool && no_tools.iter().any(|it| self.refused.contains(it)) {
            below = below.below();
        }
        std::mem::replace(&mut self.rung, below) != below
    }

    fn turn(&mut self, thoughts: ReasoningStyle) -> bool {
        std::mem::replace(&mut self.thoughts, thoughts) != thoughts
    }

    fn without(&mut self, parameter: Parameter) -> bool {
        match parameter {
            // A schema may be taken without what no grammar can be made of.
            Parameter::Grammar if !self.plain_schemas && self.rung != JsonMode::Words => {
                self.plain_schemas = true;
                true
            }
            Parameter::ResponseFormat | Parameter::Grammar | Parameter::GuidedJson => self.fall(),
            Parameter::Tools | Parameter::ToolChoice => {
                let is_news = self.refused.insert(parameter);
                (self.rung == JsonMode::ForcedTool && self.fall()) || is_news
            }
            other => self.refused.insert(other),
        }
    }
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
