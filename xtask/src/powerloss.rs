//! `cargo xtask powerloss`: runs the power loss test of the binary with many more seeds.

use anyhow::ensure;
use std::process::Command;

/// Simulates a power loss in a recorded run, once for each seed.
pub(crate) fn run(seeds: u32) -> anyhow::Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["test", "--package", "praxis-cli", "--test", "it", "powerloss", "--", "--nocapture"])
        .env("PRAXIS_POWERLOSS_SEEDS", seeds.to_string())
        .status()?;
    ensure!(status.success(), "an acknowledged event was lost with the power");
    Ok(())
}
