//! The JSON Schemas of the answers, one for each stage.
//!
//! They use only what servers that bind a model to a schema take: types, properties, lists, words of
//! an enumeration. Bounds are judged by whoever reads the answer.

use super::parts::STAGES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The schema of a stage's answer.
pub fn schema(stage: &str) -> Option<&'static Value> {
    static READ: OnceLock<BTreeMap<&'static str, Value>> = OnceLock::new();
    let read = |stage: &&'static str| {
        // The text is part of the binary, and a test reads it.
        let value = serde_json::from_str(schema_text(stage)?).ok()?;
        Some((*stage, value))
    };
    READ.get_or_init(|| STAGES.iter().filter_map(read).collect()).get(stage)
}

macro_rules! schemas {
    ($given:expr, $($stage:literal),*) => {
        match $given {
            $($stage => Some(include_str!(concat!("../../../../prompts/schema/", $stage, ".json"))),)*
            _ => None,
        }
    };
}

/// The same as it is written: its fields in the order in which they are best answered.
pub fn schema_text(stage: &str) -> Option<&'static str> {
    schemas!(
        stage,
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
        "message_formatter"
    )
}
