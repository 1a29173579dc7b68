//! The suite `plan-cache`: the savings of a plan cache hit, and the rate of wrong hits.
//!
//! - times and tokens: the real engine in virtual time, with the latencies and prompts of the suite `speed`. A hit is
//!   the second run of a request whose first run taught its plan; it is compared with the first run (in which steps
//!   start while the plan is streamed) and with a loop of one call at a time. Unless a metric says otherwise, a model
//!   judges and answers in all of them.
//! - pairs: every request with the plan of every other request of its set. A hit is wrong if a tool or a value
//!   differs from the data of that request.
//! - other values: every request with its values replaced by values of the same form from other requests, for which
//!   the right plan is known. A hit is wrong if it is not that plan.

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
/// Sampling step of a quick run, which takes one case out of this many.
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
