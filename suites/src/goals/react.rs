//! The baseline of the comparison: a loop that asks for one call at a time and resends every earlier result.
//!
//! It models the loop that `WorkBench` recorded: tools as JSON schemas, a thought and a call in each answer.

use super::case::GoalCase;
use super::pace::{ANSWER_TOKENS, SAID_TOKENS, timing};
use praxis_core::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest};
use praxis_core::ask::usage::{estimate, estimate_request};
use serde_json::{Value, json};

/// The instruction before the list of tools.
const INSTRUCTION: &str = "Reach the goal with the tools below. Think about what is known and what is missing, then do \
    the next thing: call one tool with its parameter names and values of the right JSON type, taken from the goal or \
    from earlier results; or, when the goal is reached, give the answer. Answer with one JSON value and nothing else:\n\
    {\"thought\": \"A room is needed first.\", \"tool\": \"find_room\", \"arguments\": {\"seats\": 12}}\n\
    {\"thought\": \"The room is booked.\", \"answer\": \"Room R7 is booked.\"}";

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCost {
    /// Time from the start to the answer, in milliseconds.
    pub ms: u64,
    /// Tokens of all prompts and answers.
    pub tokens: u64,
    /// Number of model calls.
    pub model_calls: u64,
}

/// Returns the prefix of every prompt of the loop: the tools with their JSON schemas, and the goal.
pub fn opening(case: &GoalCase) -> String {
    let offer = |tool: &Value| {
        let part = |key: &str| tool.get(key).cloned().unwrap_or_default();
        json!({"type": "function", "function": {"name": part("id"), "description": part("description"),
            "parameters": part("input_schema")}})
    };
    let tools: Vec<String> = case.tools.iter().map(|tool| offer(tool).to_string()).collect();
    format!("{INSTRUCTION}\n\n# Tools\n{}\n\n# Goal\n{}", tools.join("\n"), case.goal)
}

/// Computes the cost of the loop for a case: one model call for each expected call, and one for the answer.
pub fn run(case: &GoalCase, opening: &str, delays: &[u64]) -> RunCost {
    let mut cost = RunCost::default();
    let mut transcript = vec![said(MessageRole::System, opening.to_owned())];
    for (call, delay) in case.calls.iter().zip(delays) {
        let act = json!({"thought": "", "tool": call.tool, "arguments": call.arguments});
        let thought = words(SAID_TOKENS.saturating_sub(act.to_string().len() / 4));
        let act = json!({"thought": thought, "tool": call.tool, "arguments": call.arguments});
        cost.ask(&transcript, &act);
        cost.ms += delay;
        transcript.push(said(MessageRole::Assistant, act.to_string()));
        let result = call.answer.clone().unwrap_or_else(Value::from);
        transcript.push(said(MessageRole::User, format!("result: {result}")));
    }
    cost.ask(&transcript, &json!({"answer": words(ANSWER_TOKENS)}));
    cost
}

/// Returns filler text of the given number of tokens.
pub fn words(tokens: usize) -> String {
    let text =
        "the goal needs another value and the results so far do not have it, so that is next. ";
    text.chars().cycle().take(4 * tokens).collect()
}

fn said(role: MessageRole, content: String) -> ModelMessage {
    ModelMessage { role, content, reasoning: None }
}

impl RunCost {
    fn ask(&mut self, transcript: &[ModelMessage], answer: &Value) {
        let messages = transcript.to_vec();
        let request = ModelRequest {
            messages,
            format: AnswerFormat::Text,
            max_tokens: 8000,
            ..ModelRequest::default()
        };
        let (prompt, completion) = (estimate_request(&request), estimate(&answer.to_string()));
        self.ms += timing(prompt, completion).total_ms;
        self.tokens += prompt + completion;
        self.model_calls += 1;
    }
}
