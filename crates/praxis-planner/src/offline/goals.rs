//! Finds the tools that a request asks for, piece by piece.
//!
//! - in: a `RequestReading`, and the candidate tools
//! - out: tools in the order of the request, each with the pieces that ask for it
//! - never: switches to another tool for a piece that scores hardly higher with it than with the tool before

use super::cover::{cover, values};
use super::needs::ToolsById;
use super::reading::RequestReading;
use super::verbs::ActionVerb;
use crate::retrieve::catalog::document;
use crate::retrieve::index::DocumentField;
use crate::retrieve::search::LexicalSearch;
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use std::collections::BTreeMap;
use std::ops::Range;

/// The number of best matches for the whole request that become candidates.
const WHOLE: usize = 40;
/// The number of best matches for a piece that become candidates.
const OF_PIECE: usize = 12;

/// A tool that the request asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedTool {
    /// The tool.
    pub tool: ToolId,
    /// The indices of the pieces that ask for it.
    pub pieces: Range<usize>,
    /// The total score of the pieces; 1 is the best word match of any tool with any piece.
    pub score: f32,
    /// True if the first of the pieces starts with a verb from the tool's id.
    pub is_led: bool,
}

/// Returns the tools that the request asks for.
pub fn goals(
    reading: &RequestReading,
    search: &LexicalSearch,
    known: &ToolsById<'_>,
) -> Vec<WantedTool> {
    let whole = search.of_part(&reading.asked(&(0..reading.text.len())), WHOLE);
    let top = whole.first().map_or(1.0, |hit| hit.score);
    let scores = |piece: &Range<usize>| -> BTreeMap<ToolId, f32> {
        let hits = search.of_part(&reading.asked(piece), usize::MAX);
        hits.into_iter().map(|hit| (hit.key, hit.score)).collect()
    };
    let pieces: Vec<BTreeMap<ToolId, f32>> = reading.pieces.iter().map(scores).collect();
    let best = pieces.iter().flat_map(BTreeMap::values).fold(f32::MIN_POSITIVE, |a, b| a.max(*b));
    let mut tools: Vec<ToolId> = pieces.iter().flat_map(best_of).collect();
    tools.extend(whole.iter().map(|hit| hit.key.clone()));
    let all = 0..reading.text.len();
    tools.extend(known.keys().filter(|tool| is_named(reading, &all, tool)).cloned());
    tools.sort();
    tools.dedup();
    let prior: BTreeMap<&ToolId, f32> =
        whole.iter().map(|hit| (&hit.key, hit.score / top)).collect();
    let share = |piece: &BTreeMap<ToolId, f32>, tool: &ToolId| {
        piece.get(tool).copied().unwrap_or_default() / best
    };
    let verbs: Vec<ActionVerb> =
        reading.pieces.iter().map(|piece| ActionVerb::of(reading, piece, known)).collect();
    let gains: Vec<Vec<f32>> = pieces
        .iter()
        .zip(&verbs)
        .zip(reading.pieces.iter().enumerate())
        .map(|((piece, verb), (at, place))| {
            let values = values(reading, place);
            let gain = |tool: &ToolId| {
                let words = share(piece, tool);
                let is_keyed = values.iter().any(|value| value.key.is_some());
                let known = known.get(tool).filter(|_| words > 0.0 || is_keyed);
                let covers = |known| cover(reading, &(at..at + 1), &values, known);
                let named = if is_named(reading, place, tool) { WEIGHTS.goals.named } else { 0.0 };
                words * (1.0 + known.map_or(0.0, |known| verb.speaks_for(known)))
                    + named
                    + WEIGHTS.goals.cover * known.map_or(0.0, covers)
            };
            tools.iter().map(gain).collect()
        })
        .collect();
    let entries =
        tools.iter().map(|tool| WEIGHTS.goals.prior * prior.get(tool).copied().unwrap_or_default());
    let costs = verbs.iter().map(|verb| WEIGHTS.goals.turn - WEIGHTS.goals.new * verb.is_new());
    let turns = SwitchScores { entries: entries.collect(), costs: costs.collect() };
    merged(&best_way(&gains, &turns), &tools, (&gains, &verbs))
}

/// Returns true if a piece contains the id of a tool.
fn is_named(reading: &RequestReading, piece: &Range<usize>, tool: &ToolId) -> bool {
    let inside = |place: &Range<usize>| piece.start <= place.start && place.end <= piece.end;
    let mut inside = reading.tokens.iter().filter(|token| inside(&token.place));
    tool.as_str().contains('_') && inside.any(|token| token.text == tool.as_str())
}

fn best_of(piece: &BTreeMap<ToolId, f32>) -> Vec<ToolId> {
    let mut hits: Vec<(&ToolId, &f32)> = piece.iter().collect();
    hits.sort_by(|a, b| b.1.total_cmp(a.1).then_with(|| a.0.cmp(b.0)));
    hits.into_iter().take(OF_PIECE).map(|(tool, _)| tool.clone()).collect()
}

/// The scores for switching to another tool.
struct SwitchScores {
    /// The bonus of each tool when it is switched to.
    entries: Vec<f32>,
    /// The cost of a switch at each piece.
    costs: Vec<f32>,
}

/// Chooses a tool for each piece so that the total score is maximal, by dynamic programming.
fn best_way(gains: &[Vec<f32>], turns: &SwitchScores) -> Vec<usize> {
    let Some((first, rest)) = gains.split_first() else { return vec![] };
    let mut sums: Vec<f32> =
        first.iter().zip(&turns.entries).map(|(gain, entry)| gain + entry).collect();
    let mut came: Vec<Vec<usize>> = Vec::new();
    for (gains, cost) in rest.iter().zip(turns.costs.iter().skip(1)) {
        let (best, most) = top(&sums);
        let turned = |(at, stay): (usize, &f32)| {
            let turn = most - cost + turns.entries.get(at).copied().unwrap_or_default();
            if *stay >= turn { (at, *stay) } else { (best, turn) }
        };
        let (from, next): (Vec<usize>, Vec<f32>) = sums.iter().enumerate().map(turned).unzip();
        sums = next.iter().zip(gains).map(|(sum, gain)| sum + gain).collect();
        came.push(from);
    }
    back(top(&sums).0, &came)
}

fn top(sums: &[f32]) -> (usize, f32) {
    let best =
        sums.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then_with(|| b.0.cmp(&a.0)));
    best.map_or((0, 0.0), |(at, sum)| (at, *sum))
}

/// Reconstructs the path that ends at `last`.
fn back(last: usize, came: &[Vec<usize>]) -> Vec<usize> {
    let mut way = vec![last];
    let mut at = last;
    for from in came.iter().rev() {
        at = from.get(at).copied().unwrap_or(at);
        way.push(at);
    }
    way.reverse();
    way
}

fn merged(
    way: &[usize],
    tools: &[ToolId],
    (gains, verbs): (&[Vec<f32>], &[ActionVerb]),
) -> Vec<WantedTool> {
    let mut goals: Vec<WantedTool> = Vec::new();
    for (piece, ((at, gains), verb)) in way.iter().zip(gains).zip(verbs).enumerate() {
        let (Some(tool), Some(score)) = (tools.get(*at), gains.get(*at)) else { continue };
        match goals.last_mut().filter(|last| last.tool == *tool) {
            Some(last) => {
                last.pieces.end = piece + 1;
                last.score += score;
            }
            None => {
                let (tool, is_led) = (tool.clone(), verb.leads_to(tool));
                goals.push(WantedTool { tool, pieces: piece..piece + 1, score: *score, is_led });
            }
        }
    }
    goals
}

/// Distributes the pieces over tools that are asked for in this order. Each tool gets at least one piece; if there
/// are fewer pieces than tools, each tool gets all pieces.
pub fn align(reading: &RequestReading, tools: &[&Tool]) -> Vec<Range<usize>> {
    let gains = |piece: &Range<usize>| -> Vec<f32> {
        let told = words(&reading.words_of(piece));
        tools.iter().map(|tool| similarity(tool, &told)).collect()
    };
    let gains: Vec<Vec<f32>> = reading.pieces.iter().map(gains).collect();
    let Some((first, rest)) = gains.split_first().filter(|_| gains.len() >= tools.len()) else {
        return vec![0..reading.pieces.len(); tools.len()];
    };
    let mut sums = vec![f32::NEG_INFINITY; tools.len()];
    sums.iter_mut().zip(first).take(1).for_each(|(sum, gain)| *sum = *gain);
    let mut came: Vec<Vec<usize>> = Vec::new();
    for gains in rest {
        let before = std::iter::once(&f32::NEG_INFINITY).chain(&sums);
        let ways = sums.iter().zip(before).enumerate();
        let best =
            ways.map(|(at, (stay, next))| if stay >= next { (at, *stay) } else { (at - 1, *next) });
        let (from, most): (Vec<usize>, Vec<f32>) = best.unzip();
        sums = most.iter().zip(gains).map(|(sum, gain)| sum + gain).collect();
        came.push(from);
    }
    let way = back(tools.len().saturating_sub(1), &came);
    let first = |tool: usize| way.iter().position(|at| *at == tool).unwrap_or_default();
    let last = |tool: usize| way.iter().rposition(|at| *at == tool).unwrap_or_default();
    (0..tools.len()).map(|tool| first(tool)..last(tool) + 1).collect()
}

/// Returns the weight of words in a field of a tool.
fn weight(field: DocumentField) -> f32 {
    match field {
        DocumentField::Name => WEIGHTS.goals.of_name,
        DocumentField::About => WEIGHTS.goals.of_description,
        DocumentField::Parameter => WEIGHTS.goals.of_parameter,
        DocumentField::Choice | DocumentField::Output | DocumentField::Tag => {
            WEIGHTS.goals.of_others
        }
    }
}

fn similarity(tool: &Tool, told: &[String]) -> f32 {
    let document = document(tool);
    let of_word = |word: &String| {
        let fields = document.iter().filter(|(_, words)| words.contains(word));
        fields.map(|(field, _)| weight(*field)).fold(0.0, f32::max)
    };
    told.iter().map(of_word).sum()
}
