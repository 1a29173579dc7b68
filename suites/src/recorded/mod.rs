//! What real models really answered, read by Praxis and by a second reader that knows nothing of Praxis.
//!
//! - in: runs of `WorkBench` as CSV, trajectories of tau as JSON
//! - out: how much of what the second reader can interpret Praxis reads, with which repairs, or which fault
//! - never: takes the second reader's word for right where the data itself says what was meant

mod csv;

pub mod lenient;

mod python;

mod answers;

pub mod judge;

pub(crate) mod run;

pub(crate) use answers::lengths;
