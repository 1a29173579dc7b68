//! Measures the capabilities of an endpoint with about a dozen small requests.
//!
//! - in: an endpoint that answers
//! - out: a `ProbeResult`, and the `CapabilityCard` that follows from it
//! - asks: the endpoint, one request after another
//! - never: trusts a claim: a feature that no answer shows does not exist

use super::card::{CapabilityCard, JsonMode, ToolCallStyle};
use super::client::OpenAi;
use super::probe_asks::{called, enforced, form, schema, short, tools};
use super::probe_words::{Feature, Grade};
use praxis_core::ask::fault::{ModelFault, Parameter};
use praxis_core::ask::reply::{ModelReply, ReplyRepair};
use praxis_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Token limit of an answer, with room for reasoning before it.
const ROOM: u64 = 1024;
/// Text that an endpoint with broken encoding cannot repeat.
const STRANGE: &str = "负荷→α🙂é";

/// Result of a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// Time of the probe.
    pub at: Timestamp,
    /// Probed features, in order.
    pub rows: Vec<ProbeRow>,
}

/// Result for one feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRow {
    /// The feature.
    pub feature: Feature,
    /// Degree of support.
    pub grade: Grade,
    /// Observed reply or fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl ProbeResult {
    /// Returns the grade of a feature; `Grade::Unknown` if it was not probed.
    pub fn grade(&self, feature: Feature) -> Grade {
        let row = self.rows.iter().find(|row| row.feature == feature);
        row.map_or(Grade::Unknown, |row| row.grade)
    }

    /// Returns the most reliable `JsonMode` that worked.
    fn rung(&self) -> JsonMode {
        let ladder = [
            (Feature::JsonSchema, JsonMode::Schema),
            (Feature::JsonObject, JsonMode::Object),
            (Feature::ForcedTool, JsonMode::ForcedTool),
            (Feature::Grammar, JsonMode::Grammar),
        ];
        let works = |(feature, _): &&(Feature, JsonMode)| self.grade(*feature) == Grade::Yes;
        ladder.iter().find(works).map_or(JsonMode::Words, |(_, rung)| *rung)
    }
}

/// A probe in progress.
pub(super) struct Probe<'a> {
    client: &'a OpenAi,
    card: CapabilityCard,
    rows: Vec<ProbeRow>,
    thinks: Option<&'static str>,
}

/// Runs all requests of a probe. Fails only if the endpoint does not answer at all.
pub(super) async fn probe(
    client: &OpenAi,
    at: Timestamp,
) -> Result<(ProbeResult, CapabilityCard), ModelFault> {
    let mut probe =
        Probe { client, card: CapabilityCard::default(), rows: Vec::new(), thinks: None };
    probe.answers().await?;
    probe.stream().await;
    probe.temperature().await;
    probe.words().await;
    probe.forms().await;
    probe.calls().await;
    probe.grammar().await;
    let thinks = probe.thinks.map_or(Grade::No, |_| Grade::Yes);
    probe.row(Feature::Thinking, thinks, probe.thinks.unwrap_or_default().to_owned());
    let measured = ProbeResult { at, rows: probe.rows };
    let card = CapabilityCard { rung: measured.rung(), ..probe.card };
    Ok((measured, card))
}

impl Probe<'_> {
    fn row(&mut self, feature: Feature, grade: Grade, note: impl Into<String>) {
        self.rows.push(ProbeRow { feature, grade, note: note.into() });
    }

    /// Adds a row from an outcome: the fault, or the grade that `see` gives to the reply.
    fn judge(
        &mut self,
        feature: Feature,
        outcome: Result<ModelReply, ModelFault>,
        see: impl FnOnce(&ModelReply) -> (Grade, String),
    ) {
        let (grade, note) = match &outcome {
            Ok(reply) => see(reply),
            // A retryable fault is no refusal, so the feature stays unknown.
            Err(fault) if fault.is_retryable() => (Grade::Unknown, fault.to_string()),
            Err(fault) => (Grade::No, fault.to_string()),
        };
        self.row(feature, grade, note);
    }

    /// Sends a prompt with additional body fields.
    async fn ask(&mut self, words: &str, fields: Value) -> Result<ModelReply, ModelFault> {
        let mut body = json!({
            "messages": [{"role": "user", "content": words}],
            // Some reasoning models answer only in a stream.
            "stream": true,
        });
        let most = if self.card.refused.contains(&Parameter::MaxTokens) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        if let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) {
            body.insert(most.to_owned(), ROOM.into());
            body.extend(fields);
        }
        let reply = self.client.say(body).await?;
        if !reply.reasoning.is_empty() {
            let among = reply.repairs.contains(&ReplyRepair::Think);
            self.thinks = Some(if among { "<think> in the text" } else { "reasoning_content" });
        }
        Ok(reply)
    }

    async fn answers(&mut self) -> Result<(), ModelFault> {
        let words = "Answer with the single word pong.";
        let mut name = "max_tokens";
        let mut outcome = self.ask(words, json!({})).await;
        if let Err(ModelFault::ModelParameterRefused { parameter: Parameter::MaxTokens, .. }) =
            outcome
        {
            name = "max_completion_tokens";
            self.card.refused.insert(Parameter::MaxTokens);
            outcome = self.ask(words, json!({})).await;
        }
        let reply = outcome?;
        self.row(Feature::Answers, Grade::Yes, short(&reply.text));
        self.row(Feature::MaxTokens, Grade::Yes, name);
        Ok(())
    }

    async fn stream(&mut self) {
        let words = "Answer with the single word pong.";
        let options = json!({"stream_options": {"include_usage": true}});
        let outcome = self.ask(words, options).await;
        if let Err(ModelFault::ModelParameterRefused { parameter, .. }) = &outcome {
            self.card.refused.insert(*parameter);
        }
        self.judge(Feature::UsageInStream, outcome, |reply| {
            if reply.usage.estimated {
                (Grade::No, "no token counts".to_owned())
            } else {
                (Grade::Yes, format!("{} + {}", reply.usage.prompt, reply.usage.completion))
            }
        });
    }

    async fn temperature(&mut self) {
        let outcome =
            self.ask("Answer with the single word pong.", json!({"temperature": 0.1})).await;
        if let Err(ModelFault::ModelParameterRefused {
            parameter: Parameter::Temperature, ..
        }) = outcome
        {
            self.card.refused.insert(Parameter::Temperature);
        }
        self.judge(Feature::Temperature, outcome, |_| (Grade::Yes, String::new()));
    }

    async fn words(&mut self) {
        let system = json!({"messages": [
            {"role": "system", "content": "Whatever is asked, answer with the single word ORANGE."},
            {"role": "user", "content": "How much is two and two?"},
        ]});
        let outcome = self.ask("", system).await;
        self.judge(Feature::SystemRole, outcome, |reply| {
            let heeded = reply.text.to_uppercase().contains("ORANGE");
            (if heeded { Grade::Yes } else { Grade::Partly }, short(&reply.text))
        });
        let outcome =
            self.ask(&format!("Repeat exactly, nothing else: {STRANGE}"), json!({})).await;
        self.judge(Feature::Unicode, outcome, |reply| {
            let same = reply.text.contains(STRANGE);
            (if same { Grade::Yes } else { Grade::Partly }, short(&reply.text))
        });
    }

    /// The prompt contradicts the schema, so that only a server that enforces the schema returns a matching answer.
    async fn forms(&mut self) {
        let contrary = "Say hello in one plain sentence. Do not write JSON.";
        let mut outcome = self.ask(contrary, json!({"response_format": form(false)})).await;
        if let Err(ModelFault::ModelParameterRefused { parameter: Parameter::Grammar, .. }) =
            outcome
        {
            self.card.plain_schemas = true;
            outcome = self.ask(contrary, json!({"response_format": form(true)})).await;
        }
        self.judge(Feature::JsonSchema, outcome, enforced);
        let words = "Answer with a JSON object whose only key is n, with the number 7.";
        let outcome = self.ask(words, json!({"response_format": {"type": "json_object"}})).await;
        self.judge(Feature::JsonObject, outcome, |reply| {
            let read = serde_json::from_str::<Value>(&reply.text);
            let is_object = read.is_ok_and(|value| value.is_object());
            (if is_object { Grade::Yes } else { Grade::Partly }, short(&reply.text))
        });
    }

    async fn calls(&mut self) {
        let words = "What is the weather in Hangzhou? Use the tool.";
        let streamed = self.ask(words, json!({"tools": tools()})).await;
        if let Err(ModelFault::ModelParameterRefused { parameter: Parameter::Tools, .. }) = streamed
        {
            self.card.refused.insert(Parameter::Tools);
        }
        // A stream that loses tool calls looks like an empty answer.
        let is_lost = match &streamed {
            Ok(reply) => reply.tool_calls.is_empty(),
            Err(fault) => matches!(fault, ModelFault::ModelEmpty { .. }),
        };
        if is_lost {
            let whole = self.ask(words, json!({"tools": tools(), "stream": false})).await;
            if whole.as_ref().is_ok_and(|reply| !reply.tool_calls.is_empty()) {
                self.card.calls = ToolCallStyle::Whole;
            }
            self.judge(Feature::Tools, whole, called);
        } else {
            self.judge(Feature::Tools, streamed, called);
        }
        if self.last() == Grade::Yes {
            let grade = if is_lost { Grade::No } else { Grade::Yes };
            self.row(Feature::StreamedCalls, grade, "");
            self.several_calls().await;
        }
        self.forced_call().await;
    }

    async fn several_calls(&mut self) {
        let both = "What is the weather in Hangzhou and in Ningbo? Call the tool for both at once.";
        let outcome = self.ask(both, json!({"tools": tools(), "stream": self.streams()})).await;
        self.judge(Feature::ParallelCalls, outcome, |reply| match reply.tool_calls.len() {
            0 => (Grade::No, short(&reply.text)),
            1 => (Grade::Partly, "1".to_owned()),
            count => (Grade::Yes, count.to_string()),
        });
    }

    async fn forced_call(&mut self) {
        let choice = json!({"type": "function", "function": {"name": "weather"}});
        let fields = json!({"tools": tools(), "tool_choice": choice, "stream": self.streams()});
        let outcome = self.ask("Say hello in one plain sentence.", fields).await;
        if let Err(ModelFault::ModelParameterRefused { parameter: Parameter::ToolChoice, .. }) =
            outcome
        {
            self.card.refused.insert(Parameter::ToolChoice);
        }
        self.judge(Feature::ForcedTool, outcome, called);
    }

    /// Returns true if tool calls are requested in a stream.
    fn streams(&self) -> bool {
        self.card.calls == ToolCallStyle::Streamed
    }

    async fn grammar(&mut self) {
        let schema = schema(true);
        let fields = json!({"structured_outputs": {"json": schema}, "json_schema": schema});
        let contrary = "Say hello in one plain sentence. Do not write JSON.";
        let outcome = self.ask(contrary, fields).await;
        self.judge(Feature::Grammar, outcome, |reply| match enforced(reply) {
            (Grade::Yes, note) => (Grade::Yes, note),
            (_, note) => (Grade::No, note),
        });
    }

    fn last(&self) -> Grade {
        self.rows.last().map_or(Grade::Unknown, |row| row.grade)
    }
}
