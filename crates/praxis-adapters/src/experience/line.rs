//! One line of the experience file: an experience, or the removal of one.

use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::case::Case;
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The score of a line without one.
const DEFAULT_SCORE: u64 = 50;

/// The experience of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperienceLine {
    /// A unique id: `<task>/<sequence number of the journal entry>`.
    pub evaluation_id: String,
    /// The task that the experience comes from.
    pub task_id: TaskId,
    /// The tenant of the task.
    #[serde(default)]
    pub tenant: Tenant,
    /// The time of the experience. Lines of earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The experience. Fields added by later versions are ignored.
    #[serde(flatten)]
    pub experience: Experience,
}

/// The part of an experience that a person removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgottenPart {
    /// The whole experience of the task.
    Experience,
    /// Only its plan.
    Plan,
}

/// The removal of a task's experience or plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The task whose experience is removed.
    pub task_id: TaskId,
    /// The part that is removed.
    pub removed: ForgottenPart,
}

/// A parsed line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReadLine {
    Taught(Box<ExperienceLine>),
    Removed(Removal),
}

impl ReadLine {
    /// Parses a line of any version; missing fields get their defaults. Returns `None` if it is not JSON or carries
    /// no experience.
    pub(super) fn read(line: &str, number: usize) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        if value.get("removed").is_some() {
            return serde_json::from_value(value).ok().map(Self::Removed);
        }
        taught(&value, number).map(|line| Self::Taught(Box::new(line)))
    }
}

fn taught(value: &Value, number: usize) -> Option<ExperienceLine> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let tells = ["experience", "quick_summary", "task"].iter().any(|name| text(name).is_some());
    if !tells {
        return None;
    }
    let score = |name: &str| {
        let score = value.get(name).and_then(Value::as_u64).unwrap_or(DEFAULT_SCORE);
        u32::try_from(score.min(100)).unwrap_or(100)
    };
    let category = match text("category").as_deref() {
        Some("solving_ideas") => ExperienceCategory::SolvingIdeas,
        _ => ExperienceCategory::ReflectionSuggestions,
    };
    let task_id = text("task_id").unwrap_or_default();
    let case = value.get("case").cloned();
    let case: Option<Case> = case.and_then(|case| serde_json::from_value(case).ok());
    Some(ExperienceLine {
        evaluation_id: text("evaluation_id").unwrap_or_else(|| format!("{task_id}/line {number}")),
        task_id: TaskId::from(task_id),
        tenant: text("tenant").map(Tenant::from).unwrap_or_default(),
        at: value.get("at").and_then(Value::as_u64).map(Timestamp),
        experience: Experience {
            task_completion: score("task_completion"),
            execution_efficiency: score("execution_efficiency"),
            tool_usage: score("tool_usage"),
            category,
            intention: text("intention").unwrap_or_default(),
            task: text("task").unwrap_or_default(),
            experience: text("experience").unwrap_or_default(),
            quick_summary: text("quick_summary").unwrap_or_default(),
            defaulted: value.get("defaulted").and_then(Value::as_bool).unwrap_or_default(),
            case,
        },
    })
}
