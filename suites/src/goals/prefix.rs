//! Which share of a task's prompts an endpoint has read before: what it has in common with the call before.

use praxis_core::ask::request::ModelRequest;
use praxis_core::ask::usage::estimate;
use praxis_testkit::model::ScriptedRequest;

/// Tokens that are in common with the call before, of all tokens of prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrefixShare {
    /// In common.
    pub common: u64,
    /// All.
    pub all: u64,
}

impl PrefixShare {
    /// Of all calls of a task, in order.
    pub fn of(asked: &[ScriptedRequest]) -> Self {
        let texts: Vec<String> = asked.iter().map(|asked| text(&asked.request)).collect();
        let all = texts.iter().map(|text| estimate(text)).sum();
        let pairs = texts.iter().zip(texts.iter().skip(1));
        let common = pairs.map(|(before, now)| estimate(beginning(before, now))).sum();
        Self { common, all }
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { common: self.common + other.common, all: self.all + other.all }
    }

    /// The share, from zero to one.
    pub fn fraction(self) -> f64 {
        self.common as f64 / self.all.max(1) as f64
    }
}

/// The messages as an endpoint reads them. The schema of the answer is no part of them.
fn text(request: &ModelRequest) -> String {
    let said = request.messages.iter().map(|said| format!("<{:?}>\n{}\n", said.role, said.content));
    said.collect()
}

/// What two texts begin with, whole characters only.
fn beginning<'a>(one: &str, other: &'a str) -> &'a str {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let end = (0..=same).rev().find(|at| other.is_char_boundary(*at)).unwrap_or(0);
    other.get(..end).unwrap_or_default()
}
