//! What earlier tasks did: requests in words, and the tools that served them.
//!
//! - in: past requests that ended well
//! - out: for a new one, which tools the nearest of them used, and how near they are
//! - never: lets a case speak that hardly shares a word

use super::index::{Document, Field, Index};
use super::rank::Asked;
use super::synonyms::Synonyms;
use super::words::words;
use crate::ids::ToolId;
use std::collections::BTreeMap;

/// So many of the nearest cases have a voice.
const VOICES: usize = 20;

/// Past requests by their words.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    index: Index<String>,
    tools: BTreeMap<String, Vec<ToolId>>,
}

/// What the nearest cases say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vote {
    /// The share of voices for each tool, from 0 to 1.
    pub tools: BTreeMap<ToolId, f32>,
    /// The nearest case, and how near it is: 1 has all the words that the request has.
    pub nearest: Option<(String, f32)>,
}

impl Cases {
    /// Takes a case in, or in its place what it is now.
    pub fn put(&mut self, id: &str, request: &str, tools: Vec<ToolId>) {
        let document: Document = vec![(Field::About, words(request))];
        self.index.put(id.to_owned(), &document);
        self.tools.insert(id.to_owned(), tools);
    }

    /// Forgets one.
    pub fn remove(&mut self, id: &str) {
        self.index.remove(&id.to_owned());
        self.tools.remove(id);
    }

    /// Which tools the nearest cases used.
    pub fn vote(&self, request: &str) -> Vote {
        let own = words(request);
        let asked = Synonyms::default().asked(request);
        let nearest = self.index.rank(&asked, VOICES);
        let all: f32 = nearest.iter().map(|hit| hit.score).sum();
        let mut tools: BTreeMap<ToolId, f32> = BTreeMap::new();
        for hit in &nearest {
            for tool in self.tools.get(&hit.key).into_iter().flatten() {
                *tools.entry(tool.clone()).or_default() += hit.score / all;
            }
        }
        let likeness = |key: &String| (key.clone(), self.likeness(&own, key));
        let nearest = nearest.first().map(|hit| likeness(&hit.key));
        Vote { tools, nearest }
    }

    /// How much of what a request says a case says too.
    #[expect(clippy::cast_precision_loss, reason = "words of a request")]
    fn likeness(&self, own: &[String], case: &String) -> f32 {
        if own.is_empty() {
            return 0.0;
        }
        let asked: Vec<Asked> = own.iter().cloned().map(Asked::said).collect();
        let shared = self.index.explain(&asked, case);
        let shared = own.iter().filter(|word| shared.iter().any(|(it, _)| it == *word)).count();
        shared as f32 / own.len() as f32
    }
}
