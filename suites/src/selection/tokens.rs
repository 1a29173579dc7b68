//! Compares the token costs of tools in a prompt: all tools as JSON, as is usual, against the found tools as
//! signatures.

use super::{SUITE, SelectionSet, catalog, shuffle};
use crate::goals::chance::{mean, seed};
use crate::report::{SuiteGate, SuiteReport};
use praxis_adapters::model::Vocabulary;
use praxis_core::ask::tokens::{Calibration, TokenCounter};
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_core::lang::Lang;
use praxis_core::plan::prompt_room::{PromptRoom, choose};
use praxis_core::prompt::signature::signature;
use serde_json::json;
use std::collections::BTreeMap;

/// Maximum number of requests that are tried per set.
const TRIED: usize = 400;
/// Catalog sizes, each with the least share of tokens that must be saved.
const SIZES: [(usize, f64); 3] = [(30, 0.85), (50, 0.90), (100, 0.94)];
/// Least share of requests whose tools must all be shown.
const KEPT: f64 = 0.96;
/// The room for tools in a planning prompt.
const ROOM: PromptRoom = PromptRoom { least: 3, most: 10, tokens: 4_000 };

/// Token counts of each tool as JSON and as a signature, counted once, since a set has thousands of tools.
struct Prices<'a> {
    tools: BTreeMap<&'a ToolId, (&'a Tool, u64, u64)>,
}

impl<'a> Prices<'a> {
    fn of(tools: &'a [Tool], tokens: &dyn TokenCounter) -> Self {
        let price = |tool: &'a Tool| {
            let whole = json!({"type": "function", "function": {"name": tool.id,
                "description": tool.description, "parameters": tool.input_schema}});
            let (json, signed) = (whole.to_string(), signature(tool, Lang::En));
            (&tool.id, (tool, tokens.count(&json), tokens.count(&signed)))
        };
        Self { tools: tools.iter().map(price).collect() }
    }

    fn json(&self, tool: &ToolId) -> u64 {
        self.tools.get(tool).map_or(0, |(_, json, _)| *json)
    }

    fn signed(&self, tool: &ToolId) -> u64 {
        self.tools.get(tool).map_or(0, |(_, _, signed)| *signed)
    }
}

/// Measures each request over a catalog of its own: the tools that it needs among random others.
pub(super) fn measure(set: &SelectionSet, report: &mut SuiteReport) {
    let tokens = Vocabulary::O200k.tokens(Calibration::default());
    let prices = Prices::of(&set.tools, &*tokens);
    for (size, least) in SIZES {
        let (mut saved, mut kept) = (Vec::new(), Vec::new());
        // Samples evenly, because the set may be sorted.
        let every = (set.requests.len() / TRIED).max(1);
        for request in set.requests.iter().step_by(every).take(TRIED) {
            let offered = offered(set, &request.id, &request.gold.iter().collect::<Vec<_>>(), size);
            let all: u64 = offered.iter().map(|tool| prices.json(&tool.id)).sum();
            let found = catalog(&offered).find(&request.text, ROOM.most * 2);
            let chosen = choose(&found, ROOM, |tool| prices.signed(tool));
            let shown: u64 = chosen.iter().map(|tool| prices.signed(tool)).sum();
            saved.push(1.0 - shown as f64 / all.max(1) as f64);
            kept.push(if request.gold.is_subset(&chosen) { 1.0 } else { 0.0 });
        }
        let line = |words: &str| format!("{words} at {size} tools");
        report.figure(SUITE, &set.name, &line("tokens saved"), (mean(&saved).mean, saved.len()));
        report.gate_last(SuiteGate::AtLeast(least));
        report.figure(SUITE, &set.name, &line("all gold kept"), (mean(&kept).mean, kept.len()));
        report.gate_last(SuiteGate::AtLeast(KEPT));
    }
}

fn offered(set: &SelectionSet, request: &str, gold: &[&ToolId], size: usize) -> Vec<Tool> {
    let (needed, mut others): (Vec<&Tool>, Vec<&Tool>) =
        set.tools.iter().partition(|tool| gold.contains(&&tool.id));
    shuffle(&mut others, seed(request, size as u64));
    let others = others.into_iter().take(size.saturating_sub(needed.len()));
    needed.iter().copied().chain(others).cloned().collect()
}
