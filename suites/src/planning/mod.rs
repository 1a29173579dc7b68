//! The suite `offline-plan`: compares lexical plans with the calls that people or strong models made for the same
//! requests.
//!
//! - tool F1: tools, each as often as it is called; counted over all requests of a set, like the other metrics
//! - edge F1: pairs of tools in which the later tool takes an output of the earlier one
//! - value F1: an argument counts if tool, name and value are right; a reference counts if its tool and field are
//!   right
//! - whole plans: nothing is missing, nothing is superfluous, every value is right

mod gold;

mod nestful;

mod nestools;

mod score;

mod sealtools;

use crate::report::{FailedCase, SuiteGate, SuiteReport};
use crate::run::SuiteArgs;
use gold::{GoldCall, GoldValue};
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_planner::offline::assemble::assembled;
use praxis_planner::offline::bind::{BindingSource, BoundParameter, StepToBind, bind};
use praxis_planner::offline::chain;
use praxis_planner::offline::goals::align;
use praxis_planner::offline::needs::PlannerTool;
use praxis_planner::offline::reading::RequestReading;
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use score::PlanningScores;
use std::collections::BTreeMap;

const SUITE: &str = "offline-plan";
const WHOLE: &str = "whole plans exact";

/// Requests over a catalog.
struct PlanningSet {
    name: String,
    tools: Vec<Tool>,
    requests: Vec<PlanningRequest>,
    gates: Vec<(&'static str, f64)>,
}

/// A request and its expected calls.
struct PlanningRequest {
    id: String,
    text: String,
    calls: Vec<GoldCall>,
}

/// Runs all sets.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let mut report = SuiteReport::default();
    let folder = |name: &str| wanted.data.join(name);
    if wanted.chose("nestful") {
        for set in nestful::sets(&folder("nestful"))? {
            measure(&set, &mut report);
        }
    }
    if wanted.chose("sealtools") {
        for set in sealtools::sets(&folder("sealtools"))? {
            measure(&set, &mut report);
        }
    }
    if wanted.chose("nestools") {
        references(&nestools::rows(&folder("nestools"))?, &mut report);
    }
    Ok(report)
}

fn measure(set: &PlanningSet, report: &mut SuiteReport) {
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    for tool in &set.tools {
        search.put(tool);
    }
    let known: BTreeMap<ToolId, PlannerTool<'_>> =
        set.tools.iter().map(|tool| (tool.id.clone(), PlannerTool::of(tool))).collect();
    let mut scores = PlanningScores::default();
    for request in &set.requests {
        let reading = RequestReading::of(&request.text);
        let parts = chain::plan(&reading, &search, &known);
        let made = made(&parts, &bind(&reading, &parts));
        if !scores.add(&made, &request.calls) {
            failed(report, (&set.name, WHOLE), request, &made);
        }
    }
    let gate = |metric: &str| set.gates.iter().find(|(name, _)| *name == metric);
    for (metric, value, count) in scores.told() {
        report.figure(SUITE, &set.name, metric, (value, count));
        if let Some((_, least)) = gate(metric) {
            report.gate_last(SuiteGate::AtLeast(*least));
        }
    }
}

/// Measures the references between calls if the tools and their order are given.
fn references(rows: &[(PlanningRequest, Vec<Tool>)], report: &mut SuiteReport) {
    let mut scores = PlanningScores::default();
    for (request, tools) in rows {
        let reading = RequestReading::of(&request.text);
        let named = |call: &GoldCall| tools.iter().find(|tool| tool.id.as_str() == call.tool);
        let called: Vec<&Tool> = request.calls.iter().filter_map(named).collect();
        let known: Vec<PlannerTool<'_>> = called.iter().map(|tool| PlannerTool::of(tool)).collect();
        let pieces = align(&reading, &called);
        let parts: Vec<StepToBind<'_>> =
            known.iter().zip(pieces).map(|(known, pieces)| StepToBind::of(known, pieces)).collect();
        let made = made(&parts, &bind(&reading, &parts));
        if !scores.add_references(&made, &request.calls) {
            failed(report, ("nestools", "whole plans with all references right"), request, &made);
        }
    }
    let (f1, whole) = scores.references();
    report.figure(SUITE, "nestools", "F1 of references", f1);
    report.gate_last(SuiteGate::AtLeast(0.90));
    report.figure(SUITE, "nestools", "whole plans with all references right", whole);
    report.gate_last(SuiteGate::AtLeast(0.80));
}

/// Converts a plan to expected calls, the form of the data.
fn made(parts: &[StepToBind<'_>], bound: &[Vec<BoundParameter>]) -> Vec<GoldCall> {
    let argument = |one: &BoundParameter| {
        let name = one.slot.path.first()?.clone();
        let value = match one.source.as_ref()? {
            BindingSource::Said { value, .. } => GoldValue::Value(value.clone()),
            BindingSource::Output { step, path } => GoldValue::Output(*step, path.last()?.clone()),
            BindingSource::Given { .. } => return None,
        };
        Some((name, value))
    };
    let nested = |one: &BoundParameter| match one.source.as_ref()? {
        BindingSource::Said { value, .. } => Some((one.slot.path.clone(), value.clone())),
        BindingSource::Output { .. } | BindingSource::Given { .. } => None,
    };
    let call = |(part, bound): (&StepToBind<'_>, &Vec<BoundParameter>)| {
        let (flat, deep): (Vec<&BoundParameter>, Vec<&BoundParameter>) =
            bound.iter().partition(|one| one.slot.path.len() == 1);
        let deep: Vec<_> = deep.into_iter().filter_map(nested).collect();
        let deep = assembled(deep.iter().map(|(path, value)| (path.as_slice(), value.clone())));
        let deep = deep.into_iter().map(|(name, value)| (name, GoldValue::Value(value)));
        GoldCall {
            tool: part.known.tool.id.to_string(),
            arguments: flat.into_iter().filter_map(argument).chain(deep).collect(),
        }
    };
    parts.iter().zip(bound).map(call).collect()
}

fn failed(
    report: &mut SuiteReport,
    (set, metric): (&str, &str),
    request: &PlanningRequest,
    made: &[GoldCall],
) {
    report.failures.push(FailedCase {
        suite: SUITE,
        set: set.to_owned(),
        case: request.id.clone(),
        metric: metric.to_owned(),
        detail: format!("{}: made {made:?}, right is {:?}", request.text, request.calls),
    });
}
