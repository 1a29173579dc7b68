//! A load series: one reading per hour.
//!
//! - in: a CSV text with the columns `timestamp` and `load_mw`
//! - out: the readings, and the problems of the text by line
//! - never: fills a gap, drops a row silently, or accepts a load that is not a finite number

use super::stamp::ReadingTime;
use crate::error::BuiltinError;
use crate::records::{CsvRecords, Record};
use crate::wording::prefixed;
use praxis_core::problem::Bilingual;
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
    problems: Vec<Bilingual>,
    untold: usize,
}

impl LoadTable {
    /// Parses a whole text. Never fails: errors are collected as problems.
    pub(crate) fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut records = CsvRecords::of(text);
        match records.next() {
            None => table.refuse(("the file is empty", "文件为空")),
            Some(Err(bad)) => table.refuse(bad.words()),
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
                        let en = format!("there are more than {MOST_ROWS} rows");
                        return self.refuse((en, format!("超过 {MOST_ROWS} 行")));
                    }
                    reading(record, time, load, self.columns.len())
                        .map_err(|why| at_line(record.line, &why))
                }
                Err(bad) => Err(bad.words()),
            };
            match reading {
                Ok(reading) => self.add(reading, record.map_or(0, |record| record.line)),
                Err(why) => self.refuse(why),
            }
        }
        if self.rows == 0 {
            self.refuse(("there are no rows below the header", "表头下没有数据行"));
        }
    }

    fn column(&mut self, name: &str) -> Option<usize> {
        let found = self.columns.iter().position(|column| column == name);
        if found.is_none() {
            let en = format!("the column `{name}` is missing");
            self.refuse((en, format!("缺少列 `{name}`")));
        }
        found
    }

    fn add(&mut self, reading: LoadReading, line: usize) {
        if let Some(before) = self.readings.last()
            && let Err(why) = follows(before.timestamp, reading.timestamp)
        {
            self.refuse(at_line(line, &why));
        }
        self.readings.push(reading);
    }

    fn refuse(&mut self, problem: impl Into<Bilingual>) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem.into());
        } else {
            self.untold += 1;
        }
    }

    /// Returns the problems as English messages, for the output of a tool; the last message counts the problems
    /// that are not listed.
    pub(crate) fn problems(&self) -> Vec<String> {
        let more = (self.untold > 0).then(|| format!("and {} more problems", self.untold));
        self.problems.iter().map(|problem| problem.en.clone()).chain(more).collect()
    }

    /// Returns the readings, or an error if the text has problems.
    pub(crate) fn into_readings(self) -> Result<Vec<LoadReading>, BuiltinError> {
        let (en, zh) = match self.problems.as_slice() {
            [] => return Ok(self.readings),
            [only] => (only.en.clone(), only.zh.clone()),
            [first, others @ ..] => {
                let others = others.len() + self.untold;
                (
                    format!("{}; and {others} more problems", first.en),
                    format!("{}；另有 {others} 个问题", first.zh),
                )
            }
        };
        let en = format!("the data cannot be used: {en}");
        Err(BuiltinError::failed((en, format!("数据无法使用：{zh}"))))
    }
}

fn at_line(line: usize, why: &Bilingual) -> Bilingual {
    prefixed(format!("line {line}: "), format!("第 {line} 行："), why)
}

fn reading(
    record: &Record<'_>,
    time: usize,
    load: usize,
    columns: usize,
) -> Result<LoadReading, Bilingual> {
    let (Some(time), Some(load), true) =
        (record.fields.get(time), record.fields.get(load), record.fields.len() == columns)
    else {
        let found = record.fields.len();
        let en = format!("expected {columns} fields, got {found}");
        return Err((en, format!("应有 {columns} 个字段，实际为 {found} 个")).into());
    };
    let timestamp = ReadingTime::parse(time).map_err(|error| error.words())?;
    let shown: String = load.chars().take(40).collect();
    match load.parse::<f64>() {
        Ok(load_mw) if load_mw.is_finite() => Ok(LoadReading { timestamp, load_mw }),
        Ok(_) => {
            let en = format!("the load `{shown}` is not finite");
            Err((en, format!("负荷 `{shown}` 不是有限值")).into())
        }
        Err(_) => {
            let en = format!("the load `{shown}` is not a number");
            Err((en, format!("负荷 `{shown}` 不是数字")).into())
        }
    }
}

/// Returns an error unless `after` is one hour after `before`.
pub(crate) fn follows(before: ReadingTime, after: ReadingTime) -> Result<(), Bilingual> {
    if before.plus_hours(1) == Some(after) {
        return Ok(());
    }
    let en = format!("{after} is not one hour after {before}");
    Err((en, format!("{after} 不是 {before} 之后一小时")).into())
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

/// Writes readings as a JSON text.
pub(crate) fn to_json(readings: &[LoadReading]) -> Result<String, BuiltinError> {
    serde_json::to_string(readings).map_err(|error| {
        let en = format!("cannot write the data as JSON: {error}");
        BuiltinError::failed((en, format!("无法将数据写成 JSON：{error}")))
    })
}

#[cfg(test)]
#[path = "readings_tests.rs"]
mod tests;
