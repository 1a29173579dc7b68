//! Everything that knows of electric load: the tools of the example `load-forecast`.
//!
//! - in: hourly readings in megawatts as a CSV file, as JSON or as its text; other fields of a reading are let be
//! - out: figures with their unit in the name, rounded to what a meter measures; a forecast, and a report on it
//! - never: guesses a load that is missing, but for the one that fills gaps

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
