//! The suite `recorded-llm`: reads recorded answers of real models with Praxis and with an independent second reader.
//!
//! - in: runs of `WorkBench` as CSV, trajectories of tau as JSON
//! - out: the share of the second reader's items that Praxis reads, with the repairs it needed or the fault it
//!   reported
//! - never: trusts the second reader where the data itself tells which call was meant

mod csv;

pub mod lenient;

mod python;

mod answers;

pub mod judge;

pub(crate) mod run;

pub(crate) use answers::lengths;
