//! `cargo xtask fuzz`: builds every fuzz target and runs each for a while.
//!
//! Findings are left in `fuzz/artifacts`, the corpus in `fuzz/corpus`; neither is in git.

use anyhow::{Context, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// The fuzz targets, each with its seed folders.
const TARGETS: [(&str, &[&str]); 5] = [
    ("template", &["fuzz/seeds/template"]),
    ("path", &["fuzz/seeds/path"]),
    ("plan", &["fuzz/seeds/plan"]),
    ("manifest", &["fuzz/seeds/manifest"]),
    ("journal", &["crates/praxis-core/tests/golden/v0.1"]),
];

/// Runs each target whose name contains `wanted` for the given number of seconds.
pub(crate) fn run(seconds: u32, wanted: &str) -> anyhow::Result<()> {
    present(&["+nightly", "--version"], "rustup toolchain install nightly --profile minimal")?;
    present(&["fuzz", "--version"], "cargo install cargo-fuzz --locked")?;
    let chosen: Vec<_> = TARGETS.into_iter().filter(|(name, _)| name.contains(wanted)).collect();
    if chosen.is_empty() {
        bail!("no target's name contains `{wanted}`");
    }
    let mut failed = Vec::new();
    for (name, seeds) in chosen {
        println!("{name}, {seconds} s");
        if !fuzz(name, seeds, seconds)? {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{} failed; what made it fail is in fuzz/artifacts", failed.join(", "))
}

fn present(words: &[&str], install: &str) -> anyhow::Result<()> {
    let mut asked = Command::new("cargo");
    asked.args(words).stdout(Stdio::null()).stderr(Stdio::null());
    if asked.status().context("cargo")?.success() {
        return Ok(());
    }
    bail!("`cargo {}` does not work; install it with `{install}`", words.join(" "))
}

/// Runs a target. Returns true if it found nothing.
fn fuzz(name: &str, seeds: &[&str], seconds: u32) -> anyhow::Result<bool> {
    let corpus = format!("fuzz/corpus/{name}");
    std::fs::create_dir_all(&corpus)?;
    let seeds = seeds.iter().filter(|folder| Path::new(folder).exists());
    let status = Command::new("cargo")
        // `praxis-core` has no unsafe code, and without a sanitizer fuzzing is ten times as fast.
        .args(["+nightly", "fuzz", "run", "--sanitizer", "none", name, &corpus])
        .args(seeds)
        .args(["--", "-dict=fuzz/words.dict", "-timeout=10", "-print_final_stats=1"])
        .args([format!("-max_total_time={seconds}"), "-verbosity=0".to_owned()])
        .status()?;
    Ok(status.success())
}
