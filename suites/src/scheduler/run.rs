//! Runs all sets of the suite.

use super::real_time::RealTimeRun;
use super::workflow::{TimedWorkflow, read};
use super::{generate, real_time, virtual_time};
use crate::report::{Count, FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;

const SUITE: &str = "scheduler";
/// Number of the largest workflows that run scaled to 10 seconds.
const LARGEST: usize = 12;
/// Sampling step of a quick run, which takes one workflow out of this many.
const SAMPLE: usize = 12;

/// Runs every chosen set. Virtual time comes last, because it slows the clock of the process a little.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut workflows = read(&wanted.data.join("wfinstances"))?;
    let mut report = SuiteReport::default();
    if wanted.chose("real_10s") {
        let mut largest: Vec<&TimedWorkflow> = workflows.iter().collect();
        largest.sort_by_key(|workflow| std::cmp::Reverse(workflow.tasks.len()));
        largest.truncate(LARGEST);
        let set = Real { set: "real_10s", seconds: 10.0, runs: 3, worst: 1.03 };
        set.run(&sample(largest, wanted.quick), &mut report)?;
    }
    workflows.push(generate::wide());
    if wanted.chose("real_2s") {
        let set = Real { set: "real_2s", seconds: 2.0, runs: 3, worst: 1.10 };
        set.run(&sample(workflows.iter().rev().collect(), wanted.quick), &mut report)?;
    }
    if wanted.chose("virtual") {
        exact(&workflows, &mut report)?;
    }
    Ok(report)
}

fn sample(workflows: Vec<&TimedWorkflow>, quick: bool) -> Vec<&TimedWorkflow> {
    let step = if quick { SAMPLE } else { 1 };
    workflows.into_iter().step_by(step).collect()
}

/// Maximum median ratio.
const MEDIAN: f64 = 1.03;

/// A set on the real clock.
struct Real {
    set: &'static str,
    seconds: f64,
    /// Maximum number of runs, of which the best counts.
    runs: usize,
    /// Maximum ratio of any workflow.
    worst: f64,
}

impl Real {
    fn run(&self, workflows: &[&TimedWorkflow], report: &mut SuiteReport) -> anyhow::Result<()> {
        let best = self.best(workflows)?;
        for (workflow, run) in workflows.iter().zip(&best) {
            let metric = format!("ratio/{}", workflow.name);
            report.figure(SUITE, self.set, &metric, (run.ratio, workflow.tasks.len()));
            if run.ratio > self.worst {
                report.failures.push(failure(self.set, workflow, "ratio", format!("{run:?}")));
            }
        }
        let mut tell = |metric: &str, value: f64, gate: Option<SuiteGate>| {
            report.figure(SUITE, self.set, metric, (value, best.len()));
            if let Some(gate) = gate {
                report.gate_last(gate);
            }
        };
        let (median, worst) = median_and_worst(best.iter().map(|run| run.ratio));
        tell("ratio_median", median, Some(SuiteGate::AtMost(MEDIAN)));
        tell("ratio_worst", worst, Some(SuiteGate::AtMost(self.worst)));
        let (median, worst) = median_and_worst(best.iter().map(|run| run.own));
        tell("own_ratio_median", median, None);
        tell("own_ratio_worst", worst, None);
        tell("submit_ms_worst", median_and_worst(best.iter().map(|run| run.submit_ms)).1, None);
        Ok(())
    }

    /// Runs all workflows once, then repeats those that missed the bound. The repetitions come last, because a
    /// machine that is busy now would still be busy right after.
    fn best(&self, workflows: &[&TimedWorkflow]) -> anyhow::Result<Vec<RealTimeRun>> {
        let once = |workflow: &&TimedWorkflow| real_time::run(workflow, self.seconds);
        let mut best = workflows.iter().map(once).collect::<anyhow::Result<Vec<RealTimeRun>>>()?;
        for _ in 1..self.runs {
            let missed = workflows.iter().zip(&mut best).filter(|(_, run)| run.ratio > self.worst);
            for (workflow, run) in missed {
                let again = once(workflow)?;
                *run = if again.ratio < run.ratio { again } else { *run };
            }
        }
        Ok(best)
    }
}

fn median_and_worst(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    (at(sorted.len() / 2), at(sorted.len().saturating_sub(1)))
}

fn failure(set: &str, workflow: &TimedWorkflow, metric: &str, detail: String) -> FailedCase {
    let (set, metric) = (set.to_owned(), metric.to_owned());
    FailedCase { suite: SUITE, set, case: workflow.name.clone(), metric, detail }
}

/// Runs every workflow in virtual time.
fn exact(workflows: &[TimedWorkflow], report: &mut SuiteReport) -> anyhow::Result<()> {
    let (mut exact, mut near, mut farthest) = (Count::default(), Count::default(), 0.0_f64);
    for workflow in workflows {
        let run = virtual_time::run(workflow)?;
        farthest = farthest.max((run.ratio - 1.0).abs());
        exact.add(run.is_exact());
        near.add(run.is_near());
        if !run.is_exact() || !run.is_near() {
            let metric = if run.is_near() { "exact" } else { "near_reference" };
            report.failures.push(failure("virtual", workflow, metric, format!("{run:?}")));
        }
    }
    report.rate(SUITE, "virtual", "exact", exact);
    report.rate(SUITE, "virtual", "near_reference", near);
    report.figure(SUITE, "virtual", "farthest", (farthest, near.all));
    Ok(())
}
