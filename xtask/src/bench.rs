//! `cargo xtask bench [NAME] [--json]`.

use praxis_bench::Line;
use praxis_suites::goals::course;
use std::path::Path;
use std::process::ExitCode;

/// Measures how fast Praxis is, against the raw limits of the machine.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only workloads whose name contains this; `prefix` needs no machine, and runs alone if it is named.
    #[arg(default_value = "")]
    name: String,
    /// One JSON line for each figure.
    #[arg(long)]
    json: bool,
}

/// What fails if it is missed, whatever the machine: it compares a run with itself, or leaves room for a machine that is
/// several times slower.
const SAME_EVERYWHERE: [&str; 3] = [PREFIX, "W7", "W8"];
/// The workload that counts what prompts have in common.
const PREFIX: &str = "prefix";
/// So much of a task's prompts must be what the call before began with.
const CACHEABLE: f64 = 0.70;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut missed = false;
    let mut emit = |line: Line| {
        missed |= SAME_EVERYWHERE.contains(&line.workload) && line.gate.is_some_and(|it| !it.holds);
        let text = if args.json { serde_json::to_string(&line).ok() } else { None };
        println!("{}", text.unwrap_or_else(|| shown(&line)));
    };
    if PREFIX.contains(&args.name.to_lowercase()) {
        prefix(&mut emit)?;
    }
    if args.name != PREFIX {
        praxis_bench::run(&args.name, &mut emit)?;
    }
    Ok(if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn prefix(emit: &mut dyn FnMut(Line)) -> anyhow::Result<()> {
    let line = |metric, value| Line { backend: "memory", ..Line::praxis(PREFIX, metric, value) };
    let (share, calls) = course::prefix(false)?;
    emit(line("model calls, all goes well", calls as f64));
    emit(line("cacheable, all goes well", share.fraction()));
    let (share, calls) = course::prefix(true)?;
    emit(line("model calls, with errors", calls as f64));
    emit(line("cacheable, with errors", share.fraction()).at_least(CACHEABLE));
    Ok(())
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
