//! `cargo xtask golden`: records the golden journals of the current version.
//!
//! The journals of a release are never rewritten: later versions must fold them to the same state.

use anyhow::{Context, bail};
use std::process::Command;

/// Runs the recorder in the engine's tests, then the tests that fold its journals.
pub(crate) fn run() -> anyhow::Result<()> {
    let mut version = env!("CARGO_PKG_VERSION").split('.');
    let (Some(major), Some(minor)) = (version.next(), version.next()) else {
        bail!("the version is not a version");
    };
    let wanted = format!("v{major}.{minor}.*");
    let tags = Command::new("git").args(["tag", "--list", &wanted]).output().context("git")?.stdout;
    if let Some(tag) = String::from_utf8_lossy(&tags).lines().next() {
        bail!("{tag} is released: its journals stay as they are; raise the version first");
    }
    let recorder = ["-p", "praxis-engine", "--test", "it", "--", "--ignored", "record_the_golden"];
    test(&recorder)?;
    test(&["-p", "praxis-core", "--test", "it", "golden"])
}

fn test(words: &[&str]) -> anyhow::Result<()> {
    let status = Command::new("cargo").args(["test", "--quiet"]).args(words).status()?;
    if status.success() { Ok(()) } else { bail!("`cargo test {}` failed", words.join(" ")) }
}
