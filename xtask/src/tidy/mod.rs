//! `cargo xtask tidy`: the map of the code as a check.
//!
//! - in: the sources of the workspace, and the blocks `layers` and `crates` and the walks of `docs/ARCHITECTURE.md`
//! - out: errors that name file, line and remedy; notes that fail nothing
//! - never: builds the code, writes a file, counts what only tests import
//!
//! Reading goes bottom up: files become a tree of modules (`tree`), with the names of each (`names`); paths as they are
//! written (`written`) are resolved to the file that defines them (`resolve`), which makes imports (`imports`).

mod blocks;

pub(crate) mod workspace;

pub(crate) mod test_only;

mod use_tree;

mod names;

pub(crate) mod tree;

mod tokens;

mod written;

mod resolve;

mod imports;

mod graph;

mod findings;

mod layers;

mod knots;

mod crates;

mod files;

mod walks;

mod docs;

mod type_names;

mod functions;

mod glossary;

mod report;

mod map;

mod check;

#[cfg(test)]
mod fixture;

pub(crate) use check::{TidyArgs, run};
