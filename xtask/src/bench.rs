//! `cargo xtask bench [NAME] [--json]`.

use praxis_bench::Line;
use std::path::Path;
use std::process::ExitCode;

/// Measures how fast Praxis is, against the raw limits of the machine.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only workloads whose name contains this.
    #[arg(default_value = "")]
    name: String,
    /// One JSON line for each figure.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    praxis_bench::run(&args.name, &mut |line| {
        let text = if args.json { serde_json::to_string(&line).ok() } else { None };
        println!("{}", text.unwrap_or_else(|| shown(&line)));
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Runs one workload and prints what it tells.
pub(crate) fn child(name: &str, folder: &Path) -> anyhow::Result<ExitCode> {
    println!("{}", praxis_bench::child::perform(name, folder)?);
    Ok(ExitCode::SUCCESS)
}

fn shown(line: &Line) -> String {
    let gate = line.gate.map_or(String::new(), |gate| {
        let verdict = if gate.holds { "" } else { "  MISSED" };
        format!("{} {:.2}{verdict}", gate.kind.replace('_', " "), gate.bound)
    });
    let Line { peer, workload, metric, value, .. } = line;
    format!("{peer:<7} {workload:<8} {metric:<28} {value:>12.2}  {gate}")
}
