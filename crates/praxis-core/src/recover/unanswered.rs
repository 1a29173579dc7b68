//! Default answers to questions that nobody answered in time.
//!
//! - in: a question, and the `UnansweredAction` of its node or of the settings
//! - out: the answer used in place of a missing one
//! - never: approves anything

use crate::ids::QuestionId;
use crate::intake::unanswered::UnansweredAction;
use crate::journal::question::{Question, QuestionAnswer, QuestionSubject};
use crate::lang::Lang;
use crate::pointer::Pointer;
use crate::state::State;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

impl State {
    /// Returns the answer to an open question that nobody answered in time.
    pub fn unanswered(&self, id: &QuestionId) -> Option<QuestionAnswer> {
        let question = self.questions.get(id)?;
        let lang = self.submission.as_ref().map(|submission| submission.options.lang);
        let step = question.step.as_ref().and_then(|step| self.step(step.as_str()));
        let said = step.and_then(|step| step.plan.node.as_ref()?.unanswered.as_ref());
        Some(question.unanswered(said.map(|said| &said.values), lang.unwrap_or_default()))
    }
}

impl Question {
    /// Returns the answer that is used if nobody answered in time.
    pub fn unanswered(&self, values: Option<&Map<String, Value>>, lang: Lang) -> QuestionAnswer {
        let reason = match lang {
            Lang::En => "nobody answered in time",
            Lang::Zh => "无人按时回答",
        };
        let nobody = QuestionAnswer::GiveUp { reason: reason.to_owned() };
        let wanted = match self.otherwise {
            UnansweredAction::Deny | UnansweredAction::Fail => None,
            UnansweredAction::Skip => Some(QuestionAnswer::Skip),
            UnansweredAction::Default => self.defaults(values),
        };
        wanted.filter(|answer| self.takes(answer) && self.check(answer).is_ok()).unwrap_or(nobody)
    }

    /// Returns the default values of the asked parameters: those of the node, else those of their schemas.
    fn defaults(&self, given: Option<&Map<String, Value>>) -> Option<QuestionAnswer> {
        let QuestionSubject::Param { fields, .. } = &self.about else { return None };
        let given = given.cloned().map(Value::Object).unwrap_or_default();
        let default = |(at, schema): (&String, &Value)| {
            let own = Pointer::new(at.clone()).find(&given).or_else(|| schema.get("default"));
            Some((at.clone(), own?.clone()))
        };
        let values: BTreeMap<String, Value> = fields.iter().filter_map(default).collect();
        Some(QuestionAnswer::Values { values })
    }
}
