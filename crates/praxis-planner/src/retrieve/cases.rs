//! An index of past cases: requests, and the tools that served them.
//!
//! - in: past requests that succeeded
//! - out: for a new request, the tools and the similarity of the nearest cases, and the tool chain that they propose
//! - never: counts a case that shares no word

use super::case_votes::votes;
use super::chain::{CaseVote, ToolChain, agreed};
use super::index::{DocumentField, IndexedDocument, WordIndex};
use super::rank::QueryTerm;
use super::synonyms::Synonyms;
use super::words::words;
use praxis_core::ids::ToolId;
use std::collections::BTreeMap;

/// The number of nearest cases that vote.
const VOICES: usize = 20;
/// The number of nearest cases that are compared for a chain.
const COMPARED: usize = 400;
/// The maximum number of words of a request that are compared for a chain.
const MOST_WORDS: usize = 400;

/// Past requests, indexed by their words.
#[derive(Clone, Debug, Default)]
pub struct CaseIndex {
    index: WordIndex<String>,
    cases: BTreeMap<String, IndexedCase>,
}

#[derive(Clone, Debug)]
struct IndexedCase {
    words: Vec<String>,
    /// The tools, in call order.
    tools: Vec<ToolId>,
}

/// The votes of the nearest cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseSupport {
    /// The share of votes for each tool. A tool that a case calls twice counts twice.
    pub tools: BTreeMap<ToolId, f32>,
    /// The nearest case and its similarity; 1 means that it has all words of the request.
    pub nearest: Option<(String, f32)>,
}

impl CaseIndex {
    /// Adds a case, or replaces the one with this id. The tools are in call order.
    pub fn put(&mut self, id: &str, request: &str, tools: Vec<ToolId>) {
        let mut words = words(request);
        let document: IndexedDocument = vec![(DocumentField::About, words.clone())];
        self.index.put(id.to_owned(), &document);
        words.truncate(MOST_WORDS);
        self.cases.insert(id.to_owned(), IndexedCase { words, tools });
    }

    /// Removes a case.
    pub fn remove(&mut self, id: &str) {
        self.index.remove(&id.to_owned());
        self.cases.remove(id);
    }

    /// Returns the votes of the nearest cases for their tools.
    pub fn vote(&self, request: &str) -> CaseSupport {
        let own = words(request);
        let asked = Synonyms::default().asked(request);
        let nearest = self.index.rank(&asked, VOICES);
        let all: f32 = nearest.iter().map(|hit| hit.score).sum();
        let mut tools: BTreeMap<ToolId, f32> = BTreeMap::new();
        for hit in &nearest {
            for tool in self.cases.get(&hit.key).into_iter().flat_map(|case| &case.tools) {
                *tools.entry(tool.clone()).or_default() += hit.score / all;
            }
        }
        let similarity = |key: &String| (key.clone(), self.index.share(&own, key));
        let nearest = nearest.first().map(|hit| similarity(&hit.key));
        CaseSupport { tools, nearest }
    }

    /// Returns the tool chain that the nearest cases propose; `None` if no case with tools shares a word.
    pub fn chain(&self, request: &str) -> Option<ToolChain> {
        let mut own = words(request);
        own.truncate(MOST_WORDS);
        let asked: Vec<QueryTerm> = own.iter().cloned().map(QueryTerm::said).collect();
        let near = self.index.rank(&asked, COMPARED);
        let near: Vec<(&String, &IndexedCase)> =
            near.iter().filter_map(|hit| self.cases.get_key_value(&hit.key)).collect();
        let texts: Vec<&[String]> = near.iter().map(|(_, case)| case.words.as_slice()).collect();
        let weights = votes(&own, &texts);
        let said = near.iter().zip(weights).map(|((id, case), weight)| CaseVote {
            case: id,
            tools: &case.tools,
            weight,
        });
        agreed(&said.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tools(names: &str) -> Vec<ToolId> {
        names.split_whitespace().map(ToolId::from).collect()
    }

    fn cases(all: &[(&str, &str)]) -> CaseIndex {
        let mut cases = CaseIndex::default();
        for (number, (request, names)) in all.iter().enumerate() {
            cases.put(&number.to_string(), request, tools(names));
        }
        cases
    }

    const PAST: &[(&str, &str)] = &[
        ("Book a hotel room in Rome and tell me the weather there", "book_hotel weather"),
        ("What is the weather in Rome, and book a hotel room", "weather book_hotel"),
        ("Cancel the hotel room in Rome", "find_booking cancel_hotel"),
        ("Cancel my hotel booking for Monday", "find_booking cancel_hotel"),
        ("Convert 5 miles to kilometers, then 6 miles", "convert convert"),
        ("Say hello", ""),
    ];

    #[test]
    fn a_request_is_served_as_those_like_it_were_tools_order_and_repeats() {
        let cases = cases(PAST);
        for (request, expected) in [
            ("Please cancel the hotel in Paris", "find_booking cancel_hotel"),
            ("Book a hotel room in Paris and tell me the weather", "book_hotel weather"),
            ("What is the weather in Paris, and book a hotel room", "weather book_hotel"),
            ("Convert 7 miles to kilometers, then 8 miles", "convert convert"),
        ] {
            let chain = cases.chain(request).unwrap();
            assert_eq!(chain.steps, tools(expected), "{request}");
            assert_eq!(chain.links, [(0, 1)], "{request}");
            assert!(chain.sureness > 0.3, "{request}: {chain:?}");
        }
        let cancel = cases.chain("Please cancel the hotel in Paris").unwrap();
        assert_eq!(cancel.votes[0].0, "2", "the case that is most like it: {cancel:?}");
    }

    #[test]
    fn what_the_cases_hardly_share_is_unsure_and_what_they_do_not_share_has_no_chain() {
        let cases = cases(PAST);
        assert_eq!(cases.chain("负荷预测"), None);
        assert_eq!(cases.chain(""), None);
        assert_eq!(cases.chain("hello"), None, "a case without tools proposes none");
        let strange = cases.chain("Paint five red boats at night for Monday").unwrap();
        assert!(strange.sureness < 0.2, "{strange:?}");
        let known = cases.chain("Cancel the hotel room in Rome").unwrap();
        assert!(known.sureness > 0.8, "{known:?}");
    }

    proptest! {
        #[test]
        fn a_chain_depends_on_the_cases_alone_and_not_on_how_they_came(
            past in proptest::collection::vec(("[ab]{1,2}( [a-d]{1,2}){0,4}", "[st]( [s-v]){0,3}"), 1..9),
            gone in proptest::collection::vec(("[a-d]{1,2}( [a-d]{1,2}){0,4}", "[s-v]( [s-v]){0,3}"), 0..4),
            request in "[a-d]{1,2}( [a-d]{1,2}){0,3}",
        ) {
            let mut straight = CaseIndex::default();
            for (key, (text, chain)) in past.iter().enumerate() {
                straight.put(&key.to_string(), text, tools(chain));
            }
            let mut crooked = CaseIndex::default();
            for (key, (text, chain)) in gone.iter().enumerate() {
                crooked.put(&format!("gone {key}"), text, tools(chain));
            }
            for (key, (text, chain)) in past.iter().enumerate().rev() {
                crooked.put(&key.to_string(), chain, tools(text));
                crooked.put(&key.to_string(), text, tools(chain));
                crooked.put(&key.to_string(), text, tools(chain));
            }
            for key in 0..gone.len() {
                crooked.remove(&format!("gone {key}"));
            }
            let (straight, crooked) = (straight.chain(&request), crooked.chain(&request));
            prop_assert_eq!(&straight, &crooked);
            if let Some(chain) = straight {
                prop_assert!(past.iter().any(|(_, own)| tools(own) == chain.steps));
                prop_assert_eq!(chain.links.len() + 1, chain.steps.len());
                prop_assert!((0.0..=1.0).contains(&chain.sureness));
            }
        }
    }
}
