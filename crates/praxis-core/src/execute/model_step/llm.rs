//! `LLM`: sends the prompt of the flow to a model, with optional context.

use super::parts::{ANSWER, message, parsed, reasoned};
use super::words::cut;
use crate::ask::reply::{FinishReason, ModelReply};
use crate::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest};
use crate::fault::Fault;
use crate::goal::spec::PinnedModel;
use crate::problem::Problem;
use crate::stage::reading;
use crate::time::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The largest number of conversation turns in a request. A turn has two messages.
const MAX_TURNS: usize = 3;
/// The largest number of facts about the user in a request.
const MOST_FACTS: usize = 8;
/// The largest number of characters of an earlier step's output, a fact or a message.
const EARLIER_CHARS: usize = 2_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LlmArguments {
    prompt: String,
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    schema: Option<Value>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    max_tokens: Option<u32>,
    #[serde(default)]
    time: bool,
    #[serde(default)]
    history: usize,
    #[serde(default)]
    conversation: Vec<Value>,
    #[serde(default)]
    facts: Vec<String>,
}

/// The context of a call besides its arguments.
#[derive(Clone, Debug)]
pub(super) struct LlmContext {
    pub(super) at: Timestamp,
    /// The outputs of earlier steps by step id, the latest last.
    pub(super) earlier: Vec<(String, String)>,
}

/// Builds the request.
pub(super) fn request(
    arguments: &Value,
    known: &LlmContext,
    pinned_model: &PinnedModel,
) -> Result<ModelRequest, Fault> {
    let given: LlmArguments = parsed(arguments)?;
    let system = given.system.clone().filter(|text| !text.trim().is_empty());
    let mut messages: Vec<ModelMessage> =
        system.map(|text| message(MessageRole::System, text)).into_iter().collect();
    let turns = given.conversation.len().saturating_sub(2 * MAX_TURNS);
    messages.extend(given.conversation.iter().skip(turns).filter_map(spoken));
    let besides = besides(known, &given);
    messages.extend((!besides.is_empty()).then(|| message(MessageRole::User, besides)));
    messages.push(message(MessageRole::User, given.prompt));
    let format = given.schema.map_or(AnswerFormat::Text, |schema| AnswerFormat::Json {
        name: ANSWER.to_owned(),
        schema,
    });
    let max_tokens = super::parts::room(given.max_tokens, pinned_model);
    Ok(ModelRequest { messages, tools: vec![], format, max_tokens, temperature: given.temperature })
}

/// Reads a message of the conversation. A message without a role is the user's.
fn spoken(turn: &Value) -> Option<ModelMessage> {
    let field = |key: &str| turn.get(key).and_then(Value::as_str);
    let words = turn.as_str().or_else(|| field("content"))?.trim();
    let role =
        if field("role") == Some("assistant") { MessageRole::Assistant } else { MessageRole::User };
    (!words.is_empty()).then(|| message(role, cut(words, EARLIER_CHARS)))
}

/// Returns the context message: the time, facts about the user, and the outputs of earlier steps.
fn besides(about: &LlmContext, given: &LlmArguments) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(given.time.then(|| format!("time: {}", about.at)));
    let known = given.facts.len().saturating_sub(MOST_FACTS);
    lines.extend(given.facts.iter().skip(known).map(|fact| cut(fact, EARLIER_CHARS)));
    let skipped = about.earlier.len().saturating_sub(given.history);
    for (step, gave) in about.earlier.iter().skip(skipped) {
        lines.push(format!("{step}: {}", cut(gave, EARLIER_CHARS)));
    }
    lines.join("\n")
}

/// Returns the output of a reply: its `text`, its `data` if a schema was given, and its `reasoning`.
pub(super) fn output(arguments: &Value, reply: &ModelReply) -> Result<Value, Fault> {
    let cut = ("the answer was cut off; raise `max_tokens`", "回答被截断，请提高 `max_tokens`");
    if reply.finish == FinishReason::Length {
        return Err(Fault::AnswerUnfit { problems: vec![Problem::new("answer_cut", "", cut)] });
    }
    let mut output = Map::new();
    let given: LlmArguments = parsed(arguments)?;
    if let Some(schema) = given.schema {
        let read = reading::read(0, reply, &schema);
        let read = read.map_err(|problems| Fault::AnswerUnfit { problems })?;
        output.insert("data".to_owned(), read.value);
    }
    output.insert("text".to_owned(), Value::from(reply.text.as_str()));
    Ok(reasoned(output, reply))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(arguments: &Value) -> Vec<(MessageRole, String)> {
        let earlier = ["a", "each[1]/b", "each[2]/b"];
        let earlier = earlier.map(|id| (id.to_owned(), format!("gave {id}"))).to_vec();
        let known = LlmContext { at: Timestamp(0), earlier };
        let pinned_model =
            PinnedModel { model: "m".to_owned(), context: 8_000, max_output: 100, price: None };
        let request = request(arguments, &known, &pinned_model).unwrap();
        request.messages.into_iter().map(|message| (message.role, message.content)).collect()
    }

    #[test]
    fn a_model_is_told_the_time_and_the_last_steps_only_if_the_flow_says_so() {
        let plain = told(&json!({"prompt": "Go", "system": " "}));
        assert_eq!(plain, [(MessageRole::User, "Go".to_owned())]);
        let more = told(&json!({"prompt": "Go", "system": "Be short", "time": true, "history": 2}));
        let besides =
            "time: 1970-01-01T00:00:00.000Z\neach[1]/b: gave each[1]/b\neach[2]/b: gave each[2]/b";
        let expected = [
            (MessageRole::System, "Be short"),
            (MessageRole::User, besides),
            (MessageRole::User, "Go"),
        ];
        assert_eq!(more, expected.map(|(role, words)| (role, words.to_owned())));
    }

    #[test]
    fn of_a_conversation_three_turns_are_told_and_of_the_facts_eight() {
        let turn = |n: u32| {
            let role = if n.is_multiple_of(2) { "user" } else { "assistant" };
            json!({"role": role, "content": format!("said {n}")})
        };
        let said: Vec<Value> = (0..8).map(turn).collect();
        let facts: Vec<String> = (0..10).map(|n| format!("fact {n}")).collect();
        let all = told(&json!({"prompt": "Go", "conversation": said, "facts": facts}));
        assert_eq!(all.len(), 6 + 1 + 1);
        assert_eq!(all[0], (MessageRole::User, "said 2".to_owned()));
        assert_eq!(all[5], (MessageRole::Assistant, "said 7".to_owned()));
        assert_eq!(all[6].1.lines().count(), 8);
        assert!(all[6].1.starts_with("fact 2"), "{}", all[6].1);
        assert_eq!(told(&json!({"prompt": "Go", "conversation": [], "facts": []})).len(), 1);
    }
}
