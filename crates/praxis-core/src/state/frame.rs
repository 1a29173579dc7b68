//! What is kept of a frame: the steps inside a step.

use crate::dataflow::context::StepIndex;
use crate::intake::node::{AgentNode, EdgeCondition, StepBody};
use crate::payload::Payload;
use crate::state::State;
use crate::state::step::{Dependent, Step, StepNeeds, StepStatus};
use serde::{Deserialize, Serialize};

/// What is kept of a frame besides its steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameState {
    /// Its variables are known.
    pub opened: bool,
    /// The pass that runs, or ran last; none before the first.
    pub pass: u32,
    /// That pass is over, and what it means is recorded.
    pub over: bool,
    /// Steps of it that have not ended.
    pub open: u32,
    /// Its steps.
    pub steps: Vec<StepIndex>,
    /// It is there to find values for the step before it starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fills: bool,
    /// Calls that an agent made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u32,
    /// Those of them that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_calls: u32,
    /// How often it was taken up again: an agent has its turns once more each time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u32,
    /// Passes that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// What was kept of the passes so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collected: Vec<Payload>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl FrameState {
    /// How many turns of an agent come after this one.
    pub fn turns_left(&self, agent: &AgentNode) -> u32 {
        agent.max.saturating_mul(self.again + 1).saturating_sub(self.pass)
    }
}

/// The path of a pass. A wish that is wished anew has steps of its own, with keys of their own.
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

/// Whether a step failed and no way leads on from there.
pub fn is_unhandled(state: &State, step: &Step) -> bool {
    let deals = |dependent: &Dependent| match dependent.needs {
        StepNeeds::Way(way) => {
            state.way(dependent.step, way).is_some_and(|w| w.on == EdgeCondition::Failure)
        }
        StepNeeds::Success | StepNeeds::End => false,
    };
    step.status == StepStatus::Error && !step.dropped && !step.dependents.iter().any(deals)
}
