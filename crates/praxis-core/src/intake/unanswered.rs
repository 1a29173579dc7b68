//! The handling of questions that nobody answers in time, as a flow or the settings define it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The action for a question that nobody answers in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnansweredAction {
    /// The question counts as denied: the step fails, and its failure can be handled.
    #[default]
    Deny,
    /// The step is skipped.
    Skip,
    /// The task fails.
    Fail,
    /// Parameters get their default values; a question without defaults is denied.
    Default,
}

impl UnansweredAction {
    /// All actions with their names in files.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("deny", Self::Deny),
        ("skip", Self::Skip),
        ("fail", Self::Fail),
        ("default", Self::Default),
    ];

    /// Returns the action with this name in files.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, it)| it)
    }

    /// Returns true for the default action.
    pub fn is_usual(&self) -> bool {
        *self == Self::Deny
    }
}

/// The policy of a flow node for its unanswered questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnansweredPolicy {
    /// The time that a question waits for an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// The action after that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<UnansweredAction>,
    /// The default values of parameters.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
}
