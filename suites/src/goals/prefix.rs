//! Measures the cacheable share of a task's prompts: the prefix that each prompt shares with the previous one.

use praxis_core::ask::request::ModelRequest;
use praxis_core::ask::usage::estimate;
use praxis_testkit::model::ScriptedRequest;

/// Prompt tokens shared with the previous request, out of all prompt tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrefixShare {
    /// Tokens in the shared prefixes.
    pub common: u64,
    /// Tokens of all prompts.
    pub all: u64,
}

impl PrefixShare {
    /// Measures the requests of a task, given in order.
    pub fn of(asked: &[ScriptedRequest]) -> Self {
        let texts: Vec<String> = asked.iter().map(|asked| text(&asked.request)).collect();
        let all = texts.iter().map(|text| estimate(text)).sum();
        let pairs = texts.iter().zip(texts.iter().skip(1));
        let common = pairs.map(|(before, now)| estimate(beginning(before, now))).sum();
        Self { common, all }
    }

    /// Returns the sum of both counts.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { common: self.common + other.common, all: self.all + other.all }
    }

    /// Returns the share, from zero to one.
    pub fn fraction(self) -> f64 {
        self.common as f64 / self.all.max(1) as f64
    }
}

/// Returns the messages as one text, as an endpoint reads them; the schema of the answer is not part of it.
fn text(request: &ModelRequest) -> String {
    let said = request.messages.iter().map(|said| format!("<{:?}>\n{}\n", said.role, said.content));
    said.collect()
}

/// Returns the common prefix of two texts, cut at a character boundary.
fn beginning<'a>(one: &str, other: &'a str) -> &'a str {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let end = (0..=same).rev().find(|at| other.is_char_boundary(*at)).unwrap_or(0);
    other.get(..end).unwrap_or_default()
}
