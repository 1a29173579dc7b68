//! Tools that reckon: arithmetic, statistics, units, and the decimal numbers behind them.
//!
//! - in: numbers as they are written
//! - out: numbers that are exact where decimal digits can be, and the nearest number where they cannot
//! - never: reads an expression, or gives a number that is none

mod decimal;

pub(crate) mod exact;

pub(crate) mod arithmetic;

pub(crate) mod statistics;

pub(crate) mod units;

pub(crate) mod convert_unit;

pub(crate) mod compare_numbers;
