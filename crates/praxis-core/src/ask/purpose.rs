//! Purposes of model calls.

use crate::ids::StepId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a model is asked. Each has its own prompt, schema and parser.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub enum Purpose {
    /// The relation of a request to earlier work.
    Strategy,
    /// The tools that the task needs.
    Select,
    /// A plan.
    Plan,
    /// A plan for the rest of the task, after the overall reflection.
    Replan,
    /// Missing values of a step.
    Infer {
        /// The step.
        step: StepId,
    },
    /// The cause of a step's failure and the action to take.
    Reflect {
        /// The step.
        step: StepId,
    },
    /// Another way to do a step.
    Repair {
        /// The step.
        step: StepId,
    },
    /// A verdict on whether the goal is reached.
    Evaluate,
    /// The reason why the task does not reach its goal, and the action to take.
    ReflectOverall,
    /// The parts of a long output that the goal needs.
    Extract {
        /// The step that made the output.
        step: StepId,
    },
    /// The answer to the goal, in words or in the requested format.
    Report,
    /// A progress message to the user.
    Tell,
    /// The lessons of a task.
    Learn,
}

/// A group of purposes that can have its own model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Tool selection.
    Select,
    /// Planning.
    Plan,
    /// Parameter inference.
    Infer,
    /// Reflection and repair.
    Reflect,
    /// Evaluation.
    Evaluate,
    /// Extraction from long outputs.
    Extract,
    /// Reports and messages.
    Report,
    /// Learning.
    Learn,
}

impl ModelRole {
    /// All roles.
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

    /// Returns the name of the role in settings.
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
    /// Returns the stage, which names the prompt and the answer's schema.
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

    /// Returns the role whose model serves this purpose.
    pub fn role(&self) -> ModelRole {
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

    /// Returns the step that the purpose is about.
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

    /// Returns true if the answer is a plan, whose steps may start before it is complete.
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
