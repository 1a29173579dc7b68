//! Fills the parameters of a call: open fields, answers, and values from free text.
//!
//! - in: the schema of the parameters, the data so far, and answers by pointer or as text
//! - out: the fields to ask for, each with its own schema; the data with the answers filled in
//! - asks: nobody; the caller decides whom to ask
//! - never: changes its inputs, invents a value, or asks for an optional field

pub mod normalise;

mod inline;

mod look;

pub mod merge;

pub mod remaining;

pub mod defaults;

pub mod patch;

pub mod coerce;

pub mod from_text;
