//! The options of a run that a caller can choose.

use crate::call::approval::Policy;
use crate::dataflow::resolve::OnUnresolved;
use crate::intake::unanswered::UnansweredAction;
use crate::lang::Lang;
use serde::{Deserialize, Serialize};

/// The options of a run, pinned at submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    /// The maximum number of steps that run in parallel.
    pub parallel_max_concurrent: u32,
    /// The number of steps below which a plan runs one step at a time.
    pub parallel_min_steps: u32,
    /// True if steps may run in parallel.
    pub parallel: bool,
    /// The limit of active time.
    pub task_timeout_ms: u64,
    /// The reaction to the time limit and to every budget limit.
    pub on_wall: OnLimit,
    /// The handling of a placeholder without a value.
    pub on_unresolved: OnUnresolved,
    /// A limit on the retries of one step, in addition to that of its tool; `None` leaves it to the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_step_retries: Option<u32>,
    /// The number of failures in a row at which the task stops; `None` continues with the steps that can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_consecutive_failures: Option<u32>,
    /// The time that a question waits for an answer; `None` waits forever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_within_ms: Option<u64>,
    /// The action for a question that nobody answers in that time.
    #[serde(skip_serializing_if = "UnansweredAction::is_usual")]
    pub unanswered: UnansweredAction,
    /// The approval policy for calls.
    #[serde(skip_serializing_if = "Policy::is_silent")]
    pub approval: Policy,
    /// The language of the people of the task.
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

/// The reaction to a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLimit {
    /// A person is asked to raise the limit.
    Ask,
    /// Nobody is present: at a budget limit the task waits until somebody answers; at the time limit it fails.
    Wait,
    /// The task fails.
    #[default]
    Fail,
}
