//! Workloads that need a process of their own: to be killed, or to have their memory measured.

use crate::{crash, large, parked};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The first argument that makes the benchmark program run as a child.
pub(crate) const CHORE: &str = "bench-child";

/// Starts a workload in a child process.
pub(crate) fn start(name: &str, folder: &Path) -> anyhow::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CHORE).arg(name).arg(folder).stdout(Stdio::piped());
    Ok(command.spawn()?)
}

/// Runs a workload in a child process and parses the JSON that it prints.
pub(crate) fn run(name: &str, folder: &Path) -> anyhow::Result<Value> {
    let output = start(name, folder)?.wait_with_output()?;
    ensure!(output.status.success(), "`{name}` failed: {}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("what `{name}` tells"))
}

/// Runs a workload by name, in the child process.
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
