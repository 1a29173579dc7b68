//! Small real tools inside the binary: a load forecast from file to report, and three to try things with.
//!
//! - in: a call whose manifest says `builtin: NAME`, and a folder that the tools may keep files in
//! - out: the tool's output, or a fault that says what is wrong with the call
//! - asks: files, and nothing else
//! - never: works on the caller's thread, or changes a file after its call was dropped

mod catalog;

mod local;

mod trouble;

mod files;

mod stamp;

mod records;

mod readings;

mod check_csv_file;

mod datasources;

mod forecast;

mod write_report;

mod trial;

#[cfg(test)]
mod testing;

pub use catalog::{connect, tools};
