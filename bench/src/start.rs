//! The time that the binary takes to print its version, and to run one step in a new data folder.

use crate::report::{FigureLine, profile};
use crate::rig::{Stopwatch, folder, median};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RUNS: usize = 15;
const PLAN: &str = r#"{"steps": [{"step_id": "s", "tool": "noop"}]}"#;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let praxis = binary()?;
    let version = || timed(Command::new(&praxis).arg("--version"));
    let times = (0..RUNS).map(|_| version()).collect::<anyhow::Result<Vec<_>>>()?;
    emit(FigureLine::praxis("start", "version_ms", median(times)).at_most(20.0));
    let times = (0..RUNS).map(|_| one_step(&praxis)).collect::<anyhow::Result<Vec<_>>>()?;
    emit(FigureLine::praxis("start", "one_step_ms", median(times)).at_most(100.0));
    Ok(())
}

/// Builds the binary in the profile of this program and returns its path.
fn binary() -> anyhow::Result<PathBuf> {
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--profile", &profile(), "-p", "praxis-cli"])
        .status()?;
    ensure!(built.success(), "the binary does not build");
    let here = std::env::current_exe()?;
    Ok(here.parent().context("no folder")?.join("praxis"))
}

fn one_step(praxis: &Path) -> anyhow::Result<f64> {
    let folder = folder()?;
    let (plan, data) = (folder.path().join("plan.json"), folder.path().join("data"));
    std::fs::write(&plan, PLAN)?;
    let mut command = Command::new(std::fs::canonicalize(praxis)?);
    let command = command.current_dir(folder.path()).env("HOME", folder.path());
    timed(command.arg("run").arg("plan.json").arg("--data").arg(std::path::absolute(data)?))
}

fn timed(command: &mut Command) -> anyhow::Result<f64> {
    let watch = Stopwatch::start();
    let output = command.stdin(Stdio::null()).output()?;
    let ms = watch.seconds() * 1000.0;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{} {words}", output.status);
    Ok(ms)
}
