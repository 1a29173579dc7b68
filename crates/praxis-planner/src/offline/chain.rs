//! Determines the steps of a plan: the tools that the request asks for, and the tools that supply their inputs.
//!
//! - in: a `RequestReading`, and the candidate tools
//! - out: steps in the order in which they run
//! - never: inserts a tool that itself requires the input that it should supply

use super::bind::{BindingSource, BoundParameter, StepToBind, bind_one};
use super::goals::{WantedTool, goals};
use super::needs::{PlannerTool, ToolField};
use super::reading::RequestReading;
use super::sense::is_content;
use super::supply_steps::StepSupply;
use super::values::ValueKind;
use crate::offline::needs::ToolsById;
use crate::retrieve::search::LexicalSearch;
use crate::weights::WEIGHTS;
use praxis_core::ids::ToolId;
use std::collections::BTreeMap;

/// The number of steps at which no more supplying tools are added.
const MOST_STEPS: usize = 12;
/// The minimum number of words in a parameter name that identifies a supplying tool.
const LEAST_WORDS: usize = 2;

/// Returns the steps for a request.
pub fn plan<'a>(
    reading: &RequestReading,
    search: &LexicalSearch,
    tools: &'a ToolsById<'a>,
) -> Vec<StepToBind<'a>> {
    let asked = firm(goals(reading, search, tools), reading, tools).into_iter();
    let part = |goal: WantedTool| Some(StepToBind::of(tools.get(&goal.tool)?, goal.pieces));
    let parts: Vec<StepToBind<'a>> = asked.filter_map(part).collect();
    let bringing = StepSupply { reading, tools };
    bringing.all(chained(reading, parts, (tools, search)))
}

/// Drops tools with a low score whose parameters could not be filled from the request. Their pieces go to the tool
/// before.
fn firm(
    goals: Vec<WantedTool>,
    reading: &RequestReading,
    tools: &ToolsById<'_>,
) -> Vec<WantedTool> {
    let mut kept: Vec<WantedTool> = Vec::new();
    for goal in goals {
        let is_whole = tools.get(&goal.tool).is_some_and(|known| {
            let bound = bind_one(reading, &StepToBind::of(known, goal.pieces.clone()), &[], &[]);
            !bound.iter().any(|one| is_open(one) && !is_content(&one.slot))
        });
        let least = if goal.is_led { WEIGHTS.chain.firm_if_led } else { WEIGHTS.chain.firm };
        match kept.last_mut().filter(|_| !is_whole && goal.score < least) {
            Some(last) => last.pieces.end = goal.pieces.end,
            None => kept.push(goal),
        }
    }
    kept
}

/// Inserts before each step the tool that produces its missing inputs.
fn chained<'a>(
    reading: &RequestReading,
    mut parts: Vec<StepToBind<'a>>,
    (tools, search): (&'a ToolsById<'a>, &LexicalSearch),
) -> Vec<StepToBind<'a>> {
    let hits = search.of_part(&reading.words_of(&(0..reading.text.len())), usize::MAX);
    let fitting: BTreeMap<ToolId, f32> = hits.into_iter().map(|hit| (hit.key, hit.score)).collect();
    let has_files = reading.said.iter().any(|one| one.kind == ValueKind::Path);
    let mut at = 0;
    while parts.len() < MOST_STEPS
        && let Some(part) = parts.get(at).cloned()
    {
        let before = parts.get(..at).unwrap_or_default();
        let bound = bind_one(reading, &part, before, &[]);
        // The content of a file is read by another step, see `StepSupply`; no tool has to produce it.
        let is_read = |slot: &ToolField| has_files && is_content(slot);
        let open = bound.iter().filter(|one| is_open(one) && !is_read(&one.slot));
        let bringing = open.map(|one| &one.slot).find_map(|slot| {
            let others = |id: &ToolId| {
                *id != part.known.tool.id && !before.iter().any(|it| it.known.tool.id == *id)
            };
            producer(
                slot,
                part.known,
                tools.iter().filter(|(id, _)| others(id)).map(|(_, known)| known),
                &fitting,
            )
        });
        match bringing {
            Some(known) => parts.insert(at, StepToBind::of(known, part.pieces)),
            None => at += 1,
        }
    }
    parts
}

/// Returns true if a required parameter has no source, or only a value that no word points to.
fn is_open(bound: &BoundParameter) -> bool {
    let slot = &bound.slot;
    let needed = slot.required && slot.default.is_none() && slot.choices.is_empty();
    needed
        && match &bound.source {
            None => true,
            Some(BindingSource::Said { told, .. }) => !told,
            Some(BindingSource::Output { .. } | BindingSource::Given { .. }) => false,
        }
}

/// Returns the best tool that outputs a parameter of another tool, by shared required parameters and relevance.
#[expect(clippy::cast_precision_loss, reason = "a few parameters")]
fn producer<'a>(
    slot: &ToolField,
    taker: &PlannerTool<'_>,
    tools: impl Iterator<Item = &'a PlannerTool<'a>>,
    fitting: &BTreeMap<ToolId, f32>,
) -> Option<&'a PlannerTool<'a>> {
    if slot.name.len() < LEAST_WORDS {
        return None;
    }
    let fits = |known: &PlannerTool<'_>| fitting.get(&known.tool.id).copied().unwrap_or_default();
    let needs = |known: &PlannerTool<'_>, name: &[String]| {
        known.needs.iter().any(|need| need.required && need.name == name)
    };
    let mut best: Option<(f32, &'a PlannerTool<'a>)> = None;
    for known in tools {
        let gives = known
            .gives
            .iter()
            .any(|output| output.name == slot.name && output.shape.serves(slot.shape));
        let near = fits(known) / fits(taker).max(f32::MIN_POSITIVE);
        if !gives || needs(known, &slot.name) || near < WEIGHTS.chain.near {
            continue;
        }
        let shared = known
            .needs
            .iter()
            .filter(|need| need.required && taker.needs.iter().any(|own| own.name == need.name));
        let score = shared.count() as f32 + near;
        if score >= WEIGHTS.chain.least && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, known));
        }
    }
    best.map(|(_, known)| known)
}
