//! Chores of the project: `cargo xtask bench [NAME]` and `cargo xtask powerloss [SEEDS]`.

use anyhow::ensure;
use std::process::Command;

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let (chore, wanted) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match chore.as_str() {
        "powerloss" => powerloss(if wanted.is_empty() { "10000" } else { &wanted }),
        _ => praxis_bench::run(&wanted, &mut |line| {
            println!("{}", serde_json::to_string(&line).unwrap_or_default());
        }),
    }
}

/// Takes the power away from a recorded run, once for each seed.
fn powerloss(seeds: &str) -> anyhow::Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["test", "--package", "praxis-cli", "--test", "it", "powerloss", "--", "--nocapture"])
        .env("PRAXIS_POWERLOSS_SEEDS", seeds)
        .status()?;
    ensure!(status.success(), "an acknowledged event was lost with the power");
    Ok(())
}
