//! Goals in words over the built-in tools and workflows, planned without a model; by class and language what is right before anything runs.
//!
//! - outcome: ready, need_params or no_plan, as a person would say
//! - tools: neither more nor fewer calls than a right plan has
//! - whole: every argument, reference and question too

mod case;

mod laid;

mod judge;

use crate::report::{Count, Failure, Gate, Report};
use crate::run::Wanted;
use case::{Case, Word};
use judge::{Verdict, judge};
use laid::{Laid, Shop};
use std::collections::BTreeMap;

const SUITE: &str = "offline-goals";
const WHOLE: &str = "whole plan right";

/// What is counted of some goals.
#[derive(Clone, Copy, Default)]
struct Tally {
    outcome: Count,
    tools: Count,
    whole: Count,
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        self.outcome.add(verdict.outcome);
        self.tools.add(verdict.tools);
        self.whole.add(verdict.whole);
    }

    fn tell(self, set: &str, report: &mut Report) {
        for (metric, count) in
            [("outcome right", self.outcome), ("tools right", self.tools), (WHOLE, self.whole)]
        {
            report.figure(SUITE, set, metric, (count.good as f64, count.all));
        }
    }
}

/// Plans all goals. The figures are numbers of goals.
pub(crate) fn run(wanted: &Wanted) -> anyhow::Result<Report> {
    let (shop, mut report) = (Shop::open(), Report::default());
    let mut sets: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut all, mut guessed, mut vague) = (Tally::default(), 0_usize, 0_usize);
    for case in case::cases(&case::folder())? {
        let set = format!("{} {}", case.class(), case.lang());
        if !wanted.chose(case.class()) && !wanted.chose(&set) {
            continue;
        }
        let laid = shop.lay(&case);
        let verdict = judge(&case, &laid, &shop.tools);
        sets.entry(set.clone()).or_default().add(verdict);
        all.add(verdict);
        if case.expect.outcome == Word::NoPlan {
            vague += 1;
            guessed += usize::from(laid.outcome == Word::Ready);
        }
        if !verdict.whole {
            report.failures.push(failure(&case, &set, &laid, verdict));
        }
    }
    for (set, tally) in sets {
        tally.tell(&set, &mut report);
    }
    all.tell("all", &mut report);
    if vague > 0 {
        report.figure(
            SUITE,
            "all",
            "guessed where nothing can be planned",
            (guessed as f64, vague),
        );
        report.gate_last(Gate::AtMost(0.0));
    }
    Ok(report)
}

fn failure(case: &Case, set: &str, laid: &Laid, verdict: Verdict) -> Failure {
    let expect = &case.expect;
    let mut lines = vec![case.goal.clone(), format!("{verdict:?}")];
    lines.push(format!("  right: {:?} asks {:?}", expect.outcome, expect.asks));
    for steps in expect.plans() {
        lines.extend(steps.iter().map(|step| {
            format!("    {} {}", step.tool, serde_json::Value::Object(step.with.clone()))
        }));
        lines.push("    -".to_owned());
    }
    lines.push(format!("  made: {:?} asks {:?}", laid.outcome, laid.asks));
    lines.extend(laid.steps.iter().map(|step| {
        format!("    {} {}", step.tool, serde_json::Value::Object(step.arguments.clone()))
    }));
    Failure {
        suite: SUITE,
        set: set.to_owned(),
        case: case.id.clone(),
        metric: WHOLE.to_owned(),
        detail: lines.join("\n"),
    }
}
