//! What becomes of questions that nobody answers in their time, as a flow or the settings say it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What becomes of a question that nobody answers in its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnansweredAction {
    /// It counts as denied: the step fails, and what deals with failures can deal with this one.
    #[default]
    Deny,
    /// The step is left out.
    Skip,
    /// The task fails.
    Fail,
    /// Parameters get their default values; what has none is denied.
    Default,
}

impl UnansweredAction {
    /// All of them, by the words that files use.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("deny", Self::Deny),
        ("skip", Self::Skip),
        ("fail", Self::Fail),
        ("default", Self::Default),
    ];

    /// What a word means.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, it)| it)
    }

    /// Whether that is what happens where nothing is said.
    pub fn is_usual(&self) -> bool {
        *self == Self::Deny
    }
}

/// What a node of a flow says of its questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnansweredPolicy {
    /// How long they wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// What becomes of them then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<UnansweredAction>,
    /// The values that parameters get by default.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
}
