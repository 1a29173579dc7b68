//! Finds the tools that a goal may need.
//!
//! - in: a catalog and past cases, updated one by one; a goal in words
//! - out: tools, the best first, each with the reason for the match
//! - never: drops a tool because of the order in which it was added

use super::cases::CaseIndex;
use super::catalog::{document, gives, needs};
use super::index::WordIndex;
use super::producers::ProducerIndex;
use super::rank::{QueryTerm, RankedDocument, ResolvedQuery, best};
use super::sentences::sentences;
use super::synonyms::Synonyms;
use super::words::words;
use crate::weights::WEIGHTS;
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_core::planner::{FoundTool, MatchReason};
use std::collections::{BTreeMap, BTreeSet};

/// The minimum number of words in a sentence that is searched by itself.
const LEAST_SENTENCE: usize = 2;
/// The number of best tools whose producers are added.
const WITH_PRODUCERS: usize = 20;
/// The maximum number of words given as a reason.
const MOST_WORDS: usize = 5;

/// The index of all tools, with past cases and synonyms.
#[derive(Clone, Debug, Default)]
pub struct LexicalSearch {
    tools: WordIndex<ToolId>,
    producers: ProducerIndex,
    cases: CaseIndex,
    synonyms: Synonyms,
}

impl LexicalSearch {
    /// Creates an empty search with these synonyms.
    pub fn with(synonyms: Synonyms) -> Self {
        Self { synonyms, ..Self::default() }
    }

    /// Creates a search over these tools, with the built-in synonyms and those in `own`, the text of
    /// the user's synonym file.
    pub fn over<'a>(tools: impl IntoIterator<Item = &'a Tool>, own: &str) -> Self {
        let mut search = Self::with(Synonyms::with_own(own));
        tools.into_iter().for_each(|tool| search.put(tool));
        search
    }

    /// Adds a tool, or replaces the one with this id.
    pub fn put(&mut self, tool: &Tool) {
        self.tools.put(tool.id.clone(), &document(tool));
        self.producers.put(&tool.id, &needs(tool), &gives(tool));
    }

    /// Removes a tool.
    pub fn remove(&mut self, tool: &ToolId) {
        self.tools.remove(tool);
        self.producers.remove(tool);
    }

    /// Returns the past cases.
    pub fn cases_mut(&mut self) -> &mut CaseIndex {
        &mut self.cases
    }

    /// Returns the tools that share words with a part of a goal, the best first. Past cases and producers are
    /// ignored.
    pub fn of_part(&self, part: &str, most: usize) -> Vec<RankedDocument<ToolId>> {
        self.tools.rank(&self.synonyms.asked(part), most)
    }

    /// Returns the words of a text that a tool has, directly or as a synonym.
    pub fn known_to(&self, tool: &ToolId, text: &str) -> BTreeSet<String> {
        let asked = self.synonyms.asked(text);
        let shared: BTreeSet<String> =
            self.tools.explain(&asked, tool).into_iter().map(|(word, _)| word).collect();
        asked.into_iter().filter(|one| shared.contains(&one.word)).map(|one| one.of).collect()
    }

    /// Returns the tools that match a goal, the best first.
    pub fn find(&self, goal: &str, most: usize) -> Vec<FoundTool> {
        let vote = self.cases.vote(goal);
        let near = vote
            .nearest
            .as_ref()
            .is_some_and(|(_, similarity)| *similarity >= WEIGHTS.search.least_similarity);
        self.find_beside(goal, most, &if near { vote.tools } else { BTreeMap::new() })
    }

    /// Like [`Self::find`], with the votes of similar past requests from the caller: a share from 0 to 1 per tool.
    pub fn find_beside(
        &self,
        goal: &str,
        most: usize,
        votes: &BTreeMap<ToolId, f32>,
    ) -> Vec<FoundTool> {
        let asked = self.synonyms.asked(goal);
        let by_words = self.by_words(&asked, goal, most.saturating_mul(2).max(WITH_PRODUCERS));
        let top = by_words.first().map_or(1.0, |hit| hit.score);
        let share = if votes.is_empty() { 1.0 } else { WEIGHTS.search.words };
        let mut scores: BTreeMap<ToolId, f32> = votes.clone();
        for hit in &by_words {
            *scores.entry(hit.key.clone()).or_default() += share * hit.score / top;
        }
        let hits = scores.into_iter().map(|(key, score)| RankedDocument { key, score }).collect();
        let ranked = best(hits, most.max(WITH_PRODUCERS));
        let weighed = self.tools.weighed(&asked);
        let told = |(tool, score, brings_for): (ToolId, f32, Option<ToolId>)| {
            let words = self.tools.reasons(&weighed, &tool).into_iter().take(MOST_WORDS);
            let words = words.map(|(word, _)| word).collect();
            let cases = votes.get(&tool).copied().unwrap_or_default();
            FoundTool { tool, score, because: MatchReason { words, cases, brings_for } }
        };
        self.with_producers(ranked).into_iter().take(most).map(told).collect()
    }

    /// Returns the tools whose words match. A tool is scored for the whole goal and for its best single sentence, so that
    /// a short sentence is not outweighed by a long one.
    fn by_words(
        &self,
        asked: &[QueryTerm],
        goal: &str,
        most: usize,
    ) -> Vec<RankedDocument<ToolId>> {
        let says = |part: &&str| words(part).len() >= LEAST_SENTENCE;
        let parts: Vec<Vec<QueryTerm>> =
            sentences(goal).into_iter().filter(says).map(|it| self.synonyms.asked(it)).collect();
        let whole = QueryHits::of(&self.tools, asked, most);
        if parts.len() < 2 {
            return whole.hits;
        }
        let parts: Vec<QueryHits<'_>> =
            parts.iter().map(|part| QueryHits::of(&self.tools, part, most)).collect();
        let hits = std::iter::once(&whole).chain(&parts).flat_map(|answer| &answer.hits);
        let tools: BTreeSet<&ToolId> = hits.map(|hit| &hit.key).collect();
        let score = |tool: &ToolId| {
            let shares = parts.iter().map(|part| part.share(&self.tools, tool));
            whole.share(&self.tools, tool) + WEIGHTS.search.sentence * shares.fold(0.0, f32::max)
        };
        let hits =
            tools.into_iter().map(|tool| RankedDocument { key: tool.clone(), score: score(tool) });
        best(hits.collect(), most)
    }

    /// Inserts after each tool the ones that produce the ids that it needs.
    fn with_producers(
        &self,
        ranked: Vec<RankedDocument<ToolId>>,
    ) -> Vec<(ToolId, f32, Option<ToolId>)> {
        let scores: BTreeMap<ToolId, f32> =
            ranked.iter().map(|hit| (hit.key.clone(), hit.score)).collect();
        let mut seen: BTreeSet<ToolId> = BTreeSet::new();
        let mut all = Vec::new();
        for (place, hit) in ranked.into_iter().enumerate() {
            if seen.insert(hit.key.clone()) {
                all.push((hit.key.clone(), hit.score, None));
            }
            let needed = if place < WITH_PRODUCERS { self.producers.of(&hit.key) } else { vec![] };
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

/// A query and the tools that match it best.
struct QueryHits<'a> {
    question: ResolvedQuery<'a>,
    hits: Vec<RankedDocument<ToolId>>,
}

impl<'a> QueryHits<'a> {
    fn of(tools: &'a WordIndex<ToolId>, asked: &'a [QueryTerm], most: usize) -> Self {
        let question = tools.weighed(asked);
        let hits = tools.best(&question, most);
        Self { question, hits }
    }

    /// Returns the score of a tool relative to that of the best.
    fn share(&self, tools: &WordIndex<ToolId>, tool: &ToolId) -> f32 {
        let top = self.hits.first().map(|hit| hit.score);
        top.map_or(0.0, |top| tools.score(&self.question, tool) / top)
    }
}

/// Converts a score to an integer with the same order; scores are never negative.
fn ordered(score: f32) -> u32 {
    score.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn search(tools: &[Value]) -> LexicalSearch {
        let mut search = LexicalSearch::with(Synonyms::built_in().clone());
        for tool in tools {
            let mut manifest = json!({"builtin": "noop", "input_schema": {"type": "object"}});
            let own = tool.as_object().cloned().unwrap();
            manifest.as_object_mut().unwrap().extend(own);
            search.put(&serde_json::from_value(manifest).unwrap());
        }
        search
    }

    fn found(search: &LexicalSearch, goal: &str, most: usize) -> String {
        let found = search.find(goal, most).into_iter().map(|found| found.tool.to_string());
        found.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_tool_that_one_sentence_is_about_is_not_lost_among_those_of_a_long_one() {
        let mut tools = vec![
            json!({"id": "house_price", "description": "price of a house by area, rooms, city and year"}),
            json!({"id": "building", "description": "area, rooms and year of a building"}),
            json!({"id": "court", "description": "lawsuits against an owner"}),
        ];
        tools.extend(["d", "e", "f", "g", "h"].map(|id| json!({"id": format!("other_{id}")})));
        let goal = "Which price has the house with an area of 2000 and 4 rooms in this city, built in the year 1985? \
            Lawsuits come next.";
        assert_eq!(found(&search(&tools), goal, 2), "house_price court");
    }

    #[test]
    fn a_tool_is_found_by_the_values_that_it_lets_choose_from() {
        let kinds = json!({"properties": {
            "kind": {"enum": ["Psychologist", "Dentist"]},
            "days": {"type": "array", "items": {"enum": ["holiday", 7]}},
        }});
        let tools = [
            json!({"id": "find_provider", "input_schema": kinds}),
            json!({"id": "find_shop", "description": "finds a shop"}),
        ];
        let search = search(&tools);
        assert_eq!(found(&search, "I'm after a psychologist", 5), "find_provider");
        assert_eq!(found(&search, "on a holiday", 5), "find_provider");
    }

    #[test]
    fn the_tool_that_brings_an_id_comes_behind_the_one_that_needs_it() {
        let needs = |name: &str| json!({"type": "object", "required": [name]});
        let gives = json!({"properties": {"id": {}}});
        let tools = [
            json!({"id": "credits", "description": "cast of a film", "input_schema": needs("movie_id")}),
            json!({"id": "search_movie", "output_schema": gives}),
            json!({"id": "find_movie_again", "output_schema": gives, "input_schema": needs("movie_id")}),
        ];
        let mut search = search(&tools);
        assert_eq!(found(&search, "the cast", 5), "credits search_movie");
        let because = &search.find("the cast", 5)[1].because;
        assert_eq!(because.brings_for, Some("credits".into()));
        search.remove(&"search_movie".into());
        assert_eq!(found(&search, "the cast", 5), "credits");
    }
}
