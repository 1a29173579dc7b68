//! Built-in tools: for files and tables, HTTP and JSON, text, dates and numbers, three for experiments, and those of
//! an example.
//!
//! - in: a call whose manifest says `builtin: NAME`, and the access granted to the tools
//! - out: the tool's output, or a fault that names the problem with the call
//! - asks: files and, for two tools, HTTP; never the clock
//! - never: works on the caller's thread, changes a file after its call was dropped, or evaluates an expression: the
//!   behaviour of a tool follows from its name and its arguments

mod catalog;

mod example;

mod local;

mod builtins;

mod seam;

mod error;

mod wording;

mod files;

mod json_text;

mod records;

mod load;

mod folders;

mod tables;

mod web;

mod texts;

mod dates;

mod numbers;

mod trial;

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod confined;

#[cfg(test)]
mod examples;

#[cfg(test)]
mod bad_calls;

#[cfg(test)]
mod page;

#[cfg(test)]
mod requests;

pub use builtins::Builtins;
pub use catalog::tools;
pub use example::{EXAMPLES, ExampleProject};
pub use seam::{WebBody, WebClient, WebFile, WebPage, WebRequest};
