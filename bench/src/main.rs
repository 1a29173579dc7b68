//! The speed of Praxis against the raw limits of the same machine in the same run: `cargo xtask bench`.

mod report;

mod rig;

mod limits;

mod chain;

mod fan;

mod large;

mod long;

mod crash;

mod placeholders;

mod passes;

mod retrieve;

mod parked;

mod start;

mod prefix;

mod child;

mod workloads;

use clap::Parser;
use report::FigureLine;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures how fast Praxis is, against the raw limits of the machine.
#[derive(Parser)]
#[command(bin_name = "cargo xtask bench")]
struct BenchArgs {
    /// Only workloads whose name contains this; `prefix` needs no machine, and runs alone if it is named.
    #[arg(default_value = "")]
    name: String,
    /// One JSON line for each figure.
    #[arg(long)]
    json: bool,
}

/// A benchmark's own process; the benchmark starts it.
#[derive(Parser)]
#[command(name = child::CHORE)]
struct ChildArgs {
    name: String,
    folder: PathBuf,
}

/// Workloads whose missed gates fail the run on any machine: they compare a run with itself, or leave room for a
/// machine that is several times slower.
const SAME_EVERYWHERE: [&str; 3] = [prefix::NAME, "W7", "W8"];

fn main() -> anyhow::Result<ExitCode> {
    // A workload name may be any text, so the child is recognized by its first argument instead of a subcommand.
    if std::env::args_os().nth(1).is_some_and(|word| word == child::CHORE) {
        let ChildArgs { name, folder } = ChildArgs::parse_from(std::env::args_os().skip(1));
        println!("{}", child::perform(&name, &folder)?);
        return Ok(ExitCode::SUCCESS);
    }
    run(&BenchArgs::parse())
}

fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let mut missed = false;
    let mut emit = |line: FigureLine| {
        missed |= SAME_EVERYWHERE.contains(&line.workload) && line.gate.is_some_and(|it| !it.holds);
        let text = if args.json { serde_json::to_string(&line).ok() } else { None };
        println!("{}", text.unwrap_or_else(|| line.shown()));
    };
    if prefix::NAME.contains(&args.name.to_lowercase()) {
        prefix::run(&mut emit)?;
    }
    if args.name != prefix::NAME {
        workloads::run(&args.name, &mut emit)?;
    }
    Ok(if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
