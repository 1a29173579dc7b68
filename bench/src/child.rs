//! Workloads that need a process of their own: to be killed, or to have their memory measured.

use crate::{crash, large, parked};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What the child is told to do by, in the arguments of the program that holds the benchmarks.
pub(crate) const CHORE: &str = "bench-child";

/// Begins a workload in a child.
pub(crate) fn start(name: &str, folder: &Path) -> anyhow::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CHORE).arg(name).arg(folder).stdout(Stdio::piped());
    Ok(command.spawn()?)
}

/// Runs a workload in a child and reads what it tells.
pub(crate) fn run(name: &str, folder: &Path) -> anyhow::Result<Value> {
    let output = start(name, folder)?.wait_with_output()?;
    ensure!(output.status.success(), "`{name}` failed: {}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("what `{name}` tells"))
}

/// The child's side.
pub(crate) fn perform(name: &str, folder: &Path) -> anyhow::Result<Value> {
    match name {
        "large" => large::alone(folder),
        "submit" => crash::submit(folder),
        "recover" => crash::recover(folder),
        "park" => parked::park(folder),
        "unpark" => parked::ready(folder),
        other => bail!("no workload is called `{other}`"),
    }
}
