//! How fast Praxis is, against the raw limits of the same machine in the same run.

mod limits;

pub mod rig;

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

pub mod child;

mod report;

pub use report::Line;

/// Measures something and tells the figures.
type Workload<'a> = dyn Fn(&mut dyn FnMut(Line)) -> anyhow::Result<()> + 'a;

/// Runs the workloads whose name contains `wanted`; all if it is empty.
pub fn run(wanted: &str, emit: &mut dyn FnMut(Line)) -> anyhow::Result<()> {
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
