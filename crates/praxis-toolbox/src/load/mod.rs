//! The tools for electric load, used by the example `load-forecast`.
//!
//! - in: hourly readings in megawatts, as a CSV file, JSON or JSON text
//! - out: figures with the unit in the name, rounded to the precision of a meter; a forecast, and a report on it
//! - never: estimates a missing load, except in `fill_gaps`

mod stamp;

mod readings;

mod hours;

pub(crate) mod check_csv_file;

pub(crate) mod datasources;

pub(crate) mod forecast;

pub(crate) mod write_report;

pub(crate) mod load_profile;

pub(crate) mod load_summary;

pub(crate) mod find_peaks;

pub(crate) mod detect_anomalies;

pub(crate) mod compare_forecast;

pub(crate) mod fill_gaps;
