//! The capabilities of a model endpoint, learnt from its refusals one at a time.

use praxis_core::ask::fault::{ModelFault, Parameter};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The known capabilities of one model at one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CapabilityCard {
    /// Parameters that the endpoint refuses.
    pub refused: BTreeSet<Parameter>,
    /// The handling of earlier reasoning.
    pub thoughts: ReasoningStyle,
    /// The way in which JSON is requested.
    pub rung: JsonMode,
    /// True if schemas are sent without `pattern`, `format` and bounds, from which the endpoint cannot build a
    /// grammar.
    pub plain_schemas: bool,
    /// The way in which tool calls arrive.
    pub calls: ToolCallStyle,
}

/// The handling of the model's earlier reasoning in later requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningStyle {
    /// The reasoning is not sent back.
    #[default]
    Kept,
    /// The reasoning is sent back.
    Returned,
}

/// The way in which tool calls arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallStyle {
    /// In the stream.
    #[default]
    Streamed,
    /// Only in a reply that is not streamed: the stream loses them.
    Whole,
}

/// The way in which JSON is requested, the most reliable first. The answer is validated in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonMode {
    /// `response_format: json_schema`.
    #[default]
    Schema,
    /// `response_format: json_object`, with the schema in the prompt.
    Object,
    /// The arguments of one tool that must be called.
    ForcedTool,
    /// `structured_outputs` and `json_schema`, from which the server builds a grammar; the schema is in the prompt as
    /// well.
    Grammar,
    /// No special field: JSON is requested in the prompt only.
    Words,
}

impl JsonMode {
    /// All modes, the most reliable first.
    pub const ALL: [Self; 5] =
        [Self::Schema, Self::Object, Self::ForcedTool, Self::Grammar, Self::Words];

    /// Returns the next mode below.
    fn below(self) -> Self {
        match self {
            Self::Schema => Self::Object,
            Self::Object => Self::ForcedTool,
            Self::ForcedTool => Self::Grammar,
            Self::Grammar | Self::Words => Self::Words,
        }
    }

    /// Returns the name of the mode.
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
    /// Learns from a refusal. Returns false if there is nothing to learn, and so no point in asking again.
    pub fn learn(&mut self, fault: &ModelFault) -> bool {
        match fault {
            ModelFault::ModelParameterRefused { parameter, .. } => self.without(*parameter),
            ModelFault::ModelReasoningWanted { .. } => self.turn(ReasoningStyle::Returned),
            ModelFault::ModelReasoningRefused { .. } => self.turn(ReasoningStyle::Kept),
            // In these two modes the request has unusual fields, the likely reason of the refusal.
            ModelFault::ModelRefused { status: 400 | 422, .. }
                if matches!(self.rung, JsonMode::ForcedTool | JsonMode::Grammar) =>
            {
                self.fall()
            }
            _ => false,
        }
    }

    /// Falls to the next JSON mode; returns false if there is none.
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
            // The schema may be accepted without the parts that cannot become a grammar.
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
