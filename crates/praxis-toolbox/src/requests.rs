//! How well the tools are found by what people say: the requests of `requests.yaml`, over all tools of the box; for a
//! tool of an example, over those of the box and the example.

use super::testing::all_tools;
use super::{ExampleProject, tools};
use praxis_core::call::tool::Tool;
use praxis_core::document::{self, DocumentFormat};
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use std::collections::BTreeMap;
use std::fmt;

/// So many requests of each language may be looked at while words are chosen.
const LOOKED_AT: usize = 2;

/// A tool, the language of a request for it, its place in the list, and the request.
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

/// How often the tool that is asked for comes first, and among the first three.
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

    /// Of a hundred requests.
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

/// How well requests are served, by language and by whether they were looked at.
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

/// What the words of the manifests reach, less a little: 90 and 98 of all; of what was held back 83 and 97.
#[test]
fn a_tool_is_found_by_the_words_that_people_ask_for_it_with() {
    for (row, places) in measured() {
        let (first, in_three) = if row == "all" { (88, 97) } else { (80, 95) };
        assert!(places.share(places.first) >= first, "{row}: {places}");
        assert!(places.share(places.in_three) >= in_three, "{row}: {places}");
    }
}
