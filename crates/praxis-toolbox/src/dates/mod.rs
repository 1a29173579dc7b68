//! Date tools: parsing of many formats, and date arithmetic.
//!
//! - in: dates of the years 1 to 9999, with or without a time and a UTC offset
//! - out: `2026-11-15`, `2026-11-15T08:30`, `2026-11-15T08:30+08:00`
//! - never: reads the current date, or guesses which of two numbers is the month

pub(crate) mod calendar;

mod moment;

mod written;

mod clock;

mod numerals;

pub(crate) mod parse_date;

pub(crate) mod date_add;

pub(crate) mod date_difference;
