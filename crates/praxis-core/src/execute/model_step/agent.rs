//! `Agent`: a model that is asked turn by turn, and whose calls are steps like all others.
//!
//! - in: the frame of an agent, with what was said and heard in the turns before
//! - out: what the model is sent in a turn, what its answer means, what it is told of its calls
//! - never: makes a call, or takes a word of the model or of a tool for a placeholder

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

/// How many calls one answer may want.
const MOST_CALLS: usize = 8;
/// How much of a model's own words it is shown again.
const SAID_CHARS: usize = 4_000;
/// How much of what a tool works on a model is told; in a language of ideographs so many tokens.
pub(super) const ABOUT_CHARS: usize = 8_000;
/// How much of what a call gave a model is shown.
const HEARD_CHARS: usize = 4_000;

/// The same of all calls of a turn.
const ALL_HEARD_CHARS: usize = 12_000;

/// What an agent has around it in a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentSurroundings {
    /// Its tools as a model reads them.
    tools: String,
    /// Their names.
    offered: Vec<ToolId>,
    /// What it said in the turns before, and what it heard.
    turns: Vec<(String, String)>,
    /// How many turns come after this one.
    left: u32,
    /// What a call gives is wanted, and no words.
    gives_result: bool,
    /// Those of its tools that tell what they work on.
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

impl AgentSurroundings {
    /// What an agent has around it whose model is to be asked by this step.
    pub(super) fn of(state: &State, step: &Step, schemas: &dyn Schemas) -> Option<Self> {
        let owner = step.frame?;
        let frame = state.frames.get(&owner)?;
        let agent = state.step_at(owner)?.plan.body()?.agent.as_ref()?;
        let signature = |tool: &ToolId| schemas.signature(tool);
        let tools: Vec<String> = agent.tools.iter().filter_map(signature).collect();
        Some(Self {
            tools: tools.join("\n"),
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

    /// The tools that tell what they work on.
    pub(super) fn telling(&self) -> &[ToolId] {
        &self.telling
    }

    /// What a tool works on is told after its signature.
    pub(super) fn hears(&mut self, tool: &ToolId, words: &str) {
        self.tools = format!("{}\n\n## {tool}\n{}", self.tools, cut(words, ABOUT_CHARS));
    }

    /// What the model is sent.
    pub(super) fn request(
        &self,
        arguments: &Value,
        adviser: &PinnedModel,
    ) -> Result<ModelRequest, Fault> {
        let given: AgentArguments = parsed(arguments)?;
        let lang = lang_of(&given.task);
        let mut system = AGENT.filled(lang, &[("tools", &self.tools)]);
        if let Some(own) = given.system.as_deref().map(str::trim).filter(|own| !own.is_empty()) {
            system = format!("{own}\n\n{system}");
        }
        let mut messages =
            vec![message(MessageRole::System, system), message(MessageRole::User, given.task)];
        for (said, heard) in self.fitting(adviser) {
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
            max_tokens: room(given.max_tokens, adviser),
            temperature: given.temperature,
            ..ModelRequest::default()
        })
    }

    /// Whether the model may still call something: a query that is written last can be the right one.
    fn may_call(&self) -> bool {
        self.left > 0 || self.gives_result
    }

    /// The last turns, as many as the model can take in: a character is hardly more than one token.
    fn fitting(&self, adviser: &PinnedModel) -> &[(String, String)] {
        let room = adviser.context.saturating_sub(u64::from(adviser.max_output)) / 2;
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

    /// The form of an answer: calls or an answer, in the last turn an answer.
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

    /// What an answer means: calls, an answer, or why it can be neither.
    pub(super) fn output(&self, arguments: &Value, reply: &ModelReply) -> Result<Value, Fault> {
        let given: AgentArguments = parsed(arguments)?;
        let meaning = match reading::read(0, reply, &self.form(given.schema.as_ref())) {
            Ok(read) => self.meaning(&read.value),
            // Whoever may not call any more and has to give a text, gave one.
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

    /// Whether an answer that has no JSON in it is a whole text where nothing else can come.
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

/// What the references in a schema mean stands at its root, and so it must in the schema around it.
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

/// More words at the end of what is said last: two messages of one side in a row confuse some models.
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

/// What was said in a turn, and what was told then.
fn turn(kept: &Payload) -> (String, String) {
    let PayloadValue::Value(kept) = kept.whole() else { return (String::new(), String::new()) };
    let kept = KeptTurn::deserialize(kept).unwrap_or_default();
    (kept.said, kept.heard.words(kept.left))
}

/// What is kept of a turn: the model's words, and what came of them. How that is told stands in the prompts.
#[derive(Default, Serialize, Deserialize)]
struct KeptTurn {
    said: String,
    #[serde(flatten)]
    heard: TurnOutcome,
    left: u32,
}

/// What came of a turn.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::execute) enum TurnOutcome {
    /// Its calls gave this, or failed.
    Results(String),
    /// Its answer cannot be used.
    Unfit(String),
}

impl Default for TurnOutcome {
    fn default() -> Self {
        Self::Unfit(String::new())
    }
}

impl TurnOutcome {
    /// What calls gave, each on its line.
    pub(in crate::execute) fn results(results: &[(String, Result<Value, String>)]) -> Self {
        // All of them together stay small enough to be kept with the frame.
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

    /// What is wrong with an answer.
    pub(in crate::execute) fn unfit(problems: &str) -> Self {
        Self::Unfit(cut(problems, HEARD_CHARS))
    }

    /// As the model is told it, with so many turns left.
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

/// What a turn led to.
pub(in crate::execute) enum TurnMeaning<'a> {
    /// Calls are to be made.
    Calls(&'a [Value]),
    /// The agent is done.
    Answer(&'a Value),
    /// It is told what was wrong.
    Unfit(&'a str),
}

/// What the model's answer in a turn means.
pub(in crate::execute) fn meaning(output: &Value) -> TurnMeaning<'_> {
    if let Some(calls) = output.get("calls").and_then(Value::as_array) {
        return TurnMeaning::Calls(calls);
    }
    match output.get("answer") {
        Some(answer) => TurnMeaning::Answer(answer),
        None => TurnMeaning::Unfit(output.get("unfit").and_then(Value::as_str).unwrap_or_default()),
    }
}

/// The steps that make the calls. What the model wrote is sent as it stands.
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

/// What is kept of a turn.
pub(in crate::execute) fn kept(said: &Value, heard: TurnOutcome, left: u32) -> Payload {
    let said = said.get("said").and_then(Value::as_str).unwrap_or_default().to_owned();
    let kept = KeptTurn { said, heard, left };
    Payload::json(serde_json::to_value(kept).unwrap_or_default())
}
