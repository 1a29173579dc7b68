//! The suite `case-plans`: predicts the tool chain of a request from past requests and their chains, without a model.
//!
//! The metrics, for each number of past requests, over all tested requests and all seeds:
//!
//! - node-F1: the mean over requests of 2 · common / (predicted + expected) on the multisets of tools; 0 for a
//!   request without a prediction.
//! - link-F1: the same on the pairs (tool, next tool), over requests that have any.
//! - pooled: the same from the counts of all requests together.
//! - whole chains: the share of requests whose predicted chain equals the expected one.

use crate::cases::rows;
use crate::goals::chance::mean;
use crate::report::{FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use crate::selection::shuffle;
use praxis_core::ids::ToolId;
use praxis_planner::retrieve::cases::CaseIndex;
use serde::Deserialize;

const SUITE: &str = "case-plans";
/// The maximum number of tested requests; at most one sixth of all requests.
const TRIED: usize = 300;
/// The numbers of past requests.
const PAST: [usize; 5] = [50, 200, 500, 1000, 1500];
/// The number of past requests from which the gates apply.
const GATED: usize = 1500;
/// The seeds; each splits the requests into tested and past ones in another way.
const SEEDS: [u64; 4] = [20_261_116, 7, 11, 13];
/// The minimum sureness of a chain that counts as sure.
const SURE: f32 = 0.8;

#[derive(Deserialize)]
struct CasePlanRecord {
    id: String,
    user_request: String,
    task_nodes: Vec<CasePlanNode>,
}

#[derive(Deserialize)]
struct CasePlanNode {
    task: ToolId,
}

/// A request and its chain of tools.
#[derive(Clone)]
struct CaseRequest {
    id: String,
    text: String,
    chain: Vec<ToolId>,
}

/// Runs the suite.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut report = SuiteReport::default();
    if !wanted.chose("ultratool") {
        return Ok(report);
    }
    let rows: Vec<CasePlanRecord> = rows(&wanted.data.join("ultratool"), "")?;
    let request = |row: CasePlanRecord| {
        let chain = row.task_nodes.into_iter().map(|node| node.task).collect();
        CaseRequest { id: row.id, text: row.user_request, chain }
    };
    let all: Vec<CaseRequest> = rows.into_iter().map(request).collect();
    let tried = TRIED.min(all.len() / 6);
    let largest = (all.len() - tried).min(PAST.into_iter().max().unwrap_or_default());
    let smaller = PAST.into_iter().filter(|past| *past < largest);
    let seeds = SEEDS.into_iter().take(if wanted.quick { 1 } else { SEEDS.len() });
    for past in smaller.chain([largest]) {
        let mut tally = CasePlanTally::default();
        for seed in seeds.clone() {
            let mut mixed = all.clone();
            shuffle(&mut mixed, seed);
            let (asked, rest) = mixed.split_at(tried);
            tally.add(asked, rest.get(..past).unwrap_or(rest));
        }
        tally.tell(past, past == largest, &mut report);
    }
    Ok(report)
}

/// The results for one number of past requests.
#[derive(Default)]
struct CasePlanTally {
    nodes: Vec<f64>,
    links: Vec<f64>,
    whole: Vec<f64>,
    /// The node-F1 of the sure chains.
    sure: Vec<f64>,
    pooled_nodes: Common,
    pooled_links: Common,
    failures: Vec<FailedCase>,
}

impl CasePlanTally {
    fn add(&mut self, asked: &[CaseRequest], past: &[CaseRequest]) {
        let mut cases = CaseIndex::default();
        for request in past {
            cases.put(&request.id, &request.text, request.chain.clone());
        }
        for request in asked {
            let chain = cases.chain(&request.text);
            let said = chain.as_ref().map(|chain| chain.steps.clone()).unwrap_or_default();
            let nodes = Common::of(said.iter().collect(), request.chain.iter().collect());
            let links = Common::of(pairs(&said), pairs(&request.chain));
            self.pooled_nodes.join(nodes);
            self.pooled_links.join(links);
            self.links.extend((links.both > 0).then(|| links.f1()));
            self.nodes.push(nodes.f1());
            self.whole.push(if said == request.chain { 1.0 } else { 0.0 });
            if chain.as_ref().is_some_and(|chain| chain.sureness >= SURE) {
                self.sure.push(nodes.f1());
            }
            if said != request.chain {
                self.failures.push(failure(request, &said));
            }
        }
    }

    fn tell(self, past: usize, is_largest: bool, report: &mut SuiteReport) {
        let set = format!("{past} past");
        let n = self.nodes.len();
        let is_gated = is_largest && past >= GATED;
        for (metric, values, least) in
            [("node-F1", &self.nodes, 0.80), ("link-F1", &self.links, 0.50)]
        {
            report.figure(SUITE, &set, metric, (mean(values).mean, values.len()));
            if is_gated {
                report.gate_last(SuiteGate::AtLeast(least));
            }
        }
        report.figure(SUITE, &set, "node-F1 pooled", (self.pooled_nodes.f1(), n));
        report.figure(SUITE, &set, "link-F1 pooled", (self.pooled_links.f1(), n));
        report.figure(SUITE, &set, "whole chains", (mean(&self.whole).mean, n));
        let sure = (mean(&self.sure).mean, self.sure.len());
        report.figure(SUITE, &set, "node-F1 of sure chains", sure);
        if is_largest {
            report.failures.extend(self.failures);
        }
    }
}

fn failure(request: &CaseRequest, said: &[ToolId]) -> FailedCase {
    FailedCase {
        suite: SUITE,
        set: "ultratool".to_owned(),
        case: request.id.clone(),
        metric: "whole chains".to_owned(),
        detail: format!("{}: is {:?}, said {said:?}", request.text, request.chain),
    }
}

/// The number of common items of two lists, and the sum of their lengths.
#[derive(Clone, Copy, Default)]
struct Common {
    common: usize,
    both: usize,
}

impl Common {
    fn of<T: PartialEq>(said: Vec<T>, mut right: Vec<T>) -> Self {
        let both = said.len() + right.len();
        let mut common = 0;
        for one in &said {
            if let Some(place) = right.iter().position(|other| other == one) {
                right.swap_remove(place);
                common += 1;
            }
        }
        Self { common, both }
    }

    fn join(&mut self, other: Self) {
        self.common += other.common;
        self.both += other.both;
    }

    fn f1(self) -> f64 {
        2.0 * self.common as f64 / self.both.max(1) as f64
    }
}

fn pairs(chain: &[ToolId]) -> Vec<(&ToolId, &ToolId)> {
    chain.iter().zip(chain.iter().skip(1)).collect()
}
