//! Reflection on the whole task: replan or not, and in which mode.

use crate::ids::StepId;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The reason for reflecting on the whole task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trigger", rename_all = "snake_case")]
pub enum ReflectionTrigger {
    /// A step that cannot recover by itself.
    Step {
        /// The step.
        step: StepId,
    },
    /// A judgement below the success threshold.
    Judgement,
}

/// The result of reflecting on the whole task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReflection {
    /// True if a model reflected.
    pub by_model: bool,
    /// True if the task should be replanned.
    pub should_replan: bool,
    /// The causes of the failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_causes: Vec<String>,
    /// The assumptions that turned out wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incorrect_assumptions: Vec<String>,
    /// Other ways to the goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternative_approaches: Vec<String>,
    /// Suggestions for a better plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optimization_suggestions: Vec<String>,
    /// The lessons for later tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons_learned: Vec<String>,
    /// The mode of the replan.
    pub replanning_strategy: ReplanMode,
}

/// The mode of a replan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReplanMode {
    /// Replan everything that has not succeeded.
    #[default]
    FullReplan,
    /// Replan a step and all steps that depend on it.
    ReplanFromStep {
        /// The step.
        step_id: StepId,
        /// The reason.
        #[serde(default)]
        reason: String,
    },
    /// Drop some steps.
    SkipSteps {
        /// The steps to drop.
        step_ids: Vec<StepId>,
        /// The reason.
        #[serde(default)]
        reason: String,
    },
    /// Add remediation steps first, then run the failed steps again.
    AddRemediation {
        /// The suggested remediation.
        #[serde(default)]
        suggestions: Vec<String>,
    },
    /// Change the dependencies between steps.
    AdjustDependencies {
        /// The new dependencies.
        adjustments: Vec<PlanAdjustment>,
    },
}

/// The new dependencies of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAdjustment {
    /// The step.
    pub step_id: StepId,
    /// The steps that it waits for from now on.
    pub depends_on: Vec<StepId>,
}

impl ReplanMode {
    /// Returns the name in the journal and in the API.
    pub fn word(&self) -> &'static str {
        match self {
            Self::FullReplan => "full_replan",
            Self::ReplanFromStep { .. } => "replan_from_step",
            Self::SkipSteps { .. } => "skip_steps",
            Self::AddRemediation { .. } => "add_remediation",
            Self::AdjustDependencies { .. } => "adjust_dependencies",
        }
    }

    /// Returns true if the mode needs new steps, false if it only changes the existing ones.
    pub fn wants_steps(&self) -> bool {
        match self {
            Self::FullReplan | Self::ReplanFromStep { .. } | Self::AddRemediation { .. } => true,
            Self::SkipSteps { .. } | Self::AdjustDependencies { .. } => false,
        }
    }
}

/// A change of the plan, without the steps that are added to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRevision {
    /// The number of the new revision; the first plan is revision 1.
    pub revision: u32,
    /// The name of the `ReplanMode`.
    pub strategy: String,
    /// The reason.
    pub why: String,
    /// Unfinished steps that stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<StepId>,
    /// Failed steps that run again, as new effects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<StepId>,
    /// Steps whose dependencies change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewired: Vec<PlanAdjustment>,
    /// Steps that are given up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<StepId>,
    /// True if new steps must be planned.
    pub wants_steps: bool,
}

impl TaskReflection {
    /// Makes a reflection from the advice of a person.
    pub fn advised(text: &str) -> Self {
        Self { alternative_approaches: vec![text.to_owned()], ..Self::unknown(true) }
    }

    /// Returns an empty reflection, for a task on which no model reflected.
    pub fn unknown(should_replan: bool) -> Self {
        Self {
            by_model: false,
            should_replan,
            root_causes: vec![],
            incorrect_assumptions: vec![],
            alternative_approaches: vec![],
            optimization_suggestions: vec![],
            lessons_learned: vec![],
            replanning_strategy: ReplanMode::FullReplan,
        }
    }
}

/// Renders a reflection for the prompt of the next plan, one line per finding.
pub fn told(reflection: &TaskReflection) -> String {
    let parts = [
        ("root_causes", &reflection.root_causes),
        ("incorrect_assumptions", &reflection.incorrect_assumptions),
        ("alternative_approaches", &reflection.alternative_approaches),
        ("optimization_suggestions", &reflection.optimization_suggestions),
    ];
    let mut out = String::new();
    for (name, lines) in parts {
        for line in lines {
            let _ = writeln!(out, "- {name}: {line}");
        }
    }
    out.trim_end().to_owned()
}
