//! The suite `selection`: finds the tools that a request needs in a whole catalog, without a model.

mod bfcl;

mod restbench;

mod sealtools;

mod tokens;

mod ultratool;

use crate::goals::chance::mean;
use crate::report::{FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use anyhow::Context;
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use praxis_rehearsal::chance::SeededChance;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SUITE: &str = "selection";
const METRIC: &str = "all gold in the top 20";
/// Number of top results that must contain every tool the request needs.
const TOP: usize = 20;

/// Requests over a catalog.
pub(crate) struct SelectionSet {
    name: String,
    tools: Vec<Tool>,
    requests: Vec<SelectionRequest>,
    least: f64,
}

/// A request and the tools that it needs.
pub(crate) struct SelectionRequest {
    id: String,
    text: String,
    gold: BTreeSet<ToolId>,
}

/// Runs all sets.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut report = SuiteReport::default();
    let folder = |name: &str| wanted.data.join(name);
    if wanted.chose("sealtools") {
        for set in sealtools::sets(&folder("sealtools"))? {
            measure(&set, &mut report);
            tokens::measure(&set, &mut report);
        }
    }
    if wanted.chose("bfcl") {
        let set = bfcl::set(&folder("bfcl"))?;
        measure(&set, &mut report);
        tokens::measure(&set, &mut report);
    }
    if wanted.chose("restbench") {
        let set = restbench::set(&folder("restbench_tmdb"))?;
        let found = measure(&set, &mut report);
        interval(&set, &found, &mut report);
    }
    if wanted.chose("ultratool") {
        ultratool::run(&folder("ultratool"), &mut report)?;
    }
    Ok(report)
}

/// Builds the search index of a catalog.
fn catalog(tools: &[Tool]) -> LexicalSearch {
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    for tool in tools {
        search.put(tool);
    }
    search
}

fn measure(set: &SelectionSet, report: &mut SuiteReport) -> Vec<f64> {
    let search = catalog(&set.tools);
    let found = found(&search, &set.requests, &set.name, report);
    told(report, (&set.name, set.least), &found);
    found
}

fn told(report: &mut SuiteReport, (set, least): (&str, f64), found: &[f64]) {
    report.figure(SUITE, set, METRIC, (mean(found).mean, found.len()));
    report.gate_last(SuiteGate::AtLeast(least));
}

/// Returns 1 for each request whose tools were all found, else 0; reports the latter as failures.
fn found(
    search: &LexicalSearch,
    requests: &[SelectionRequest],
    set: &str,
    report: &mut SuiteReport,
) -> Vec<f64> {
    let mut all = Vec::new();
    for request in requests {
        let found: Vec<ToolId> =
            search.find(&request.text, TOP).into_iter().map(|found| found.tool).collect();
        let missed: Vec<&ToolId> =
            request.gold.iter().filter(|tool| !found.contains(tool)).collect();
        all.push(if missed.is_empty() { 1.0 } else { 0.0 });
        if !missed.is_empty() {
            report.failures.push(FailedCase {
                suite: SUITE,
                set: set.to_owned(),
                case: request.id.clone(),
                metric: METRIC.to_owned(),
                detail: format!("{}: misses {missed:?}, has {:?}", request.text, found.get(..8)),
            });
        }
    }
    all
}

/// Adds the bounds of the 95 % confidence interval to the report.
fn interval(set: &SelectionSet, found: &[f64], report: &mut SuiteReport) {
    let (mean, n) = (mean(found), found.len());
    report.figure(SUITE, &set.name, "lower end of its 95 % interval", (mean.low, n));
    report.figure(SUITE, &set.name, "upper end of its 95 % interval", (mean.high, n));
}

/// Shuffles items with a fixed seed.
pub(crate) fn shuffle<T>(things: &mut [T], seed: u64) {
    let mut chance = SeededChance::of(seed);
    for place in (1..things.len()).rev() {
        things.swap(place, chance.below(place + 1));
    }
}

/// Builds a tool from its description in a catalog.
pub(crate) fn tool(
    (id, description): (&str, &str),
    input: Value,
    output: Option<Value>,
    tags: Value,
) -> anyhow::Result<Tool> {
    let manifest = json!({"id": id, "name": id, "description": description, "input_schema": input,
        "output_schema": output, "tags": tags, "builtin": "noop"});
    serde_json::from_value(manifest).with_context(|| id.to_owned())
}
