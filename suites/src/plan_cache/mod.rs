//! The suite `plan-cache`: what a plan that is used again spares, and how often one is used that should not be.
//!
//! - times and tokens: the real engine in virtual time, with the pace and the prompts of the suite `speed`. A hit is the
//!   second run of a request whose first run taught its plan, against the first run (steps start while the plan is
//!   written) and against a loop of one call at a time. Where it is not said otherwise, a model judges and answers in all.
//! - pairs: every request with the plan of every other one of its set. A hit is wrong if a tool or a value is not the one
//!   that the data has for that request.
//! - other values: every request with its values changed for values of the same form from other requests, so that the
//!   right plan is known. A hit is wrong if it is not that plan.

mod hits;

mod time;

use crate::goals::case::GoalCase;
use crate::goals::work::each;
use crate::goals::{nested, sealtools};
use crate::report::SuiteReport;
use crate::run::SuiteArgs;
use std::path::Path;
use std::sync::Arc;

const SUITE: &str = "plan-cache";
/// A quick run takes every so many cases.
const SAMPLE: usize = 20;

/// A part of the suite: its name and its reader.
type PlanCacheSet = (&'static str, fn(&Path) -> anyhow::Result<Vec<GoalCase>>);

const SETS: [PlanCacheSet; 3] = [
    ("sealtools", |data| sealtools::cases(&data.join("sealtools"))),
    ("glaive", |data| nested::cases(&data.join("nestful"), "glaive")),
    ("sgd", |data| nested::cases(&data.join("nestful"), "sgd")),
];

/// Runs every chosen set.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut report = SuiteReport::default();
    let mut all = hits::CacheHitTally::default();
    for (set, read) in SETS.iter().filter(|set| wanted.chose(set.0)) {
        let step = if wanted.quick { SAMPLE } else { 1 };
        let cases: Vec<Arc<GoalCase>> = read(&wanted.data)?.into_iter().map(Arc::new).collect();
        let timed: Vec<Arc<GoalCase>> = cases.iter().step_by(step).cloned().collect();
        time::tell(set, each(&timed, time::measured), &mut report)?;
        let tally = hits::tried(&cases, step);
        tally.tell(set, &mut report);
        all.join(tally);
    }
    all.gate(&mut report);
    Ok(report)
}
