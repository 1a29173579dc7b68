//! What a model is asked for.

use crate::ids::StepId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that a model can be asked for. Each has its prompt, its schema and its reader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub enum Purpose {
    /// Whether a request goes on with earlier work.
    Strategy,
    /// Which tools the task needs.
    Select,
    /// A plan.
    Plan,
    /// A plan for the rest, after overall reflection.
    Replan,
    /// Values that a step misses.
    Infer {
        /// Which step.
        step: StepId,
    },
    /// Why a step failed and what to do.
    Reflect {
        /// Which step.
        step: StepId,
    },
    /// Another way to do a step.
    Repair {
        /// Which step.
        step: StepId,
    },
    /// Whether the goal is reached.
    Evaluate,
    /// Why the task does not get there, and what to do.
    ReflectOverall,
    /// What the goal needs of an output that is too long to be shown.
    Extract {
        /// Whose output.
        step: StepId,
    },
    /// The answer to the goal, in words or in the form that was asked for.
    Report,
    /// A word to the user about what has happened since the last one.
    Tell,
    /// What the task teaches.
    Learn,
}

/// A kind of errand that can have a model of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Choosing tools.
    Select,
    /// Planning.
    Plan,
    /// Filling in values.
    Infer,
    /// Reflecting and repairing.
    Reflect,
    /// Judging.
    Evaluate,
    /// Reading what is long.
    Extract,
    /// Answering.
    Report,
    /// Learning.
    Learn,
}

impl ModelRole {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Select,
        Self::Plan,
        Self::Infer,
        Self::Reflect,
        Self::Evaluate,
        Self::Extract,
        Self::Report,
        Self::Learn,
    ];

    /// The word in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Plan => "plan",
            Self::Infer => "infer",
            Self::Reflect => "reflect",
            Self::Evaluate => "evaluate",
            Self::Extract => "extract",
            Self::Report => "report",
            Self::Learn => "learn",
        }
    }
}

impl Purpose {
    /// The stage: the name of the prompt's stage and of the answer's schema.
    pub fn stage(&self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Select => "selection",
            Self::Plan => "planning",
            Self::Replan => "replanning",
            Self::Infer { .. } => "parameter_inference",
            Self::Reflect { .. } => "reflection_step",
            Self::Repair { .. } => "single_step_repair",
            Self::Evaluate => "evaluation",
            Self::ReflectOverall => "reflection_overall",
            Self::Extract { .. } => "extraction",
            Self::Report => "ai_reporter",
            Self::Tell => "message_formatter",
            Self::Learn => "post_task_evaluation",
        }
    }

    /// Whose work it is.
    pub fn duty(&self) -> ModelRole {
        match self {
            Self::Strategy | Self::Plan | Self::Replan => ModelRole::Plan,
            Self::Select => ModelRole::Select,
            Self::Infer { .. } => ModelRole::Infer,
            Self::Reflect { .. } | Self::Repair { .. } | Self::ReflectOverall => ModelRole::Reflect,
            Self::Evaluate => ModelRole::Evaluate,
            Self::Extract { .. } => ModelRole::Extract,
            Self::Report | Self::Tell => ModelRole::Report,
            Self::Learn => ModelRole::Learn,
        }
    }

    /// The step that it is about.
    pub fn step(&self) -> Option<&StepId> {
        match self {
            Self::Infer { step }
            | Self::Reflect { step }
            | Self::Repair { step }
            | Self::Extract { step } => Some(step),
            Self::Strategy
            | Self::Select
            | Self::Plan
            | Self::Replan
            | Self::Evaluate
            | Self::ReflectOverall
            | Self::Report
            | Self::Tell
            | Self::Learn => None,
        }
    }

    /// Whether its answer is a plan, whose steps may start before it is whole.
    pub fn plans(&self) -> bool {
        matches!(self, Self::Plan | Self::Replan)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.stage())?;
        self.step().map_or(Ok(()), |step| write!(out, " {step}"))
    }
}
