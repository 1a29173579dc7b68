//! Tools for numbers: arithmetic, statistics, units, and the decimal type behind them.
//!
//! - in: JSON numbers as they are written
//! - out: exact decimal results where possible, otherwise the nearest float
//! - never: parses an expression, or returns a number that is not finite

mod decimal;

pub(crate) mod exact;

pub(crate) mod arithmetic;

pub(crate) mod statistics;

pub(crate) mod units;

pub(crate) mod convert_unit;

pub(crate) mod compare_numbers;
