//! How a task is to be run: what its caller can choose.

use crate::call::approval::Policy;
use crate::dataflow::resolve::OnUnresolved;
use crate::intake::unanswered::UnansweredAction;
use crate::lang::Lang;
use serde::{Deserialize, Serialize};

/// How a task is to be run. Pinned when it is submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    /// Steps at the same time.
    pub parallel_max_concurrent: u32,
    /// Plans with fewer steps run one step at a time.
    pub parallel_min_steps: u32,
    /// Whether steps run at the same time at all.
    pub parallel: bool,
    /// The active time that the task has.
    pub task_timeout_ms: u64,
    /// What happens when that is used up, and at every other limit.
    pub on_wall: OnLimit,
    /// What happens to a placeholder without a value.
    pub on_unresolved: OnUnresolved,
    /// Retries of one step, whatever its tool says; none: the tool's word alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_step_retries: Option<u32>,
    /// Failures in a row after which the task stops; none: it goes on with what can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_consecutive_failures: Option<u32>,
    /// How long a question waits for an answer; none: for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_within_ms: Option<u64>,
    /// What becomes of it then.
    #[serde(skip_serializing_if = "UnansweredAction::is_usual")]
    pub unanswered: UnansweredAction,
    /// Which calls may be made.
    #[serde(skip_serializing_if = "Policy::is_silent")]
    pub approval: Policy,
    /// The language of the task's people.
    pub lang: Lang,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            parallel_max_concurrent: 8,
            parallel_min_steps: 1,
            parallel: true,
            task_timeout_ms: 3_600_000,
            on_wall: OnLimit::Fail,
            on_unresolved: OnUnresolved::Ask,
            max_step_retries: None,
            max_consecutive_failures: None,
            answer_within_ms: None,
            unanswered: UnansweredAction::Deny,
            approval: Policy::default(),
            lang: Lang::En,
        }
    }
}

/// What happens at a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLimit {
    /// A person is asked for more.
    Ask,
    /// Nobody is there now: the task waits at a limit of its budget until somebody answers; its time just ends.
    Wait,
    /// The task fails.
    #[default]
    Fail,
}
