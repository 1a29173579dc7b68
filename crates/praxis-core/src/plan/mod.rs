//! Turns a goal into a plan: selects tools, asks for a plan, and lets its steps enter as they arrive.

pub mod strategy;

pub mod two_stage;

pub mod tool_selection;

pub mod workflow_by_words;

pub mod prompt_room;

pub mod retrieved;

mod offer;

pub mod useless_tools;

mod workflow_defaults;

pub mod draft;

pub mod fix_names;

pub mod plan_cache;

pub mod lexical_plan;

pub mod tool_choice;

pub mod select;

pub mod propose;

pub mod without_model;
