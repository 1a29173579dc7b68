//! How fast Praxis is, against the raw limits of the same machine in the same run.

mod limits;

pub mod rig;

mod chain;

mod report;

pub use report::Line;

/// Runs the workloads whose name contains `wanted`; all if it is empty.
pub fn run(wanted: &str, emit: &mut dyn FnMut(Line)) -> anyhow::Result<()> {
    let chosen = |name: &str| wanted.is_empty() || name.contains(wanted);
    let limits = limits::measure()?;
    limits.lines().into_iter().for_each(&mut *emit);
    if chosen("chain") {
        chain::run(&limits, emit)?;
    }
    Ok(())
}
