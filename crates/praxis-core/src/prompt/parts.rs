//! The table of all prompt parts: names, holes and first lines.

use crate::lang::Lang;

/// The required first line of a part. Models, tests and recordings recognise a stage by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptOpening {
    /// `stage: NAME`.
    Stage(&'static str),
    /// `stage: <<stage>>`: the caller fills in the stage.
    AnyStage,
    /// Any text: the part is a piece of a larger prompt.
    Free,
}

/// A prompt text with holes.
#[derive(Clone, Copy, Debug)]
pub struct PromptPart {
    /// The name, which is the stem of the file.
    pub name: &'static str,
    /// The names of the holes; each must occur in the text.
    pub holes: &'static [&'static str],
    /// The required first line.
    pub opening: PromptOpening,
    en: &'static str,
    zh: &'static str,
}

impl PromptPart {
    /// Returns the text in the binary.
    pub fn text(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en.trim_end(),
            Lang::Zh => self.zh.trim_end(),
        }
    }

    /// Returns the module of the part: its name up to the first dot.
    pub fn module(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// Returns the required first line, if there is one.
    pub fn first_line(&self) -> Option<String> {
        match self.opening {
            PromptOpening::Stage(stage) => Some(format!("stage: {stage}")),
            PromptOpening::AnyStage => Some("stage: <<stage>>".to_owned()),
            PromptOpening::Free => None,
        }
    }
}

/// Returns the part with this name.
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

/// All parts, in the order in which a task uses them.
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
