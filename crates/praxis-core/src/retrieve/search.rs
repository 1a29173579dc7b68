//! The tools that a goal may need.
//!
//! - in: a catalog and past cases, kept up to date one by one; a goal in words
//! - out: tools, the best first, each with what speaks for it
//! - never: leaves out a tool because of the order in which it came

use super::cases::Cases;
use super::catalog::{document, gives, needs};
use super::index::{Hit, Index, best};
use super::producers::Producers;
use super::synonyms::Synonyms;
use crate::call::tool::Tool;
use crate::ids::ToolId;
use std::collections::{BTreeMap, BTreeSet};

/// What the words of a tool count beside what past cases say of it.
const WORDS: f32 = 0.3;
/// A case that shares less than this of the request has no voice.
const LEAST_LIKENESS: f32 = 0.25;
/// So many of the best tools bring along what they need.
const BRINGING: usize = 20;
/// So many words are told as a reason.
const MOST_WORDS: usize = 5;

/// All tools that can be found, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Search {
    tools: Index<ToolId>,
    producers: Producers,
    cases: Cases,
    synonyms: Synonyms,
}

/// A tool that may be needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Which.
    pub tool: ToolId,
    /// How well it fits, of 1.
    pub score: f32,
    /// What speaks for it.
    pub because: Because,
}

/// What speaks for a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Because {
    /// Words that it shares with the goal, the weightiest first.
    pub words: Vec<String>,
    /// The share of near past cases that used it.
    pub cases: f32,
    /// The tool that needs what it brings.
    pub brings_for: Option<ToolId>,
}

impl Search {
    /// An empty one with these synonyms.
    pub fn with(synonyms: Synonyms) -> Self {
        Self { synonyms, ..Self::default() }
    }

    /// Takes a tool in, or in its place what it is now.
    pub fn put(&mut self, tool: &Tool) {
        self.tools.put(tool.id.clone(), &document(tool));
        self.producers.put(&tool.id, &needs(tool), &gives(tool));
    }

    /// Forgets a tool.
    pub fn remove(&mut self, tool: &ToolId) {
        self.tools.remove(tool);
        self.producers.remove(tool);
    }

    /// What earlier tasks did.
    pub fn cases_mut(&mut self) -> &mut Cases {
        &mut self.cases
    }

    /// The tools that fit a goal, the best first.
    pub fn find(&self, goal: &str, most: usize) -> Vec<Found> {
        let asked = self.synonyms.asked(goal);
        let by_words = self.tools.rank(&asked, most.saturating_mul(2).max(BRINGING));
        let vote = self.cases.vote(goal);
        let near = vote.nearest.as_ref().is_some_and(|(_, likeness)| *likeness >= LEAST_LIKENESS);
        let voices = if near { vote.tools } else { BTreeMap::new() };
        let top = by_words.first().map_or(1.0, |hit| hit.score);
        let share = if voices.is_empty() { 1.0 } else { WORDS };
        let mut scores: BTreeMap<ToolId, f32> = voices.clone();
        for hit in &by_words {
            *scores.entry(hit.key.clone()).or_default() += share * hit.score / top;
        }
        let hits = scores.into_iter().map(|(key, score)| Hit { key, score }).collect();
        let ranked = best(hits, most.max(BRINGING));
        let told = |(tool, score, brings_for): (ToolId, f32, Option<ToolId>)| {
            let words = self.tools.explain(&asked, &tool).into_iter().take(MOST_WORDS);
            let words = words.map(|(word, _)| word).collect();
            let cases = voices.get(&tool).copied().unwrap_or_default();
            Found { tool, score, because: Because { words, cases, brings_for } }
        };
        self.with_producers(ranked).into_iter().take(most).map(told).collect()
    }

    /// Each tool, and behind it the one that brings what it needs.
    fn with_producers(&self, ranked: Vec<Hit<ToolId>>) -> Vec<(ToolId, f32, Option<ToolId>)> {
        let scores: BTreeMap<ToolId, f32> =
            ranked.iter().map(|hit| (hit.key.clone(), hit.score)).collect();
        let mut seen: BTreeSet<ToolId> = BTreeSet::new();
        let mut all = Vec::new();
        for (place, hit) in ranked.into_iter().enumerate() {
            if seen.insert(hit.key.clone()) {
                all.push((hit.key.clone(), hit.score, None));
            }
            let needed = if place < BRINGING { self.producers.of(&hit.key) } else { vec![] };
            for producers in needed {
                let rank = |tool: &&&ToolId| {
                    let score = scores.get(**tool).copied().unwrap_or_default();
                    (self.producers.distance(tool), std::cmp::Reverse(ordered(score)))
                };
                let Some(first) = producers.iter().min_by_key(rank) else { continue };
                if seen.insert((*first).clone()) {
                    let score = scores.get(*first).copied().unwrap_or_default();
                    all.push(((*first).clone(), score, Some(hit.key.clone())));
                }
            }
        }
        all
    }
}

/// A score as a number that can be compared; scores are never negative.
fn ordered(score: f32) -> u32 {
    score.to_bits()
}
