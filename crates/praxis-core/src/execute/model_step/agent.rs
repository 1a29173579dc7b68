//! `Agent`: a model that is asked turn by turn, and whose tool calls are ordinary steps.
//!
//! - in: the frame of an agent, with the messages of earlier turns
//! - out: the request of a turn, the meaning of the reply, the messages about the results of its calls
//! - never: makes a call, or treats text of the model or of a tool as a placeholder

use super::parts::{message, parsed, room};
use super::words::{AGENT, AGENT_LAST, AGENT_RESULTS, AGENT_UNFIT, cut, lang_of};
use crate::ask::reply::{FinishReason, ModelReply};
use crate::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest};
use crate::fault::Fault;
use crate::goal::spec::PinnedModel;
use crate::ids::{StepId, ToolId};
use crate::inputs::Schemas;
use crate::intake::node::AgentNode;
use crate::intake::plan::PlannedStep;
use crate::lang::Lang;
use crate::mask::masked;
use crate::payload::{Payload, PayloadValue};
use crate::problem::Problem;
use crate::stage::reading;
use crate::state::State;
use crate::state::step::Step;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The largest number of calls in one reply.
const MOST_CALLS: usize = 8;
/// The largest number of characters of a model's own reply that it is shown again.
const SAID_CHARS: usize = 4_000;
/// The largest number of characters of a tool's description of its data. In Chinese, about as many tokens.
pub(super) const ABOUT_CHARS: usize = 8_000;
/// The largest number of characters of one call's output that the model is shown.
const HEARD_CHARS: usize = 4_000;

/// The limit for the outputs of all calls of a turn together.
const ALL_HEARD_CHARS: usize = 12_000;

/// The context of an agent in a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentContext {
    /// The signatures of its tools, as the prompt shows them in each language.
    tools: BTreeMap<Lang, String>,
    /// The names of its tools.
    offered: Vec<ToolId>,
    /// The model's replies in earlier turns, each with the message that followed it.
    turns: Vec<(String, String)>,
    /// The number of turns after this one.
    left: u32,
    /// True if the output of a call is wanted, not a text of the model.
    gives_result: bool,
    /// The tools that describe their data to the model first (`Schemas::has_more_to_tell`).
    telling: Vec<ToolId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentArguments {
    task: String,
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    schema: Option<Value>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    max_tokens: Option<u32>,
}

impl AgentContext {
    /// Builds the context of the agent whose model this step asks.
    pub(super) fn of(state: &State, step: &Step, schemas: &dyn Schemas) -> Option<Self> {
        let owner = step.frame?;
        let frame = state.frames.get(&owner)?;
        let agent = state.step_at(owner)?.plan.body()?.agent.as_ref()?;
        let told = |lang: Lang| {
            let all = agent.tools.iter().filter_map(|tool| schemas.signature(tool, lang));
            (lang, all.collect::<Vec<_>>().join("\n"))
        };
        Some(Self {
            tools: Lang::ALL.into_iter().map(told).collect(),
            offered: agent.tools.clone(),
            turns: frame.collected.iter().map(turn).collect(),
            left: frame.turns_left(agent),
            gives_result: agent.gives_result,
            telling: agent
                .tools
                .iter()
                .filter(|it| schemas.has_more_to_tell(it))
                .cloned()
                .collect(),
        })
    }

    /// Returns the tools that describe their data to the model first.
    pub(super) fn telling(&self) -> &[ToolId] {
        &self.telling
    }

    /// Appends a tool's description of its data after the signatures.
    pub(super) fn hears(&mut self, tool: &ToolId, words: &str) {
        for told in self.tools.values_mut() {
            *told = format!("{told}\n\n## {tool}\n{}", cut(words, ABOUT_CHARS));
        }
    }

    /// Builds the request of the turn.
    pub(super) fn request(
        &self,
        arguments: &Value,
        pinned_model: &PinnedModel,
    ) -> Result<ModelRequest, Fault> {
        let given: AgentArguments = parsed(arguments)?;
        let lang = lang_of(&given.task);
        let tools = self.tools.get(&lang).map_or("", String::as_str);
        let mut system = AGENT.filled(lang, &[("tools", tools)]);
        if let Some(own) = given.system.as_deref().map(str::trim).filter(|own| !own.is_empty()) {
            system = format!("{own}\n\n{system}");
        }
        let mut messages =
            vec![message(MessageRole::System, system), message(MessageRole::User, given.task)];
        for (said, heard) in self.fitting(pinned_model) {
            messages.push(message(MessageRole::Assistant, said.clone()));
            messages.push(message(MessageRole::User, heard.clone()));
        }
        if !self.may_call() {
            append(&mut messages, &AGENT_LAST.filled(lang, &[]));
        }
        let schema = self.form(given.schema.as_ref());
        Ok(ModelRequest {
            messages,
            format: AnswerFormat::Json { name: "turn".to_owned(), schema },
            max_tokens: room(given.max_tokens, pinned_model),
            temperature: given.temperature,
            ..ModelRequest::default()
        })
    }

    /// Returns true if the model may still make calls. An agent that returns a call's output may do so in its last
    /// turn too, because its last query can be the right one.
    fn may_call(&self) -> bool {
        self.left > 0 || self.gives_result
    }

    /// Returns the latest turns that fit into half of the model's input. Counts characters, because a character is
    /// hardly more than one token.
    fn fitting(&self, pinned_model: &PinnedModel) -> &[(String, String)] {
        let room = pinned_model.context.saturating_sub(u64::from(pinned_model.max_output)) / 2;
        let length = |(said, heard): &(String, String)| {
            (said.chars().count() + heard.chars().count()) as u64
        };
        let mut taken = 0;
        let fits = |turn: &&(String, String)| {
            taken += length(turn);
            taken <= room
        };
        let count = self.turns.iter().rev().take_while(fits).count();
        self.turns.get(self.turns.len() - count..).unwrap_or_default()
    }

    /// Returns the schema of a reply: calls or an answer; in the last turn only an answer.
    fn form(&self, answer: Option<&Value>) -> Value {
        let mut answer = answer.cloned().unwrap_or_else(|| json!({"type": "string"}));
        let shared = shared(&mut answer);
        if !self.may_call() {
            let form = json!({
                "type": "object", "required": ["answer"],
                "properties": {"thought": {"type": "string"}, "answer": answer},
            });
            return with(form, shared);
        }
        let call = json!({
            "type": "object", "required": ["tool", "arguments"],
            "properties": {"tool": {"enum": self.offered}, "arguments": {"type": "object"}},
        });
        let form = json!({
            "type": "object",
            "properties": {
                "thought": {"type": "string"},
                "calls": {"type": "array", "items": call, "maxItems": MOST_CALLS},
                "answer": answer,
            },
        });
        with(form, shared)
    }

    /// Returns the output of the turn: the calls, the answer, or the reason why the reply is neither.
    pub(super) fn output(&self, arguments: &Value, reply: &ModelReply) -> Result<Value, Fault> {
        let given: AgentArguments = parsed(arguments)?;
        let meaning = match reading::read(0, reply, &self.form(given.schema.as_ref())) {
            Ok(read) => self.meaning(&read.value),
            // In the last turn, a reply without JSON counts as the answer if the answer is a text.
            Err(problems) if given.schema.is_none() && self.is_text(reply, &problems) => {
                ("answer", Value::from(reply.text.trim()))
            }
            Err(problems) => ("unfit", told(&problems, lang_of(&given.task))),
        };
        let mut output = Map::new();
        output.insert("said".to_owned(), Value::from(cut(&reply.text, SAID_CHARS)));
        output.insert(meaning.0.to_owned(), meaning.1);
        Ok(super::parts::reasoned(output, reply))
    }

    /// Returns true if a reply without JSON is a complete text in a turn that allows no calls.
    fn is_text(&self, reply: &ModelReply, problems: &[Problem]) -> bool {
        let no_json = problems.iter().all(|problem| problem.code == "answer_no_json");
        let is_whole = reply.finish != FinishReason::Length && !reply.text.trim().is_empty();
        !self.may_call() && no_json && is_whole
    }

    fn meaning(&self, value: &Value) -> (&'static str, Value) {
        let calls = value.get("calls").and_then(Value::as_array).filter(|calls| !calls.is_empty());
        match (calls, value.get("answer")) {
            (Some(calls), _) if self.may_call() => ("calls", Value::from(calls.clone())),
            (_, Some(answer)) => ("answer", answer.clone()),
            (_, None) => {
                let words = "there is neither a call nor an answer";
                ("unfit", Value::from(words))
            }
        }
    }
}

/// Removes the definitions from a schema's root and returns them. References are resolved at the root, so they must
/// move to the schema that encloses this one.
fn shared(schema: &mut Value) -> Map<String, Value> {
    let Some(map) = schema.as_object_mut() else { return Map::new() };
    let keys = ["$defs", "definitions", "$schema"];
    keys.into_iter().filter_map(|key| Some((key.to_owned(), map.remove(key)?))).collect()
}

fn with(mut form: Value, shared: Map<String, Value>) -> Value {
    if let Some(form) = form.as_object_mut() {
        form.extend(shared);
    }
    form
}

/// Appends text to the last message. Two messages of the same role in a row confuse some models.
fn append(messages: &mut [ModelMessage], words: &str) {
    if let Some(last) = messages.last_mut() {
        last.content = format!("{}\n\n{words}", last.content);
    }
}

fn told(problems: &[Problem], lang: Lang) -> Value {
    let line = |problem: &Problem| {
        let told = problem.told(lang);
        format!("- {}: {}", told.at, told.message)
    };
    Value::from(problems.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Returns the reply of a kept turn and the message that followed it.
fn turn(kept: &Payload) -> (String, String) {
    let PayloadValue::Value(kept) = kept.whole() else { return (String::new(), String::new()) };
    let kept = KeptTurn::deserialize(kept).unwrap_or_default();
    (kept.said, kept.heard.words(kept.left))
}

/// The record of a turn: the model's reply and its outcome. The wording of the message comes from the prompts.
#[derive(Default, Serialize, Deserialize)]
struct KeptTurn {
    said: String,
    #[serde(flatten)]
    heard: TurnOutcome,
    left: u32,
}

/// The outcome of a turn.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::execute) enum TurnOutcome {
    /// The results of its calls, failures included.
    Results(String),
    /// The reason why the reply cannot be used.
    Unfit(String),
}

impl Default for TurnOutcome {
    fn default() -> Self {
        Self::Unfit(String::new())
    }
}

impl TurnOutcome {
    /// Lists the results of the calls, one per line.
    pub(in crate::execute) fn results(results: &[(String, Result<Value, String>)]) -> Self {
        // Together they stay small enough to be kept with the frame.
        let most = HEARD_CHARS.min(ALL_HEARD_CHARS / results.len().max(1));
        let line = |(number, (tool, result)): (usize, &(String, Result<Value, String>))| {
            let told = match result {
                Ok(output) => cut(&masked(output).to_string(), most),
                Err(why) => format!("failed: {}", cut(why, most)),
            };
            format!("{number}. {tool}: {told}")
        };
        Self::Results((1..).zip(results).map(line).collect::<Vec<_>>().join("\n"))
    }

    /// Builds the outcome of a reply that cannot be used.
    pub(in crate::execute) fn unfit(problems: &str) -> Self {
        Self::Unfit(cut(problems, HEARD_CHARS))
    }

    /// Returns the outcome as a message for the model, with the number of turns left.
    fn words(&self, left: u32) -> String {
        let left = left.to_string();
        match self {
            Self::Results(results) => {
                AGENT_RESULTS.filled(lang_of(results), &[("results", results), ("left", &left)])
            }
            Self::Unfit(problems) => {
                AGENT_UNFIT.filled(lang_of(problems), &[("problems", problems), ("left", &left)])
            }
        }
    }
}

/// The meaning of a model's reply in a turn.
pub(in crate::execute) enum TurnMeaning<'a> {
    /// Calls to make.
    Calls(&'a [Value]),
    /// The answer that ends the agent.
    Answer(&'a Value),
    /// The problems of a reply that cannot be used; the model is told of them.
    Unfit(&'a str),
}

/// Reads the meaning of a turn from its output.
pub(in crate::execute) fn meaning(output: &Value) -> TurnMeaning<'_> {
    if let Some(calls) = output.get("calls").and_then(Value::as_array) {
        return TurnMeaning::Calls(calls);
    }
    match output.get("answer") {
        Some(answer) => TurnMeaning::Answer(answer),
        None => TurnMeaning::Unfit(output.get("unfit").and_then(Value::as_str).unwrap_or_default()),
    }
}

/// Returns the steps that make the calls. The arguments that the model wrote are sent literally.
pub(in crate::execute) fn steps(agent: &AgentNode, calls: &[Value]) -> Vec<PlannedStep> {
    let step = |(number, call): (usize, &Value)| {
        let tool = call.get("tool").and_then(Value::as_str).map(ToolId::from)?;
        let arguments = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let (id, name) = (StepId::from(format!("call_{number}")), tool.to_string());
        let is_offered = agent.tools.contains(&tool);
        is_offered.then(|| PlannedStep::literal(id, name, tool, arguments))
    };
    (1..).zip(calls).filter_map(step).collect()
}

/// Builds the record of a turn.
pub(in crate::execute) fn kept(said: &Value, heard: TurnOutcome, left: u32) -> Payload {
    let said = said.get("said").and_then(Value::as_str).unwrap_or_default().to_owned();
    let kept = KeptTurn { said, heard, left };
    Payload::json(serde_json::to_value(kept).unwrap_or_default())
}
