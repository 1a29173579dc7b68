//! `write_report`: writes a forecast as a Markdown report.
//!
//! - in: the output of `forecast_load`, and a title
//! - out: one `.md` file, and a summary in one sentence
//! - never: writes outside of the open folders, replaces a file that is not Markdown, or puts the current time in the
//!   report

use super::readings::LoadReading;
use crate::error::{BuiltinError, arguments};
use crate::files;
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The default path of a report, in the current directory.
const DEFAULT_PATH: &str = "load_forecast_report.md";
/// The width of the longest bar of the chart, in characters.
const CHART_WIDTH: f64 = 40.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteReportArguments {
    title: String,
    forecast: Vec<LoadReading>,
    backtest: ForecastErrors,
    peak: LoadReading,
    path: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForecastErrors {
    held_back_hours: u32,
    mape: Option<f64>,
    rmse: f64,
    naive_mape: Option<f64>,
}

/// Writes the report atomically.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let report: WriteReportArguments = arguments(value)?;
    if report.forecast.is_empty() {
        let why = ("the forecast has no hours", "预测中没有任何小时");
        return Err(BuiltinError::argument("/forecast", why));
    }
    let given = report.path.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_PATH));
    let path = job.fence.find(&given)?.real;
    must_be_markdown(&path)?;
    let summary = summary(&report);
    files::replace(&path, &render(&report, &summary), job)?;
    Ok(json!({"report_path": path.to_string_lossy(), "summary": summary}))
}

/// Requires the extension `.md`, so that a report never replaces a program, a setting or a key.
fn must_be_markdown(path: &Path) -> Result<(), BuiltinError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")) && !path.is_dir() {
        return Ok(());
    }
    let path = path.display();
    Err(BuiltinError::failed((
        format!("cannot write the report to `{path}`; the file name must end in .md"),
        format!("无法将报告写入 `{path}`；文件名必须以 .md 结尾"),
    )))
}

fn summary(report: &WriteReportArguments) -> String {
    let (peak, hours) = (&report.peak, report.forecast.len());
    let errors = &report.backtest;
    format!(
        "peak {:.1} MW at {} within {hours} hours; error {} on the last {} hours, seasonal naive {}",
        peak.load_mw,
        peak.timestamp,
        percent(errors.mape),
        errors.held_back_hours,
        percent(errors.naive_mape),
    )
}

fn percent(error: Option<f64>) -> String {
    error.map_or_else(|| "unknown".to_owned(), |error| format!("{error:.2} %"))
}

fn render(report: &WriteReportArguments, summary: &str) -> String {
    let errors = &report.backtest;
    let title = one_line(&report.title);
    let (mape, naive) = (percent(errors.mape), percent(errors.naive_mape));
    let mut text = format!("# {title}\n\nIn short: {summary}.\n\n## Hour by hour\n\n");
    text.push_str("| timestamp | load (MW) |\n|---|---:|\n");
    for LoadReading { timestamp, load_mw } in &report.forecast {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {timestamp} | {load_mw:.1} |");
    }
    text.push_str("\n## Chart\n\n```text\n");
    chart(&mut text, report);
    let _ = write!(
        text,
        "```\n\n## How good the method was\n\nMeasured on the last {} hours, which the model did not \
         see.\n\n| error | this forecast | seasonal naive |\n|---|---:|---:|\n\
         | mean absolute, percent | {mape} | {naive} |\n| root mean square (MW) | {:.1} | |\n",
        errors.held_back_hours, errors.rmse,
    );
    text
}

/// Draws one bar per hour, scaled from the lowest to the highest load so that differences are visible.
fn chart(text: &mut String, report: &WriteReportArguments) {
    let loads = || report.forecast.iter().map(|reading| reading.load_mw);
    let (low, high) = (loads().fold(f64::INFINITY, f64::min), loads().fold(f64::MIN, f64::max));
    let span = high - low;
    for LoadReading { timestamp, load_mw } in &report.forecast {
        let share = if span > 0.0 { (load_mw - low) / span } else { 1.0 };
        let bar = "█".repeat(1 + blocks(share));
        let mark = if *timestamp == report.peak.timestamp { " ← peak" } else { "" };
        let _ = writeln!(text, "{timestamp} {load_mw:>10.1} {bar}{mark}");
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn blocks(share: f64) -> usize {
    (share * CHART_WIDTH).round().clamp(0.0, CHART_WIDTH) as usize
}

fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "write_report_tests.rs"]
mod tests;
