//! Measures how well lexical search finds the tools from users' requests in `requests.yaml`. The search runs over all
//! built-in tools; for a tool of an example, also over the tools of the example.

use super::testing::all_tools;
use super::{ExampleProject, tools};
use praxis_core::call::tool::Tool;
use praxis_core::document::{self, DocumentFormat};
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use std::collections::BTreeMap;
use std::fmt;

/// The number of requests per tool and language that may be used to tune the manifests; the others are held back.
const LOOKED_AT: usize = 2;

/// A request for a tool, with its language and its position in the list.
struct ToolboxRequest {
    tool: String,
    language: String,
    place: usize,
    text: String,
}

fn requests() -> Vec<ToolboxRequest> {
    let value = document::read(include_bytes!("requests.yaml"), DocumentFormat::Yaml).unwrap();
    let by_tool: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_value(value).unwrap();
    let mut all = Vec::new();
    for (tool, by_language) in by_tool {
        for (language, texts) in by_language {
            for (place, text) in texts.into_iter().enumerate() {
                let (tool, language) = (tool.clone(), language.clone());
                all.push(ToolboxRequest { tool, language, place, text });
            }
        }
    }
    all
}

/// Counts of requests whose tool is ranked first, and among the first three.
#[derive(Default)]
struct RankCounts {
    asked: usize,
    first: usize,
    in_three: usize,
}

impl RankCounts {
    fn add(&mut self, found: &[String], wanted: &str) {
        self.asked += 1;
        self.first += usize::from(found.first().is_some_and(|first| first == wanted));
        self.in_three += usize::from(found.iter().any(|one| one == wanted));
    }

    /// Returns a count in percent of all requests.
    fn share(&self, count: usize) -> usize {
        count * 100 / self.asked.max(1)
    }
}

impl fmt::Display for RankCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, in_three) = (self.share(self.first), self.share(self.in_three));
        write!(f, "first {first} %, in three {in_three} % of {}", self.asked)
    }
}

fn search(tools: &[Tool]) -> LexicalSearch {
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    for tool in tools {
        search.put(tool);
    }
    search
}

/// Returns the counts of all requests, and by language and by tuned or held-back requests.
fn measured() -> BTreeMap<String, RankCounts> {
    let (in_the_box, with_example) = (search(&tools()), search(&all_tools()));
    let mut places: BTreeMap<String, RankCounts> = BTreeMap::new();
    for request in requests() {
        let is_of_example = ExampleProject::bringing(&request.tool).is_some();
        let search = if is_of_example { &with_example } else { &in_the_box };
        let found = search.find(&request.text, 3);
        let found: Vec<String> = found.iter().map(|one| one.tool.to_string()).collect();
        let looked_at = request.place < LOOKED_AT;
        let half = if looked_at { "looked at" } else { "held back" };
        for row in ["all".to_owned(), format!("{} {half}", request.language)] {
            places.entry(row).or_default().add(&found, &request.tool);
        }
        if looked_at && found.first() != Some(&request.tool) {
            println!("{}: {} finds {found:?}", request.tool, request.text);
        }
    }
    for (row, places) in &places {
        println!("{row}: {places}");
    }
    places
}

#[test]
fn every_tool_is_asked_for_three_times_in_each_language() {
    let mut counted: BTreeMap<(String, String), usize> = BTreeMap::new();
    for request in requests() {
        let is_english = request.text.is_ascii();
        assert_eq!(is_english, request.language == "en", "{}", request.text);
        *counted.entry((request.tool, request.language)).or_default() += 1;
    }
    for tool in all_tools() {
        for language in ["en", "zh"] {
            let count = counted.remove(&(tool.id.to_string(), language.to_owned()));
            assert!(count >= Some(3), "{} {language}", tool.id);
        }
    }
    assert!(counted.is_empty(), "there are no such tools: {counted:?}");
}

/// The thresholds are slightly below the measured values: 90 and 98 percent of all, 83 and 97 percent of those held
/// back.
#[test]
fn a_tool_is_found_by_the_words_that_people_ask_for_it_with() {
    for (row, places) in measured() {
        let (first, in_three) = if row == "all" { (88, 97) } else { (80, 95) };
        assert!(places.share(places.first) >= first, "{row}: {places}");
        assert!(places.share(places.in_three) >= in_three, "{row}: {places}");
    }
}
