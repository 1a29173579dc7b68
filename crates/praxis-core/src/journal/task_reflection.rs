//! Reflection on the whole task: whether to plan anew, and how.

use crate::ids::StepId;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Why the whole task is reflected on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trigger", rename_all = "snake_case")]
pub enum ReflectionTrigger {
    /// A step cannot be helped by itself.
    Step {
        /// Which.
        step: StepId,
    },
    /// The outcome is not good enough.
    Judgement,
}

/// What was made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReflection {
    /// Whether a model reflected; else nobody could.
    pub by_model: bool,
    /// Whether to plan anew.
    pub should_replan: bool,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_causes: Vec<String>,
    /// What was wrongly taken for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incorrect_assumptions: Vec<String>,
    /// Other ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternative_approaches: Vec<String>,
    /// What could be better.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optimization_suggestions: Vec<String>,
    /// What it teaches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons_learned: Vec<String>,
    /// How to plan anew.
    pub replanning_strategy: ReplanMode,
}

/// How a task is planned anew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReplanMode {
    /// All that has not succeeded.
    #[default]
    FullReplan,
    /// A step and all that needs it.
    ReplanFromStep {
        /// Which.
        step_id: StepId,
        /// Why.
        #[serde(default)]
        reason: String,
    },
    /// Without some steps.
    SkipSteps {
        /// Which.
        step_ids: Vec<StepId>,
        /// Why.
        #[serde(default)]
        reason: String,
    },
    /// Something is done first, then what failed is done again.
    AddRemediation {
        /// What.
        #[serde(default)]
        suggestions: Vec<String>,
    },
    /// In another order.
    AdjustDependencies {
        /// What waits for what.
        adjustments: Vec<PlanAdjustment>,
    },
}

/// What a step is to wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAdjustment {
    /// Which step.
    pub step_id: StepId,
    /// What it waits for from now on.
    pub depends_on: Vec<StepId>,
}

impl ReplanMode {
    /// The word on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            Self::FullReplan => "full_replan",
            Self::ReplanFromStep { .. } => "replan_from_step",
            Self::SkipSteps { .. } => "skip_steps",
            Self::AddRemediation { .. } => "add_remediation",
            Self::AdjustDependencies { .. } => "adjust_dependencies",
        }
    }

    /// Whether new steps are needed; else the plan is only changed.
    pub fn wants_steps(&self) -> bool {
        match self {
            Self::FullReplan | Self::ReplanFromStep { .. } | Self::AddRemediation { .. } => true,
            Self::SkipSteps { .. } | Self::AdjustDependencies { .. } => false,
        }
    }
}

/// How a plan was changed, without the steps that were added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRevision {
    /// Counts from one.
    pub revision: u32,
    /// By which strategy.
    pub strategy: String,
    /// Why.
    pub why: String,
    /// Steps that have not ended and stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<StepId>,
    /// Steps that failed and run again, as new effects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<StepId>,
    /// Steps that wait for something else than before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewired: Vec<PlanAdjustment>,
    /// Steps that are given up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<StepId>,
    /// Whether new steps are to be planned.
    pub wants_steps: bool,
}

impl TaskReflection {
    /// What a person's words make of it.
    pub fn advised(text: &str) -> Self {
        Self { alternative_approaches: vec![text.to_owned()], ..Self::unknown(true) }
    }

    /// Nobody reflected.
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

/// What a reflection says, for the next plan.
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
