//! An earlier task as a later one recalls it: read once, recorded, and from then on part of its state.

use crate::ids::TaskId;
use crate::journal::case::Case;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// An earlier task that ended well, and how near its goal is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecalledTask {
    /// Which task.
    pub task: TaskId,
    /// How much of the present goal its goal says too, in thousandths.
    pub likeness: u32,
    /// The hash of the whole case, the plan too where that does not come with it.
    pub hash: String,
    /// What it taught, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What it did.
    pub case: Case,
    /// When it taught that, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Why its plan is not used by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred: Option<PlanBarred>,
}

/// Why a plan is not used by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanBarred {
    /// It is too old: what it works with may be another thing by now.
    Old,
    /// A later task used it and failed, or had to leave it.
    Failed,
}
