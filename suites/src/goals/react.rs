//! The other side of the comparison: a loop that asks for one call at a time and shows every result again.

use super::case::Case;
use super::pace::{THOUGHT_TOKENS, timing};
use praxis_core::ask::request::{Format, Message, Request, Role};
use praxis_core::ask::usage::{estimate, estimate_request};
use serde_json::{Value, json};

/// What comes after the transcript.
const INSTRUCTION: &str = "stage: act\n\nThink about what is known and what is missing, then do the next thing. Call one \
    listed tool with exactly its parameter names and values of the right JSON type, taken from the goal or from earlier \
    results; or, when the goal is reached, give the answer.\n\nExample of the form (its tools do not exist here):\n\
    {\"thought\": \"A room is needed first.\", \"tool\": \"find_room\", \"arguments\": {\"seats\": 12}}\n\
    {\"thought\": \"The room is booked.\", \"answer\": \"Room R7 is booked.\"}";

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// From the beginning to the answer, in milliseconds.
    pub ms: u64,
    /// Of all prompts and answers.
    pub tokens: u64,
    /// Calls of the model.
    pub model_calls: u64,
}

/// What the loop takes for a case: one call of the model for each right call, and one for the answer.
pub fn run(case: &Case, prefix: &str, delays: &[u64]) -> Cost {
    let mut cost = Cost::default();
    let mut transcript: Vec<Message> = Vec::new();
    for (call, delay) in case.calls.iter().zip(delays) {
        let act = json!({"thought": thought(), "tool": call.tool, "arguments": call.arguments});
        cost.ask(prefix, &transcript, &act);
        cost.ms += delay;
        transcript.push(said(Role::Assistant, act.to_string()));
        let result = call.answer.clone().unwrap_or_else(Value::from);
        transcript.push(said(Role::User, format!("result: {result}")));
    }
    cost.ask(prefix, &transcript, &json!({"thought": "Everything is done.", "answer": "done"}));
    cost
}

/// What is thought before a call.
fn thought() -> String {
    let words = "The goal needs another value, the results so far do not have it, so the tool that gives it is next. ";
    words.chars().cycle().take(4 * THOUGHT_TOKENS).collect()
}

fn said(role: Role, content: String) -> Message {
    Message { role, content, reasoning: None }
}

impl Cost {
    fn ask(&mut self, prefix: &str, transcript: &[Message], answer: &Value) {
        let mut messages = vec![said(Role::System, prefix.to_owned())];
        messages.extend(transcript.iter().cloned());
        messages.push(said(Role::User, INSTRUCTION.to_owned()));
        let schema = json!({"type": "object", "required": ["thought"], "properties": {
            "thought": {"type": "string"}, "tool": {"type": "string"},
            "arguments": {"type": "object"}, "answer": {"type": "string"}}});
        let format = Format::Json { name: "act".to_owned(), schema };
        let request = Request { messages, format, max_tokens: 8000, ..Request::default() };
        let (prompt, completion) = (estimate_request(&request), estimate(&answer.to_string()));
        self.ms += timing(prompt, completion).total_ms;
        self.tokens += prompt + completion;
        self.model_calls += 1;
    }
}
