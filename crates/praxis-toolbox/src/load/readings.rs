//! A load series: one reading per hour.
//!
//! - in: a CSV text with the columns `timestamp` and `load_mw`
//! - out: the readings, and the problems of the text by line
//! - never: fills a gap, drops a row silently, or accepts a load that is not a finite number

use super::stamp::ReadingTime;
use crate::error::BuiltinError;
use crate::records::{CsvRecords, Record};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The maximum length of a series: 57 years of hours.
pub(crate) const MOST_ROWS: usize = 500_000;
/// The maximum number of problems that are listed; the others are counted.
const MOST_PROBLEMS: usize = 20;

/// The load at one hour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadReading {
    /// The time of the reading.
    pub(crate) timestamp: ReadingTime,
    /// The load in megawatts.
    pub(crate) load_mw: f64,
}

/// The parsed content of a CSV text.
#[derive(Debug, Default)]
pub(crate) struct LoadTable {
    /// The column names in the first line.
    pub(crate) columns: Vec<String>,
    /// The number of lines after the first, valid or not.
    pub(crate) rows: usize,
    /// The valid readings.
    readings: Vec<LoadReading>,
    problems: Vec<String>,
    untold: usize,
}

impl LoadTable {
    /// Parses a whole text. Never fails: errors are collected as problems.
    pub(crate) fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut records = CsvRecords::of(text);
        match records.next() {
            None => table.refuse("the file is empty".to_owned()),
            Some(Err(bad)) => table.refuse(bad.to_string()),
            Some(Ok(header)) => {
                table.columns = header.fields.iter().map(ToString::to_string).collect();
                table.body(records);
            }
        }
        table
    }

    fn body(&mut self, records: CsvRecords<'_>) {
        let (Some(time), Some(load)) = (self.column("timestamp"), self.column("load_mw")) else {
            self.rows = records.flatten().count();
            return;
        };
        for record in records {
            let reading = match &record {
                Ok(record) => {
                    self.rows += 1;
                    if self.rows > MOST_ROWS {
                        return self.refuse(format!("there are more than {MOST_ROWS} rows"));
                    }
                    reading(record, time, load, self.columns.len())
                        .map_err(|why| format!("line {}: {why}", record.line))
                }
                Err(bad) => Err(bad.to_string()),
            };
            match reading {
                Ok(reading) => self.add(reading, record.map_or(0, |record| record.line)),
                Err(why) => self.refuse(why),
            }
        }
        if self.rows == 0 {
            self.refuse("there are no rows below the header".to_owned());
        }
    }

    fn column(&mut self, name: &str) -> Option<usize> {
        let found = self.columns.iter().position(|column| column == name);
        if found.is_none() {
            self.refuse(format!("there is no column `{name}`"));
        }
        found
    }

    fn add(&mut self, reading: LoadReading, line: usize) {
        if let Some(before) = self.readings.last()
            && let Err(why) = follows(before.timestamp, reading.timestamp)
        {
            self.refuse(format!("line {line}: {why}"));
        }
        self.readings.push(reading);
    }

    fn refuse(&mut self, problem: String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.untold += 1;
        }
    }

    /// Returns the problems as messages; the last message counts the problems that are not listed.
    pub(crate) fn problems(&self) -> Vec<String> {
        let more = (self.untold > 0).then(|| format!("and {} more problems", self.untold));
        self.problems.iter().cloned().chain(more).collect()
    }

    /// Returns the readings, or an error if the text has problems.
    pub(crate) fn into_readings(self) -> Result<Vec<LoadReading>, BuiltinError> {
        match self.problems.as_slice() {
            [] => Ok(self.readings),
            [only] => Err(BuiltinError::Failed(format!("the data is not usable: {only}"))),
            [first, others @ ..] => {
                let others = others.len() + self.untold;
                let message =
                    format!("the data is not usable: {first}; and {others} more problems");
                Err(BuiltinError::Failed(message))
            }
        }
    }
}

fn reading(
    record: &Record<'_>,
    time: usize,
    load: usize,
    columns: usize,
) -> Result<LoadReading, String> {
    let (Some(time), Some(load), true) =
        (record.fields.get(time), record.fields.get(load), record.fields.len() == columns)
    else {
        return Err(format!("it has {} fields, not {columns}", record.fields.len()));
    };
    let timestamp = ReadingTime::parse(time).map_err(|error| error.to_string())?;
    let shown: String = load.chars().take(40).collect();
    let load_mw = load.parse::<f64>().map_err(|_| format!("load `{shown}` is no number"))?;
    if !load_mw.is_finite() {
        return Err(format!("load `{shown}` is not finite"));
    }
    Ok(LoadReading { timestamp, load_mw })
}

/// Returns an error unless `after` is one hour after `before`.
pub(crate) fn follows(before: ReadingTime, after: ReadingTime) -> Result<(), String> {
    if before.plus_hours(1) == Some(after) {
        return Ok(());
    }
    Err(format!("{after} does not follow {before} by one hour"))
}

/// Writes readings as a CSV text that [`LoadTable::read`] parses back to the same readings.
pub(crate) fn to_csv(readings: &[LoadReading]) -> String {
    let mut text = String::from("timestamp,load_mw\n");
    for LoadReading { timestamp, load_mw } in readings {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{timestamp},{load_mw}");
    }
    text
}

#[cfg(test)]
#[path = "readings_tests.rs"]
mod tests;
