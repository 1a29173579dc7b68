//! A load series: one reading for each hour.
//!
//! - in: a CSV text with the columns `timestamp` and `load_mw`
//! - out: the readings, and what is wrong with the text, line by line
//! - never: fills a gap, drops a row in silence, or takes a load that is no finite number

use super::stamp::ReadingTime;
use crate::records::{CsvRecords, Record};
use crate::trouble::ToolTrouble;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The longest series, 57 years of hours.
pub(crate) const MOST_ROWS: usize = 500_000;
/// How many problems are told in words.
const MOST_PROBLEMS: usize = 20;

/// The load at one hour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadReading {
    /// When.
    pub(crate) timestamp: ReadingTime,
    /// How much, in megawatts.
    pub(crate) load_mw: f64,
}

/// What a CSV text holds.
#[derive(Debug, Default)]
pub(crate) struct LoadTable {
    /// The names in its first line.
    pub(crate) columns: Vec<String>,
    /// Its lines after the first, good and bad.
    pub(crate) rows: usize,
    /// The good ones.
    readings: Vec<LoadReading>,
    problems: Vec<String>,
    untold: usize,
}

impl LoadTable {
    /// Reads a whole text. Never fails: what is wrong is among the problems.
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

    /// What is wrong, in words; the last line counts what was left out.
    pub(crate) fn problems(&self) -> Vec<String> {
        let more = (self.untold > 0).then(|| format!("and {} more problems", self.untold));
        self.problems.iter().cloned().chain(more).collect()
    }

    /// The readings of a text without problems.
    pub(crate) fn into_readings(self) -> Result<Vec<LoadReading>, ToolTrouble> {
        match self.problems.as_slice() {
            [] => Ok(self.readings),
            [only] => Err(ToolTrouble::Failed(format!("the data is not usable: {only}"))),
            [first, others @ ..] => {
                let others = others.len() + self.untold;
                let message =
                    format!("the data is not usable: {first}; and {others} more problems");
                Err(ToolTrouble::Failed(message))
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

/// Whether one time is the hour after another.
pub(crate) fn follows(before: ReadingTime, after: ReadingTime) -> Result<(), String> {
    if before.plus_hours(1) == Some(after) {
        return Ok(());
    }
    Err(format!("{after} does not follow {before} by one hour"))
}

/// Writes readings as a CSV text that [`Table::read`] reads back the same.
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
