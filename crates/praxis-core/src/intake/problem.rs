//! One reason why something that came in is refused: what, where, and what to do.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A reason for refusal. Its code is stable; its words are for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Stable, lower snake case; `docs/errors` has a section for each.
    pub code: String,
    /// The place in the document.
    pub at: String,
    /// What is wrong there.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Problem {
    /// A reason without advice.
    pub fn new(code: &str, at: &str, message: &str) -> Self {
        Self { code: code.to_owned(), at: at.to_owned(), message: message.to_owned(), next: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn next(mut self, advice: impl Into<String>) -> Self {
        self.next = Some(advice.into());
        self
    }

    /// Adds `did you mean` where there are near names.
    #[must_use]
    pub fn or_near(self, names: &[String]) -> Self {
        if names.is_empty() {
            self
        } else {
            self.next(format!("did you mean `{}`?", names.join("` or `")))
        }
    }

    /// Puts the place inside a larger one.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.at =
            if self.at.is_empty() { outer.to_owned() } else { format!("{outer}, {}", self.at) };
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.code)?;
        if !self.at.is_empty() {
            write!(out, "{}: ", self.at)?;
        }
        out.write_str(&self.message)?;
        self.next.as_ref().map_or(Ok(()), |next| write!(out, " ({next})"))
    }
}
