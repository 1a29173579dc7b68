//! Runs all sets of the suite.

use super::case::{GoldPlan, ToolAnswer};
use super::judge::{judge, judge_refusal};
use super::mutate::{KINDS, mutants};
use super::{mathqa, nestful, nestools};
use crate::report::{Count, FailedCase, SuiteReport};
use crate::run::SuiteArgs;
use praxis_engine::submit::SubmitError;
use praxis_testkit::world::EngineWorld;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const SUITE: &str = "dataflow";

/// The gold data of a set: values that the engine must reproduce, or references only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knows {
    Values,
    Bindings,
}

/// A part of the suite.
struct DataflowSet {
    name: &'static str,
    folder: &'static str,
    knows: Knows,
    cases: fn(&Path) -> anyhow::Result<Vec<GoldPlan>>,
    answer: fn(&GoldPlan) -> ToolAnswer,
}

const SETS: [DataflowSet; 4] = [
    DataflowSet {
        name: "mathqa",
        folder: "mathqa",
        knows: Knows::Values,
        cases: mathqa::cases,
        answer: mathqa::answer,
    },
    DataflowSet {
        name: "nestful_v2",
        folder: "nestful",
        knows: Knows::Values,
        cases: nestful::traced,
        answer: GoldPlan::recorded,
    },
    DataflowSet {
        name: "nestful_v1",
        folder: "nestful",
        knows: Knows::Bindings,
        cases: nestful::planned,
        answer: GoldPlan::recorded,
    },
    DataflowSet {
        name: "nestools",
        folder: "nestools",
        knows: Knows::Bindings,
        cases: nestools::cases,
        answer: GoldPlan::recorded,
    },
];

/// Runs every chosen set.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = SuiteReport::default();
    for set in SETS.iter().filter(|set| wanted.chose(set.name)) {
        let cases = (set.cases)(&wanted.data.join(set.folder))?;
        let mut tally = DataflowTally::new(set.name);
        runtime.block_on(tally.all(&cases, set.answer));
        tally.tell(set.knows, &mut report);
    }
    Ok(report)
}

/// The counts of one set.
struct DataflowTally {
    set: &'static str,
    plans: Count,
    values: Count,
    bindings: Count,
    contradictions: Count,
    refused: BTreeMap<&'static str, Count>,
    failures: Vec<FailedCase>,
}

impl DataflowTally {
    fn new(set: &'static str) -> Self {
        Self {
            set,
            plans: Count::default(),
            values: Count::default(),
            bindings: Count::default(),
            contradictions: Count::default(),
            refused: BTreeMap::new(),
            failures: vec![],
        }
    }

    async fn all(&mut self, cases: &[GoldPlan], answer_of: fn(&GoldPlan) -> ToolAnswer) {
        for case in cases {
            let answer = answer_of(case);
            if case.contradictions.is_empty() {
                self.run(case, &answer).await;
                self.break_it(case, &answer).await;
            } else {
                let wrong = judge_refusal(case, &answer).await;
                self.contradictions.add(wrong.is_none());
                self.failed(case, "contradictions_refused", wrong);
            }
        }
    }

    async fn run(&mut self, case: &GoldPlan, answer: &ToolAnswer) {
        let verdict = judge(case, answer).await;
        self.plans.add(verdict.wrong.is_empty());
        self.values.join(verdict.values);
        self.bindings.join(verdict.bindings);
        self.failed(case, "plans_ok", verdict.wrong);
    }

    async fn break_it(&mut self, case: &GoldPlan, answer: &ToolAnswer) {
        let world = EngineWorld::new(case.scripted(answer));
        for mutant in mutants(case) {
            let wrong = match world.submit(&mutant.document, Value::Null).await {
                Err(SubmitError::Refused(problems)) => mutant.missed(&problems),
                Err(other) => Some(format!("{}: {other}", mutant.kind)),
                Ok(_) => Some(format!("{}: accepted", mutant.kind)),
            };
            self.refused.entry(mutant.kind).or_default().add(wrong.is_none());
            self.failed(case, &format!("mutated_refused.{}", mutant.kind), wrong);
        }
    }

    fn failed(&mut self, case: &GoldPlan, metric: &str, wrong: impl IntoIterator<Item = String>) {
        let failure = |detail| FailedCase {
            suite: SUITE,
            set: self.set.to_owned(),
            case: case.id.clone(),
            metric: metric.to_owned(),
            detail,
        };
        self.failures.extend(wrong.into_iter().map(failure));
    }

    fn tell(self, knows: Knows, report: &mut SuiteReport) {
        report.rate(SUITE, self.set, "plans_ok", self.plans);
        if knows == Knows::Values {
            report.rate(SUITE, self.set, "values_ok", self.values);
        }
        report.rate(SUITE, self.set, "bindings_ok", self.bindings);
        report.rate(SUITE, self.set, "contradictions_refused", self.contradictions);
        for kind in KINDS {
            let count = self.refused.get(kind).copied().unwrap_or_default();
            report.rate(SUITE, self.set, &format!("mutated_refused.{kind}"), count);
        }
        report.failures.extend(self.failures);
    }
}
