//! Chores of the project, a file each: `cargo xtask bench`, `cargo xtask suites NAME`.

mod bench;

mod suites;

use clap::Parser;
use std::process::ExitCode;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    Bench(bench::Args),
    Suites(suites::Args),
}

fn main() -> anyhow::Result<ExitCode> {
    match Chore::parse() {
        Chore::Bench(args) => bench::run(&args),
        Chore::Suites(args) => suites::run(args),
    }
}
