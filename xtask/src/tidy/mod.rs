//! `cargo xtask tidy`: checks the sources against the map of the code.
//!
//! - in: the sources of the workspace; the blocks `layers` and `crates` and the walks of `docs/ARCHITECTURE.md`
//! - out: errors with file, line and remedy; notes, which fail nothing
//! - never: builds the code, writes a file, or counts imports that only tests make
//!
//! Bottom up: files are parsed to a tree of modules (`tree`) with the names of each (`names`); written paths
//! (`written`) are resolved to the defining file (`resolve`), which yields the imports (`imports`).

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
