//! Prompt texts: parts with holes, in Chinese and English, and the JSON Schemas of the answers.
//!
//! - in: the name of a part, and the values of its holes
//! - out: a prompt text; for a stage, the schema that its answer must match
//! - never: scans inserted values for holes, or contains a prompt text: the texts are in `prompts/`

pub mod holes;

pub mod parts;

pub mod pack;

mod check;

pub mod schema;

pub mod signature;

pub use check::check;

pub use pack::Pack;

pub use parts::{PARTS, PromptPart, STAGES, part};

pub use schema::{schema, schema_text};

#[cfg(test)]
mod text_tests;
