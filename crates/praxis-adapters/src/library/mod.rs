//! Prompts, scenes and workflows of one's own, file by file over those in the binary.
//!
//! - in: folders, the weakest first, each with `prompts/{en,zh}/*.md`, `scenes/` and `workflows/`
//! - out: a [`Library`]: what is in force, where it came from, and every problem of every file
//! - never: follows a link out of a folder, reads a file without bound, or uses a file that has a problem

mod files;

mod load;

mod prompts;

pub use files::read_bounded;

pub use load::{LoadedLibrary, MOST_BYTES};

pub use prompts::{CheckedPrompts, MOST_PROMPT_BYTES, check_prompts};
