//! The texts that models read: parts with holes, in Chinese and English, and the schemas of the answers.
//!
//! - in: the name of a part, and what stands in its holes
//! - out: a text; for a stage, the schema that its answer has to fit
//! - never: looks into what was filled in, or holds a text itself: the texts are in `prompts/`

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
