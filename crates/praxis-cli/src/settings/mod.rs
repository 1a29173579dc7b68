//! The settings of the `praxis` binary: seven layers, merged key by key.
//!
//! - in: an `Environment` and the flags; the files that the environment points to
//! - out: `Settings` and the source of each value, or every problem at once
//! - asks: the file system, to read; the process environment, once, in `Environment::real`
//! - never: writes a file, guesses at an unknown key, or stops at the first problem
//!
//! `praxis.default.toml` lists the keys, `model` defines their types. A test keeps the two in sync.

mod environment;

mod model;

mod model_goal;

mod forms;

mod dotenv;

mod keys;

mod layers;

mod sources;

mod load;

#[cfg(test)]
mod world;

#[cfg(test)]
mod load_tests;

#[cfg(test)]
mod refusal_tests;

pub(crate) use environment::Environment;

pub(crate) use load::{library_folders, load, reserved};

pub(crate) use model::{LogFormat, LogLevel, LogSettings, Settings, likely_lang};

pub(crate) use sources::{Layer, SettingSources};
