//! A reason why an input is refused: the error, its location, and the next action.

pub mod http_flaw;

pub mod reason;

mod reason_words;

mod advice;

mod advice_flows;

mod advice_goals;

mod advice_models;

use crate::document::UnreadableDocument;
pub use crate::lang::Bilingual;
use crate::lang::Lang;
use crate::problem::advice::advice;
use crate::problem::reason::ProblemReason;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A reason for refusal. Its code is stable; its texts are for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable code in lower snake case; `docs/errors` has a row for each.
    pub code: String,
    /// The location in the document, the same in every language.
    pub at: String,
    /// The description of the error.
    pub message: Bilingual,
    /// Advice that is more specific than that of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Box<Bilingual>>,
}

/// A problem in one language, as programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProblemText<'a> {
    /// The code.
    pub code: &'a str,
    /// The location.
    pub at: &'a str,
    /// The description of the error.
    pub message: &'a str,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'a str>,
}

impl Problem {
    /// Builds a problem with its own texts.
    pub fn new(code: &str, at: &str, message: impl Into<Bilingual>) -> Self {
        Self { code: code.to_owned(), at: at.to_owned(), message: message.into(), next: None }
    }

    /// Builds a problem from a `ProblemReason`.
    pub fn of(reason: &ProblemReason, at: &str) -> Self {
        let problem = Self::new(reason.code(), at, reason.words());
        Self { next: reason.next().map(Box::new), ..problem }
    }

    /// Adds advice.
    #[must_use]
    pub fn next(mut self, advice: impl Into<Bilingual>) -> Self {
        self.next = Some(Box::new(advice.into()));
        self
    }

    /// Adds `did you mean` advice if there are similar names.
    #[must_use]
    pub fn or_near(self, names: &[String]) -> Self {
        if names.is_empty() {
            return self;
        }
        let en = format!("did you mean `{}`?", names.join("` or `"));
        let zh = format!("是否想写 `{}`？", names.join("` 或 `"));
        self.next((en, zh))
    }

    /// Nests the location inside an outer one.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.at =
            if self.at.is_empty() { outer.to_owned() } else { format!("{outer}, {}", self.at) };
        self
    }

    /// Returns the problem in one language, with its own advice or else that of its code.
    pub fn told(&self, lang: Lang) -> ProblemText<'_> {
        let own = self.next.as_ref().map(|next| next.tell(lang));
        ProblemText {
            code: &self.code,
            at: &self.at,
            message: self.message.tell(lang),
            next: own.or_else(|| advice(&self.code, lang)),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.code)?;
        if !self.at.is_empty() {
            write!(out, "{}: ", self.at)?;
        }
        out.write_str(&self.message.en)?;
        self.next.as_ref().map_or(Ok(()), |next| write!(out, " ({})", next.en))
    }
}

impl UnreadableDocument {
    /// Converts the error into a problem of the document called `name`.
    pub fn problem(&self, name: &str) -> Problem {
        let place = self.at.map(|(line, column)| format!("{name} line {line} column {column}"));
        Problem::of(&ProblemReason::Document(self.why.clone()), place.as_deref().unwrap_or(name))
    }
}
