//! Bad input of every kind, given to the binary as a user would: what it says is in `snapshots/`.
//!
//! Each case has a clear and stable answer with a next action, in both languages; none panics, hangs,
//! drives the terminal, or harms a data folder that was sound.

mod case;

mod plans;

mod documents;

mod manifests;

mod parameters;

mod goals;

mod settings;

mod folders;

mod commands;
