//! The state of a frame: the steps inside a step.

use crate::dataflow::context::StepIndex;
use crate::intake::node::{AgentNode, EdgeCondition, StepBody};
use crate::payload::Payload;
use crate::state::State;
use crate::state::step::{Dependent, Step, StepNeeds, StepStatus};
use serde::{Deserialize, Serialize};

/// The state of a frame besides its steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameState {
    /// True if its variables are known.
    pub opened: bool,
    /// The current or last pass; 0 before the first.
    pub pass: u32,
    /// True if that pass ended and `PassEnded` was recorded.
    pub over: bool,
    /// Number of its steps that have not ended.
    pub open: u32,
    /// Its steps.
    pub steps: Vec<StepIndex>,
    /// True if the frame looks for missing parameter values before its step starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fills: bool,
    /// Number of calls added by `StepsAdded`: calls of an agent, or look-ups of values.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u32,
    /// Number of those calls that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_calls: u32,
    /// Number of times an agent was resumed; each time it gets all its turns again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u32,
    /// Number of failed passes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// Values collected from the passes so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collected: Vec<Payload>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl FrameState {
    /// Returns the number of turns that an agent has after this one.
    pub fn turns_left(&self, agent: &AgentNode) -> u32 {
        agent.max.saturating_mul(self.again + 1).saturating_sub(self.pass)
    }
}

/// Returns the path of a pass. A later generation has its own path, so its steps have their own idempotency keys.
pub fn path(step: &Step, pass: u32) -> String {
    let id = &step.plan.id;
    let wish = if step.generation > 1 { format!("~{}", step.generation) } else { String::new() };
    let many = |body: &StepBody| body.repeat.is_some() || body.agent.is_some();
    if step.plan.body().is_some_and(many) {
        format!("{id}{wish}[{pass}]")
    } else {
        format!("{id}{wish}")
    }
}

/// Returns true if a step failed, was not dropped, and no edge with `EdgeCondition::Failure` handles it.
pub fn is_unhandled(state: &State, step: &Step) -> bool {
    let deals = |dependent: &Dependent| match dependent.needs {
        StepNeeds::Way(way) => {
            state.way(dependent.step, way).is_some_and(|w| w.on == EdgeCondition::Failure)
        }
        StepNeeds::Success | StepNeeds::End => false,
    };
    step.status == StepStatus::Error && !step.dropped && !step.dependents.iter().any(deals)
}
