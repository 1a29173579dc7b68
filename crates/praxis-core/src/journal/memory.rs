//! An earlier task as recalled by a later one: read once, recorded in the journal, and then part of its state.

use crate::ids::TaskId;
use crate::journal::case::Case;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// An earlier successful task, and the similarity of its goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecalledTask {
    /// The earlier task.
    pub task: TaskId,
    /// The share of the present goal's words that the earlier goal has too, in thousandths.
    #[serde(rename = "likeness")]
    pub similarity: u32,
    /// The hash of the whole case, including its plan even if the plan is left out here.
    pub hash: String,
    /// The experience in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The case of the task.
    pub case: Case,
    /// The time of the experience, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The reason why the plan is not reused automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred: Option<PlanBarred>,
}

/// The reason why a plan is not reused automatically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanBarred {
    /// It is too old: its tools and data may have changed.
    Old,
    /// A later task reused it and failed, or had to repair or replan.
    Failed,
}
