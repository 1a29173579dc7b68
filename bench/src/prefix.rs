//! The prefix that the prompts of a task share. The program of the suites runs the task and prints the figures.

use crate::report::FigureLine;
use anyhow::{Context, ensure};
use serde::Deserialize;
use std::process::{Command, Stdio};

/// The name of this workload.
pub(crate) const NAME: &str = "prefix";
/// The argument that makes the suites' program print the figures.
const CHORE: &str = "prefix-child";
/// The minimum share of a task's prompts that must repeat the beginning of the previous call's prompt.
const CACHEABLE: f64 = 0.70;

/// The figures of one run.
#[derive(Deserialize)]
struct PrefixFigures {
    /// Number of model calls.
    calls: u32,
    /// The share of the prompts that the model has read before.
    cacheable: f64,
}

/// Runs the task twice: without errors, and with errors.
pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--release", "--package", "praxis-suites", "--", CHORE])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "`{CHORE}` failed: {}", output.status);
    let (well, wrong): (PrefixFigures, PrefixFigures) =
        serde_json::from_slice(&output.stdout).with_context(|| format!("what `{CHORE}` tells"))?;
    let line =
        |metric, value| FigureLine { backend: "memory", ..FigureLine::praxis(NAME, metric, value) };
    emit(line("model calls, all goes well", f64::from(well.calls)));
    emit(line("cacheable, all goes well", well.cacheable));
    emit(line("model calls, with errors", f64::from(wrong.calls)));
    emit(line("cacheable, with errors", wrong.cacheable).at_least(CACHEABLE));
    Ok(())
}
