//! One experience: what is kept of a finished task for later ones.

use super::case::Case;
use serde::{Deserialize, Serialize};

/// What a task taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experience {
    /// How far it came, of 100.
    pub task_completion: u32,
    /// How straight the way was, of 100.
    pub execution_efficiency: u32,
    /// How well the tools were used, of 100.
    pub tool_usage: u32,
    /// `solving_ideas` or `reflection_suggestions`.
    pub category: ExperienceCategory,
    /// The kind of work.
    pub intention: String,
    /// The task in other words.
    pub task: String,
    /// What to do, or not to do, another time.
    pub experience: String,
    /// The same in one line.
    pub quick_summary: String,
    /// The model's answer could not be used: these are defaults.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulted: bool,
    /// What it did. An experience of an earlier version has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Case>,
}

/// What kind of experience it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExperienceCategory {
    /// A way that worked.
    SolvingIdeas,
    /// What went wrong and why.
    ReflectionSuggestions,
}
