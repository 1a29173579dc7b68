//! The experience of a finished task, kept for later tasks.

use super::case::Case;
use serde::{Deserialize, Serialize};

/// The experience of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experience {
    /// The degree of completion, from 0 to 100.
    pub task_completion: u32,
    /// The efficiency of the execution, from 0 to 100.
    pub execution_efficiency: u32,
    /// The quality of tool usage, from 0 to 100.
    pub tool_usage: u32,
    /// The category: `solving_ideas` or `reflection_suggestions`.
    pub category: ExperienceCategory,
    /// The kind of work.
    pub intention: String,
    /// A paraphrase of the task.
    pub task: String,
    /// The advice for similar tasks.
    pub experience: String,
    /// The advice in one line.
    pub quick_summary: String,
    /// True if the model's answer was unusable and these are default values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulted: bool,
    /// The case of the task; `None` for experiences of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Case>,
}

/// The category of an experience.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExperienceCategory {
    /// An approach that worked.
    SolvingIdeas,
    /// A failure and its reasons.
    ReflectionSuggestions,
}
