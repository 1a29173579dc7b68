//! Runs one suite by name.

use crate::report::SuiteReport;
use crate::{
    case_plans, conformance, dataflow, goals, offline, plan_cache, planning, recorded, scheduler,
    selection,
};
use anyhow::{bail, ensure};
use std::path::PathBuf;

/// The arguments of a run.
#[derive(Clone, Debug)]
pub struct SuiteArgs {
    /// The name of the suite.
    pub name: String,
    /// The folder with the data of all suites.
    pub data: PathBuf,
    /// The only set to run; `None` runs all.
    pub set: Option<String>,
    /// True to run only a sample of slow sets.
    pub quick: bool,
}

impl SuiteArgs {
    /// Returns true if the set is to be run.
    pub(crate) fn chose(&self, set: &str) -> bool {
        self.set.as_ref().is_none_or(|wanted| wanted == set)
    }
}

/// Runs a suite.
pub fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let report = match wanted.name.as_str() {
        "dataflow" => dataflow::run::run(wanted)?,
        "scheduler" => scheduler::run::run(wanted)?,
        "recorded-llm" => recorded::run::run(wanted)?,
        "conformance" => conformance::run(wanted)?,
        "replay" => goals::replay::run(wanted)?,
        "degradation" => goals::degradation::run(wanted)?,
        "speed" => goals::speed::run(wanted)?,
        "selection" => selection::run(wanted)?,
        "case-plans" => case_plans::run(wanted)?,
        "offline-plan" => planning::run(wanted)?,
        "offline-goals" => offline::run(wanted)?,
        "plan-cache" => plan_cache::run(wanted)?,
        other => bail!(
            "no suite `{other}`; there are dataflow, scheduler, recorded-llm, conformance, replay, degradation, speed, selection, case-plans, offline-plan, offline-goals and plan-cache"
        ),
    };
    let set = wanted.set.as_deref().unwrap_or_default();
    ensure!(!report.metrics.is_empty(), "suite `{}` has no set `{set}`", wanted.name);
    Ok(report)
}
