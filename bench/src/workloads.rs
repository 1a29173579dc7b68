//! The workloads by name.

use crate::report::FigureLine;
use crate::{
    chain, crash, fan, large, limits, long, parked, passes, placeholders, retrieve, start,
};

/// A function that runs one workload and emits its figures.
type Workload<'a> = dyn Fn(&mut dyn FnMut(FigureLine)) -> anyhow::Result<()> + 'a;

/// Runs the workloads whose name contains `wanted`; all of them if it is empty.
pub(crate) fn run(wanted: &str, emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let limits = limits::measure()?;
    limits.lines().into_iter().for_each(&mut *emit);
    let all: [(&str, &Workload<'_>); 10] = [
        ("W1 chain", &|emit| chain::run(&limits, emit)),
        ("W2 fan", &fan::run),
        ("W3 large", &large::run),
        ("W4 long", &long::run),
        ("W5 crash", &crash::run),
        ("W6 placeholders", &placeholders::run),
        ("W7 passes", &passes::run),
        ("W8 retrieve", &retrieve::run),
        ("parked", &parked::run),
        ("start", &start::run),
    ];
    for (name, workload) in all {
        if name.to_lowercase().contains(&wanted.to_lowercase()) {
            workload(emit)?;
        }
    }
    Ok(())
}
