//! Runs one public suite: `cargo xtask suites NAME`.

use anyhow::Context;
use clap::Parser;
use praxis_suites::SuiteArgs;
use praxis_suites::goals::{course, kill};
use praxis_suites::report::{FailedCase, Metric, SuiteReport};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs Praxis against a public suite; fails when a gate is missed.
#[derive(Parser)]
#[command(bin_name = "cargo xtask suites")]
struct SuitesArgs {
    /// `dataflow`, `scheduler`, `recorded-llm`, `conformance`, `replay`, `degradation`, `speed`, `selection`,
    /// `case-plans`, `offline-plan`, `plan-cache`, or `offline-goals`, whose data is part of the project.
    name: String,
    /// The folder with the suites' data; `PRAXIS_SUITES` unless given.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Only this set of the suite.
    #[arg(long)]
    set: Option<String>,
    /// One JSON line for each figure.
    #[arg(long)]
    json: bool,
    /// Where every failed case is written as a JSON line; `-` tells them here, for people.
    #[arg(long)]
    failures: Option<PathBuf>,
    /// Only a sample of what takes long.
    #[arg(long)]
    quick: bool,
}

/// A suite's own process; the suite starts and kills it.
#[derive(Parser)]
#[command(name = kill::CHORE)]
struct ReplayArgs {
    data: PathBuf,
    set: String,
    case: String,
    home: PathBuf,
}

/// First argument of the child process that `cargo xtask bench prefix` starts.
const PREFIX_CHORE: &str = "prefix-child";

fn main() -> anyhow::Result<ExitCode> {
    // A suite name is any text, so the child processes are recognized by their first argument rather than by
    // subcommands.
    match std::env::args_os().nth(1) {
        Some(word) if word == kill::CHORE => {
            let args = ReplayArgs::parse_from(std::env::args_os().skip(1));
            let ReplayArgs { data, set, case, home } = args;
            kill::live(&kill::KillTarget { data, set, case, home }).map(|()| ExitCode::SUCCESS)
        }
        Some(word) if word == PREFIX_CHORE => prefix().map(|()| ExitCode::SUCCESS),
        _ => run(SuitesArgs::parse()),
    }
}

fn run(args: SuitesArgs) -> anyhow::Result<ExitCode> {
    let data = args.data.or_else(|| std::env::var_os("PRAXIS_SUITES").map(PathBuf::from));
    let data = data.or_else(|| (args.name == "offline-goals").then(PathBuf::new));
    let data = data.context("give the data with --data or PRAXIS_SUITES")?;
    let wanted = SuiteArgs { name: args.name, data, set: args.set, quick: args.quick };
    let report = praxis_suites::run(&wanted)?;
    if args.json {
        for metric in &report.metrics {
            println!("{}", serde_json::to_string(metric)?);
        }
    } else {
        tell(&report);
    }
    match args.failures.as_deref() {
        Some(file) if file == Path::new("-") => report.failures.iter().for_each(tell_failure),
        Some(file) => write(file, &report.failures)?,
        None => {}
    }
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the report. If it has a table, only gated metrics get a line of their own.
fn tell(report: &SuiteReport) {
    for line in &report.table {
        println!("{line}");
    }
    let gated = |metric: &&Metric| report.table.is_empty() || metric.gate.is_some();
    for metric in report.metrics.iter().filter(gated) {
        println!("{}", metric.line());
    }
}

fn tell_failure(failure: &FailedCase) {
    println!("\n{} {}\n{}", failure.set, failure.case, failure.detail);
}

fn write(file: &Path, failures: &[FailedCase]) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for failure in failures {
        writeln!(out, "{}", serde_json::to_string(failure)?)?;
    }
    Ok(out.flush()?)
}

/// Prints the cacheable share of a task's prompts, without and with errors of the model.
fn prefix() -> anyhow::Result<()> {
    let figures = |goes_wrong| {
        let (share, calls) = course::prefix(goes_wrong)?;
        anyhow::Ok(json!({"calls": calls, "cacheable": share.fraction()}))
    };
    println!("{}", json!([figures(false)?, figures(true)?]));
    Ok(())
}
