//! Plans without a model, compared with the calls that people or strong models made of the same requests.
//!
//! - tool F1: tools as often as they are called; over all requests of a set together, as are the others
//! - edge F1: pairs of tools of which the later one is given an output of the earlier one
//! - value F1: a parameter counts if tool, name and value are right; a value that another step gives if tool and field are
//! - whole plans: nothing is missing, nothing is too much, every value is right

mod gold;

mod nestful;

mod nestools;

mod score;

mod sealtools;

use crate::report::{Failure, Gate, Report};
use crate::run::Wanted;
use gold::{Call, Gold};
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_planner::offline::assemble::assembled;
use praxis_planner::offline::bind::{Bound, Part, Source, bind};
use praxis_planner::offline::chain;
use praxis_planner::offline::goals::align;
use praxis_planner::offline::needs::Known;
use praxis_planner::offline::reading::Reading;
use praxis_planner::retrieve::search::Search;
use praxis_planner::retrieve::synonyms::Synonyms;
use score::Scores;
use std::collections::BTreeMap;

const SUITE: &str = "offline-plan";
const WHOLE: &str = "whole plans exact";

/// Requests over a catalog.
struct Set {
    name: String,
    tools: Vec<Tool>,
    requests: Vec<Request>,
    gates: Vec<(&'static str, f64)>,
}

/// A request, and the calls that serve it.
struct Request {
    id: String,
    text: String,
    calls: Vec<Call>,
}

/// Runs all sets.
pub(crate) fn run(wanted: &Wanted) -> anyhow::Result<Report> {
    let mut report = Report::default();
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

fn measure(set: &Set, report: &mut Report) {
    let mut search = Search::with(Synonyms::built_in().clone());
    for tool in &set.tools {
        search.put(tool);
    }
    let known: BTreeMap<ToolId, Known<'_>> =
        set.tools.iter().map(|tool| (tool.id.clone(), Known::of(tool))).collect();
    let mut scores = Scores::default();
    for request in &set.requests {
        let reading = Reading::of(&request.text);
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
            report.gate_last(Gate::AtLeast(*least));
        }
    }
}

/// Which parameters are given by which outputs, where tools and their order are known.
fn references(rows: &[(Request, Vec<Tool>)], report: &mut Report) {
    let mut scores = Scores::default();
    for (request, tools) in rows {
        let reading = Reading::of(&request.text);
        let named = |call: &Call| tools.iter().find(|tool| tool.id.as_str() == call.tool);
        let called: Vec<&Tool> = request.calls.iter().filter_map(named).collect();
        let known: Vec<Known<'_>> = called.iter().map(|tool| Known::of(tool)).collect();
        let pieces = align(&reading, &called);
        let parts: Vec<Part<'_>> =
            known.iter().zip(pieces).map(|(known, pieces)| Part::of(known, pieces)).collect();
        let made = made(&parts, &bind(&reading, &parts));
        if !scores.add_references(&made, &request.calls) {
            failed(report, ("nestools", "whole plans with all references right"), request, &made);
        }
    }
    let (f1, whole) = scores.references();
    report.figure(SUITE, "nestools", "F1 of references", f1);
    report.gate_last(Gate::AtLeast(0.90));
    report.figure(SUITE, "nestools", "whole plans with all references right", whole);
    report.gate_last(Gate::AtLeast(0.80));
}

/// A plan in the form of the data.
fn made(parts: &[Part<'_>], bound: &[Vec<Bound>]) -> Vec<Call> {
    let argument = |one: &Bound| {
        let name = one.slot.path.first()?.clone();
        let value = match one.source.as_ref()? {
            Source::Said { value, .. } => Gold::Value(value.clone()),
            Source::Output { step, path } => Gold::Output(*step, path.last()?.clone()),
            Source::Given { .. } => return None,
        };
        Some((name, value))
    };
    let nested = |one: &Bound| match one.source.as_ref()? {
        Source::Said { value, .. } => Some((one.slot.path.clone(), value.clone())),
        Source::Output { .. } | Source::Given { .. } => None,
    };
    let call = |(part, bound): (&Part<'_>, &Vec<Bound>)| {
        let (flat, deep): (Vec<&Bound>, Vec<&Bound>) =
            bound.iter().partition(|one| one.slot.path.len() == 1);
        let deep: Vec<_> = deep.into_iter().filter_map(nested).collect();
        let deep = assembled(deep.iter().map(|(path, value)| (path.as_slice(), value.clone())));
        let deep = deep.into_iter().map(|(name, value)| (name, Gold::Value(value)));
        Call {
            tool: part.known.tool.id.to_string(),
            arguments: flat.into_iter().filter_map(argument).chain(deep).collect(),
        }
    };
    parts.iter().zip(bound).map(call).collect()
}

fn failed(report: &mut Report, (set, metric): (&str, &str), request: &Request, made: &[Call]) {
    report.failures.push(Failure {
        suite: SUITE,
        set: set.to_owned(),
        case: request.id.clone(),
        metric: metric.to_owned(),
        detail: format!("{}: made {made:?}, right is {:?}", request.text, request.calls),
    });
}
