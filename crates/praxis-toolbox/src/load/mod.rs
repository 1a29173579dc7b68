//! Tools that look at a load series: profile, summary, peaks, anomalies, gaps, and a forecast's errors.
//!
//! - in: hourly readings in megawatts as JSON or its text; other fields of a reading are let be
//! - out: figures with their unit in the name, rounded to what a meter measures
//! - never: guesses a load that is missing, but for the one that fills gaps

mod hours;

pub(crate) mod load_profile;

pub(crate) mod load_summary;

pub(crate) mod find_peaks;

pub(crate) mod detect_anomalies;

pub(crate) mod compare_forecast;

pub(crate) mod fill_gaps;
