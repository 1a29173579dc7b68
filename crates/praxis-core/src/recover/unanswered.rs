//! Questions that nobody answers in their time.
//!
//! - in: a question, and what its node or the settings want to become of it
//! - out: the answer that stands for none
//! - never: approves of anything

use super::question::{About, Answer, Question};
use crate::ids::QuestionId;
use crate::lang::Lang;
use crate::pointer::Pointer;
use crate::state::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What becomes of a question that nobody answers in its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// It counts as denied: the step fails, and what deals with failures can deal with this one.
    #[default]
    Deny,
    /// The step is left out.
    Skip,
    /// The task fails.
    Fail,
    /// Parameters get their default values; what has none is denied.
    Default,
}

impl Otherwise {
    /// All of them, by the words that files use.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("deny", Self::Deny),
        ("skip", Self::Skip),
        ("fail", Self::Fail),
        ("default", Self::Default),
    ];

    /// What a word means.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, it)| it)
    }

    /// Whether that is what happens where nothing is said.
    pub fn is_usual(&self) -> bool {
        *self == Self::Deny
    }
}

/// What a node of a flow says of its questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unanswered {
    /// How long they wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// What becomes of them then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Otherwise>,
    /// The values that parameters get by default.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
}

impl State {
    /// What stands for an answer to an open question when nobody gave one in time.
    pub fn unanswered(&self, id: &QuestionId) -> Option<Answer> {
        let question = self.questions.get(id)?;
        let lang = self.submission.as_ref().map(|submission| submission.options.lang);
        let step = question.step.as_ref().and_then(|step| self.step(step.as_str()));
        let said = step.and_then(|step| step.plan.node.as_ref()?.unanswered.as_ref());
        Some(question.unanswered(said.map(|said| &said.values), lang.unwrap_or_default()))
    }
}

impl Question {
    /// What stands for an answer when nobody gave one in time.
    pub fn unanswered(&self, values: Option<&Map<String, Value>>, lang: Lang) -> Answer {
        let reason = match lang {
            Lang::En => "nobody answered in time",
            Lang::Zh => "无人按时回答",
        };
        let nobody = Answer::GiveUp { reason: reason.to_owned() };
        let wanted = match self.otherwise {
            Otherwise::Deny | Otherwise::Fail => None,
            Otherwise::Skip => Some(Answer::Skip),
            Otherwise::Default => self.defaults(values),
        };
        wanted.filter(|answer| self.takes(answer) && self.check(answer).is_ok()).unwrap_or(nobody)
    }

    /// The values that parameters get by default: those of the node, else those of their schemas.
    fn defaults(&self, given: Option<&Map<String, Value>>) -> Option<Answer> {
        let About::Param { fields, .. } = &self.about else { return None };
        let given = given.cloned().map(Value::Object).unwrap_or_default();
        let default = |(at, schema): (&String, &Value)| {
            let own = Pointer::new(at.clone()).find(&given).or_else(|| schema.get("default"));
            Some((at.clone(), own?.clone()))
        };
        let values: BTreeMap<String, Value> = fields.iter().filter_map(default).collect();
        Some(Answer::Values { values })
    }
}
