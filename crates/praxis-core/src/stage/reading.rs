//! Reads the answer of a model: finds the JSON in the text and validates it against the schema.

use crate::ask::json::{JsonMissing, MAX_TEXT_BYTES, find};
use crate::ask::purpose::Purpose;
use crate::ask::reply::{FinishReason, ModelReply, ReplyRepair, TokenUsage};
use crate::journal::event::Event;
use crate::problem::Problem;
use crate::schema::Schema;
use serde_json::Value;
use std::collections::BTreeSet;

/// The maximum number of characters of an unusable answer that are shown to the model again.
const SAID_CHARS: usize = 4000;
/// The maximum number of characters of its reasoning that are sent back.
const THOUGHT_CHARS: usize = 8000;
/// The maximum number of problems reported at once.
const MOST_REASONS: usize = 20;

/// An answer that was read successfully.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadAnswer {
    /// The number of the model call.
    pub ask: u32,
    /// The text of the answer.
    pub said: String,
    /// The model's reasoning before the answer.
    pub reasoning: String,
    /// The JSON value in the text.
    pub value: Value,
    /// The repairs that were needed to parse it.
    pub repairs: BTreeSet<ReplyRepair>,
    /// The token usage.
    pub usage: TokenUsage,
}

/// Finds the value in an answer that fits the schema, or returns all problems.
pub fn read(ask: u32, reply: &ModelReply, schema: &Value) -> Result<ReadAnswer, Vec<Problem>> {
    if reply.finish == FinishReason::Length {
        let (en, zh) = ("the answer was cut off; answer in fewer words", "回答被截断，请更简短");
        return Err(vec![Problem::new("answer_cut", "", (en, zh))]);
    }
    let compiled = Schema::compile(schema)
        .map_err(|why| vec![Problem::new("answer_schema", "", (why.clone(), why))])?;
    let mut unfit: Option<Value> = None;
    let found = find(&reply.text, |value| {
        let fits = value.is_object() && compiled.errors(value).is_empty();
        if !fits && unfit.is_none() && value.is_object() {
            unfit = Some(value.clone());
        }
        fits
    });
    match found {
        Ok(found) => {
            let repairs = found.repairs.union(&reply.repairs).copied().collect();
            let (said, reasoning) = (reply.text.clone(), reply.reasoning.clone());
            Ok(ReadAnswer { ask, said, reasoning, value: found.value, repairs, usage: reply.usage })
        }
        Err(missing) => Err(match unfit {
            Some(value) => reasons(&compiled, &value),
            None => vec![nothing(missing)],
        }),
    }
}

fn reasons(schema: &Schema, value: &Value) -> Vec<Problem> {
    let errors = schema.errors(value).into_iter().take(MOST_REASONS);
    errors.map(|e| Problem::new("answer_field", &e.pointer, e.words())).collect()
}

fn nothing(missing: JsonMissing) -> Problem {
    let en = format!("no JSON object that fits the schema was found: {missing}");
    let why = match missing {
        JsonMissing::Nothing => "其中没有 JSON".to_owned(),
        JsonMissing::Unfit => "其中的 JSON 都不符合".to_owned(),
        JsonMissing::TooLarge => "其中的 JSON 过大".to_owned(),
        JsonMissing::TooLong => format!("回答超过 {MAX_TEXT_BYTES} 字节"),
    };
    let zh = format!("没有找到符合 schema 的 JSON 对象：{why}");
    Problem::new("answer_no_json", "", (en, zh))
}

/// Returns the event for an answer that was read but cannot be used.
pub fn unfit(read: &ReadAnswer, purpose: &Purpose, problems: Vec<Problem>) -> Event {
    let words = ShownAnswer { said: &read.said, reasoning: &read.reasoning };
    words.refused(read.ask, purpose, problems)
}

/// Returns the event for an answer in which no fitting value was found.
pub fn refused(ask: u32, purpose: &Purpose, reply: &ModelReply, problems: Vec<Problem>) -> Event {
    let words = ShownAnswer { said: &reply.text, reasoning: &reply.reasoning };
    words.refused(ask, purpose, problems)
}

/// The part of its own answer that the model sees when it is asked again.
struct ShownAnswer<'a> {
    said: &'a str,
    reasoning: &'a str,
}

impl ShownAnswer<'_> {
    fn refused(self, ask: u32, purpose: &Purpose, problems: Vec<Problem>) -> Event {
        let beginning = |text: &str, most| text.chars().take(most).collect();
        Event::AnswerRefused {
            ask,
            purpose: purpose.clone(),
            said: beginning(self.said, SAID_CHARS),
            reasoning: beginning(self.reasoning, THOUGHT_CHARS),
            problems,
        }
    }
}

/// Returns the texts of a list field.
pub fn texts(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns a text field.
pub fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns a score field, clamped to 0–100.
pub fn score(value: &Value, key: &str) -> u32 {
    let number = value.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let score = number.clamp(0.0, 100.0).round() as u32;
    score
}
