//! The JSON Schemas of the answers, one per stage.
//!
//! They use only keywords that every server with schema-bound output supports: types, properties, lists and enums.
//! Bounds are checked by the code that reads the answer.

use super::parts::STAGES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Returns the schema of a stage's answer.
pub fn schema(stage: &str) -> Option<&'static Value> {
    static READ: OnceLock<BTreeMap<&'static str, Value>> = OnceLock::new();
    let read = |stage: &&'static str| {
        // The text is part of the binary, and a test parses it.
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

/// Returns the schema as written: its fields are in the order in which a model answers them best.
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
