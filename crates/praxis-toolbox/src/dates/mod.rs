//! Tools for dates: what is written in many ways becomes one, and is reckoned with.
//!
//! - in: dates of the years 1 to 9999, with or without a time and an offset from UTC
//! - out: `2026-11-15`, `2026-11-15T08:30`, `2026-11-15T08:30+08:00`
//! - never: asks what day it is, or guesses which of two numbers is the month

pub(crate) mod calendar;

mod moment;

mod written;

mod clock;

mod numerals;

pub(crate) mod parse_date;

pub(crate) mod date_add;

pub(crate) mod date_difference;
