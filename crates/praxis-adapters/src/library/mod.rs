//! The user's prompts, scenes and workflows, which override the built-in ones file by file.
//!
//! - in: folders, the weakest first, each with `prompts/{en,zh}/*.md`, `scenes/` and `workflows/`
//! - out: a [`LoadedLibrary`]: everything in force, the file that it came from, and every problem of every file
//! - never: follows a link out of a folder, reads a file without a size limit, or uses a file that has a problem

mod files;

mod load;

mod prompts;

pub use files::read_bounded;

pub use load::{LoadedLibrary, MOST_BYTES};

pub use prompts::{CheckedPrompts, MOST_PROMPT_BYTES, check_prompts};
