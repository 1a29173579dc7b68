//! Fills the parameters of a call: what is still needed, what was answered, and what a text means.
//!
//! - in: the schema of the parameters, the data so far, and answers by pointer or in words
//! - out: what is still to be asked, each with a schema of its own; the data with the answers in it
//! - asks: nobody; who is asked is for others to say
//! - never: changes what it is given, invents a value, or asks for what may be left out

mod walk;

pub mod normalise;

mod inline;

mod look;

pub mod merge;

pub mod remaining;

pub mod defaults;

pub mod patch;

pub mod coerce;

pub mod from_text;
