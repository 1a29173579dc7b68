//! Assembles a reply from the payloads that an endpoint streams.
//!
//! - in: payloads of `chat.completion.chunk`, or one whole `chat.completion`
//! - out: deltas that may be shown at once, and at the end a [`ModelReply`] or a [`ModelFault`]
//! - never: takes a part for the whole, adds up token counts, or trusts `finish_reason` about calls

use super::calls::{self, Calls};
use super::classify;
use super::fault::{ModelFault, PartialReplyText};
use super::json;
use super::reasoning::{Delta, SplitText, Splitter, show_thought};
use super::reply::{FinishReason, ModelReply, ReplyRepair, TokenUsage};
use super::usage;
use crate::document::read_json;
use serde_json::Value;
use std::collections::BTreeSet;

/// Fields in which endpoints send reasoning. The first non-empty one is used.
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// Assembler of one reply.
#[derive(Debug, Default)]
pub struct Assembler {
    content: Splitter,
    thoughts: String,
    refusal: String,
    calls: Calls,
    finish: Option<StreamEnd>,
    usage: Option<TokenUsage>,
    prompt_estimate: u64,
    repairs: BTreeSet<ReplyRepair>,
}

/// The endpoint's `finish_reason`, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEnd {
    Said,
    Length,
    Filtered,
    Aborted,
    Failed,
}

impl Assembler {
    /// Creates an assembler; `prompt_estimate` is the estimated number of tokens of the request, see
    /// [`usage::estimate_request`].
    pub fn new(prompt_estimate: u64) -> Self {
        Self { prompt_estimate, ..Self::default() }
    }

    /// Takes the next payload and returns the deltas that may be shown.
    pub fn take(&mut self, payload: &str) -> Result<Vec<Delta>, ModelFault> {
        let payload = self.envelope(payload)?;
        if classify::is_error(&payload) {
            return Err(classify::of_error(&payload));
        }
        let mut shown = Vec::new();
        let choices = payload.get("choices").and_then(Value::as_array).into_iter().flatten();
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.filter(first) {
            let said = [choice.get("delta"), choice.get("message")].into_iter().flatten();
            if let Some(said) = said.into_iter().find(|said| said.is_object()) {
                self.said(said, &mut shown);
            }
            self.finish = choice.get("finish_reason").and_then(ended).or(self.finish);
        }
        self.usage = payload.get("usage").and_then(usage::read).or(self.usage);
        Ok(shown)
    }

    /// Parses a payload. Repairs invalid JSON only if nothing has to be guessed.
    fn envelope(&mut self, payload: &str) -> Result<Value, ModelFault> {
        let unreadable = |message: String| ModelFault::ModelUnreadable { message };
        match read_json(payload) {
            Ok(value) if value.is_object() => Ok(value),
            Ok(_) => Err(unreadable("the payload is no object".to_owned())),
            Err(why) => {
                let sure = BTreeSet::from([ReplyRepair::TrailingComma, ReplyRepair::Syntax]);
                let found = json::find(payload, Value::is_object).ok();
                let found = found.filter(|found| found.repairs.is_subset(&sure));
                let found = found.ok_or_else(|| unreadable(why.to_string()))?;
                self.repairs.extend(found.repairs);
                Ok(found.value)
            }
        }
    }

    /// Takes a delta or a whole message.
    fn said(&mut self, said: &Value, shown: &mut Vec<Delta>) {
        let thoughts = THOUGHTS.iter().filter_map(|name| said.get(name)?.as_str());
        if let Some(thoughts) = thoughts.into_iter().find(|thoughts| !thoughts.is_empty()) {
            self.think(thoughts, shown);
        }
        self.content(said.get("content").unwrap_or(&Value::Null), shown);
        self.refusal.push_str(said.get("refusal").and_then(Value::as_str).unwrap_or_default());
        self.calls.take(said.get("tool_calls").unwrap_or(&Value::Null));
        if let Some(call) = said.get("function_call").filter(|call| call.is_object()) {
            self.calls.take(&Value::Array(vec![call.clone()]));
        }
    }

    fn think(&mut self, thoughts: &str, shown: &mut Vec<Delta>) {
        self.content.thoughts_come_apart();
        self.thoughts.push_str(thoughts);
        show_thought(thoughts, shown);
    }

    /// Takes content: a string, or a list of parts.
    fn content(&mut self, content: &Value, shown: &mut Vec<Delta>) {
        match content {
            Value::String(text) => self.content.feed(text, shown),
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part, shown)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
    }

    fn part(&mut self, part: &Value, shown: &mut Vec<Delta>) {
        if let Some(text) = part.as_str().or_else(|| part.get("text")?.as_str()) {
            self.content.feed(text, shown);
        }
        let inner = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
        let inner = inner.filter_map(|thought| thought.get("text")?.as_str());
        let thoughts = part.get("thinking").and_then(Value::as_str).into_iter().chain(inner);
        thoughts.for_each(|thought| self.think(thought, shown));
        self.refusal.push_str(part.get("refusal").and_then(Value::as_str).unwrap_or_default());
    }

    /// Returns the reply after the last payload. `is_whole` is true if the endpoint marked the end of the stream; a
    /// `finish_reason` marks it as well.
    pub fn end(self, is_whole: bool) -> Result<ModelReply, ModelFault> {
        let (ended, usage) = (self.finish, self.usage);
        let (calls, refusal, mut repairs) = (self.calls, self.refusal, self.repairs);
        let parts = self.content.end();
        if parts.mended {
            repairs.insert(ReplyRepair::Think);
        }
        let thoughts = [self.thoughts.as_str(), &parts.thoughts];
        let reasoning = thoughts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        let reasoning = reasoning.join("\n");
        let mut came = StreamProgress { parts, reasoning, calls, ended };
        let usage = usage.unwrap_or_else(|| TokenUsage {
            prompt: self.prompt_estimate,
            completion: came.estimate(&refusal),
            cached: 0,
            estimated: true,
        });
        match ended {
            Some(StreamEnd::Failed) => {
                let message = "the endpoint ended the answer with an error".to_owned();
                return Err(ModelFault::ModelErrorInAnswer { message });
            }
            None if !is_whole => return Err(ModelFault::ModelCut { so_far: came.partial(usage) }),
            Some(StreamEnd::Aborted) => {
                return Err(ModelFault::ModelCut { so_far: came.partial(usage) });
            }
            None | Some(StreamEnd::Said | StreamEnd::Length | StreamEnd::Filtered) => {}
        }
        if !refusal.trim().is_empty() {
            return Err(ModelFault::ModelDeclined { message: classify::short(&refusal), usage });
        }
        came.reply(usage, repairs)
    }
}

/// The received parts of a reply.
struct StreamProgress {
    parts: SplitText,
    reasoning: String,
    calls: Calls,
    ended: Option<StreamEnd>,
}

impl StreamProgress {
    fn estimate(&self, refusal: &str) -> u64 {
        let written = self.calls.written();
        let texts = [self.parts.words.as_str(), &self.reasoning, &written, refusal];
        texts.into_iter().map(usage::estimate).sum()
    }

    fn partial(self, usage: TokenUsage) -> PartialReplyText {
        let mut tool_calls = self.calls.whole();
        calls::name_apart(&mut tool_calls);
        PartialReplyText { text: self.parts.words, reasoning: self.reasoning, tool_calls, usage }
    }

    fn reply(
        &mut self,
        usage: TokenUsage,
        mut repairs: BTreeSet<ReplyRepair>,
    ) -> Result<ModelReply, ModelFault> {
        let mut tool_calls =
            self.calls.end(&mut repairs).map_err(|fault| with_usage(fault, usage))?;
        let mut text = std::mem::take(&mut self.parts.words);
        let mut reasoning = std::mem::take(&mut self.reasoning);
        if !text.trim_start().starts_with(['{', '[', '`']) {
            text = calls::take_from_text(&text, &mut tool_calls, &mut repairs);
        }
        // A call in the reasoning may only be considered, so it counts only if there is no answer and no other call.
        if text.is_empty() && tool_calls.is_empty() {
            reasoning = calls::take_from_text(&reasoning, &mut tool_calls, &mut repairs);
        }
        calls::name_apart(&mut tool_calls);
        let finish = match self.ended {
            Some(StreamEnd::Length) => FinishReason::Length,
            Some(StreamEnd::Filtered) => FinishReason::Filtered,
            Some(StreamEnd::Said | StreamEnd::Aborted | StreamEnd::Failed) | None
                if tool_calls.is_empty() =>
            {
                FinishReason::Stop
            }
            Some(StreamEnd::Said | StreamEnd::Aborted | StreamEnd::Failed) | None => {
                FinishReason::ToolCalls
            }
        };
        if finish == FinishReason::Stop && text.is_empty() {
            let so_far = PartialReplyText { text, reasoning, tool_calls, usage };
            return Err(ModelFault::ModelEmpty { so_far });
        }
        Ok(ModelReply { text, reasoning, tool_calls, finish, usage, repairs, raw: None })
    }
}

/// Adds the tokens used to a fault that records them.
fn with_usage(mut fault: ModelFault, counted: TokenUsage) -> ModelFault {
    if let ModelFault::ModelArgumentsUnreadable { usage, .. } = &mut fault {
        *usage = counted;
    }
    fault
}

fn ended(reason: &Value) -> Option<StreamEnd> {
    match reason.as_str()?.to_ascii_lowercase().as_str() {
        "" | "null" => None,
        "length" | "max_tokens" | "model_length" => Some(StreamEnd::Length),
        "content_filter" | "safety" | "sensitive" => Some(StreamEnd::Filtered),
        "abort" | "cancelled" | "insufficient_system_resource" => Some(StreamEnd::Aborted),
        "error" => Some(StreamEnd::Failed),
        _ => Some(StreamEnd::Said),
    }
}
