//! Shares an answer between questions: the same placeholder is asked of a person once.
//!
//! - in: a question about parameters, and its answer
//! - out: the other open questions that the same values answer, each with its own answer
//! - never: answers a question in part, or one that misses any other placeholder

use crate::dataflow::lex::{LexedPiece, lex};
use crate::dataflow::resolve::MissingValue;
use crate::fault::Fault;
use crate::ids::QuestionId;
use crate::journal::question::{Question, QuestionAnswer, QuestionSubject};
use crate::state::State;
use serde_json::Value;
use std::collections::BTreeMap;

impl State {
    /// Returns the other open questions that this answer settles, with their answers.
    pub fn answered_too(
        &self,
        question: &Question,
        answer: &QuestionAnswer,
    ) -> Vec<(QuestionId, QuestionAnswer)> {
        let known = self.by_placeholder(question, answer);
        if known.is_empty() {
            return vec![];
        }
        let others = self.questions.values().filter(|other| other.id != question.id);
        let settled = |other: &Question| {
            let QuestionSubject::Param { fields, .. } = &other.about else { return None };
            let value = |at: &String| {
                let value = known.get(self.whole(other, at)?)?;
                Some((at.clone(), (*value).clone()))
            };
            let values = fields.keys().map(value).collect::<Option<BTreeMap<_, _>>>()?;
            let answer = QuestionAnswer::Values { values };
            other.check(&answer).is_ok().then(|| (other.id.clone(), answer))
        };
        others.filter_map(settled).collect()
    }

    /// Returns the answered values by placeholder, for placeholders that are a whole parameter value.
    fn by_placeholder<'a>(
        &'a self,
        question: &'a Question,
        answer: &QuestionAnswer,
    ) -> ValuesByPlaceholder<'a> {
        let QuestionSubject::Param { fields, .. } = &question.about else {
            return ValuesByPlaceholder::new();
        };
        let known = |(at, value): (String, Value)| Some((self.whole(question, &at)?, value));
        answer.values(fields).into_iter().filter_map(known).collect()
    }

    /// Returns the unresolved placeholder at a JSON pointer if it is the whole value there.
    fn whole<'a>(&self, question: &'a Question, at: &str) -> Option<&'a str> {
        let QuestionSubject::Param { fault: Fault::UnresolvedPlaceholder { misses }, .. } =
            &question.about
        else {
            return None;
        };
        let step = self.step(question.step.as_ref()?.as_str())?;
        let written = step.plan.parameters.pointer(at)?.as_str()?;
        let is_whole = matches!(lex(written).as_slice(), [LexedPiece::Reference(_)]);
        let miss: &MissingValue = misses.iter().find(|miss| miss.pointer == at)?;
        is_whole.then_some(miss.placeholder.as_str())
    }
}

/// Values by placeholder.
type ValuesByPlaceholder<'a> = BTreeMap<&'a str, Value>;
