//! Planning without a model: values are extracted from a request, and tools are combined into a plan for it.

pub mod values;

pub mod text;

pub mod phrases;

pub mod labels;

pub mod unit_words;

pub mod meaning;

pub mod items;

pub mod numbers;

pub mod reading;

pub mod legal;

pub mod needs;

pub mod sense;

pub mod hints;

pub mod measure;

mod suit;

pub mod fit;

pub mod supply;

pub mod assign;

mod ambiguous;

mod step;

mod complete;

pub mod bind;

mod cover;

mod verbs;

pub mod goals;

mod supply_steps;

pub mod chain;

pub mod filler_words;

pub mod coverage;

pub mod by_cases;

pub mod assemble;

pub mod planner;

pub mod by_workflow;

pub mod plan_path;

pub mod template;

pub mod wording;

mod slot;

mod constant;

mod promised;
