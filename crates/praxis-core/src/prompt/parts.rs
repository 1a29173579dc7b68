//! The one table of parts: their names, their holes, and how each begins.

use crate::lang::Lang;

/// How the first line of a part reads. Models, tests and recordings know a stage by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptOpening {
    /// `stage: NAME`.
    Stage(&'static str),
    /// `stage: <<stage>>`: the caller names it.
    AnyStage,
    /// Any words: it is a piece of a larger text.
    Free,
}

/// A text with holes.
#[derive(Clone, Copy, Debug)]
pub struct PromptPart {
    /// Its name, which is the stem of its file.
    pub name: &'static str,
    /// The names of its holes; each has to stand in its text.
    pub holes: &'static [&'static str],
    /// How it begins.
    pub opening: PromptOpening,
    en: &'static str,
    zh: &'static str,
}

impl PromptPart {
    /// The text in the binary.
    pub fn text(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en.trim_end(),
            Lang::Zh => self.zh.trim_end(),
        }
    }

    /// The module it belongs to: its name up to the first dot.
    pub fn module(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// The first line that its text must have, if it must have one.
    pub fn first_line(&self) -> Option<String> {
        match self.opening {
            PromptOpening::Stage(stage) => Some(format!("stage: {stage}")),
            PromptOpening::AnyStage => Some("stage: <<stage>>".to_owned()),
            PromptOpening::Free => None,
        }
    }
}

/// The part of this name.
pub fn part(name: &str) -> Option<&'static PromptPart> {
    PARTS.iter().find(|part| part.name == name)
}

/// The stages, each with a schema for its answer.
pub const STAGES: &[&str] = &[
    "selection",
    "planning",
    "continue_planning",
    "strategy",
    "evaluation",
    "reflection_step",
    "reflection_overall",
    "replanning",
    "single_step_repair",
    "parameter_inference",
    "post_task_evaluation",
    "extraction",
    "ai_reporter",
    "message_formatter",
];

macro_rules! part {
    ($name:literal, $opening:expr, $holes:expr) => {
        PromptPart {
            name: $name,
            holes: &$holes,
            opening: $opening,
            en: include_str!(concat!("../../../../prompts/en/", $name, ".md")),
            zh: include_str!(concat!("../../../../prompts/zh/", $name, ".md")),
        }
    };
}

use PromptOpening::{AnyStage, Free, Stage};

/// Every part, in the order of a task.
pub const PARTS: &[PromptPart] = &[
    part!("foundation", Free, ["tools", "goal", "context", "metadata"]),
    part!("selection", Stage("selection"), ["scene_guidance", "intent", "workflows", "catalog"]),
    part!(
        "selection.replanning",
        Stage("selection"),
        ["scene_guidance", "intent", "previous", "reflection", "workflows", "catalog"]
    ),
    part!(
        "selection.continuing",
        Stage("selection"),
        ["scene_guidance", "intent", "previous", "workflows", "catalog"]
    ),
    part!("planning", Stage("planning"), ["scene_guidance", "workflow", "notes"]),
    part!("plan_correction", Stage("planning"), ["problems"]),
    part!("answer_correction", AnyStage, ["stage", "problems"]),
    part!("continue_planning", Stage("continue_planning"), ["scene_guidance", "kept", "notes"]),
    part!("continue_planning.strategy", Stage("strategy"), ["request", "history"]),
    part!("evaluation", Stage("evaluation"), ["scene_guidance", "success_threshold", "checks"]),
    part!(
        "reflection.step",
        Stage("reflection_step"),
        ["scene_guidance", "step", "error", "attempts", "guide"]
    ),
    part!(
        "reflection.overall",
        Stage("reflection_overall"),
        ["scene_guidance", "trigger", "statistics", "guide"]
    ),
    part!(
        "replanning",
        Stage("replanning"),
        ["scene_guidance", "strategy", "reflection", "kept", "guide"]
    ),
    part!(
        "single_step_repair",
        Stage("single_step_repair"),
        ["scene_guidance", "step", "error", "attempts"]
    ),
    part!(
        "parameter_inference",
        Stage("parameter_inference"),
        ["step", "tool", "planned", "missing", "sources"]
    ),
    part!("post_task_evaluation", Stage("post_task_evaluation"), ["outcome"]),
    part!("extraction", Stage("extraction"), ["length", "step", "text"]),
    part!(
        "ai_reporter",
        Stage("ai_reporter"),
        ["scene_guidance", "form", "length", "points", "result"]
    ),
    part!("message_formatter", Stage("message_formatter"), ["phase", "mode", "facts"]),
    part!("scene_guidance", Free, ["guidance"]),
    part!("scene_guidance.none", Free, []),
    part!("experience", Free, ["tasks"]),
    part!("guide.rounds", Free, ["round"]),
    part!("guide.retries", Free, ["step_retries"]),
    part!(
        "statistics",
        Free,
        [
            "round",
            "step_retries",
            "single_step_repairs",
            "task_replans",
            "consecutive_failures",
            "successes",
            "failures",
            "budget_left",
        ]
    ),
    part!("none", Free, []),
];
