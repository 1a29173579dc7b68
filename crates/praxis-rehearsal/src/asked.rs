//! A chat request as the endpoint understands it.
//!
//! - in: the body of a POST to `/chat/completions`
//! - out: who asks what, for which stage, and what makes two requests the same
//! - never: looks at a header; what a caller is allowed to do is no part of what they ask

use praxis_core::ask::usage::estimate;
use praxis_core::hash::content_hash;
use serde_json::Value;

/// What names the stage in a message, at the beginning of a line.
const STAGE: &str = "stage:";
/// What the frame around a message or a tool costs, as clients of Praxis estimate it.
const FRAME: u64 = 4;
/// What makes no difference to the answer.
const PASSING: [&str; 3] = ["stream", "stream_options", "user"];

/// One chat request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// The stage of Praxis that asks: the name of the schema, else the line `stage: NAME` in the newest
    /// message of the user that has one.
    pub stage: Option<String>,
    /// The model that is wanted.
    pub model: String,
    /// What was said so far.
    pub messages: Vec<ChatMessage>,
    /// The schema that the answer has to fit.
    pub schema: Option<Value>,
    /// The names of the tools that are offered.
    pub tools: Vec<String>,
    /// Whether the answer is to be streamed.
    pub streams: bool,
    /// Whether a stream is to tell what it cost.
    pub wants_usage: bool,
    /// The whole request.
    pub body: Value,
}

/// Something that was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatMessage {
    /// By whom: `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// The words.
    pub content: String,
}

impl ChatRequest {
    /// Reads the body of a request; the error says what is wrong with it.
    pub fn read(body: Value) -> Result<Self, &'static str> {
        let model = body.get("model").and_then(Value::as_str).ok_or("`model` is missing")?;
        let said = body.get("messages").and_then(Value::as_array).ok_or("`messages` is missing")?;
        let messages: Vec<ChatMessage> = said.iter().map(heard).collect();
        let format = |part: &str| body.pointer(&format!("/response_format/json_schema/{part}"));
        let named = format("name").and_then(Value::as_str).map(str::to_owned);
        let offered = body.get("tools").and_then(Value::as_array).into_iter().flatten();
        let tool = |tool: &Value| tool.pointer("/function/name")?.as_str().map(str::to_owned);
        let says = |at: &str| body.pointer(at).and_then(Value::as_bool).unwrap_or(false);
        Ok(Self {
            stage: named.or_else(|| stage_in_words(&messages)),
            model: model.to_owned(),
            schema: format("schema").cloned(),
            tools: offered.filter_map(tool).collect(),
            streams: says("/stream"),
            wants_usage: says("/stream_options/include_usage"),
            messages,
            body,
        })
    }

    /// Whether some message holds these words.
    pub fn holds(&self, words: &str) -> bool {
        self.messages.iter().any(|message| message.content.contains(words))
    }

    /// What the model reads, in the order in which it reads it.
    pub fn prompt(&self) -> String {
        let mut prompt =
            self.body.get("tools").map(|tools| format!("{tools}\n")).unwrap_or_default();
        for ChatMessage { role, content } in &self.messages {
            prompt.extend([role.as_str(), "\n", content, "\n"]);
        }
        prompt
    }

    /// About how many tokens it has, by the count of Praxis itself.
    pub fn prompt_tokens(&self) -> u64 {
        let messages = self.messages.iter().map(|message| FRAME + estimate(&message.content));
        let offered = self.body.get("tools").and_then(Value::as_array).into_iter().flatten();
        let text = |tool: &Value, at: &str| {
            estimate(tool.pointer(at).and_then(Value::as_str).unwrap_or(""))
        };
        let tools = offered.map(|tool| {
            let schema = tool.pointer("/function/parameters").map(Value::to_string);
            FRAME
                + text(tool, "/function/name")
                + text(tool, "/function/description")
                + estimate(&schema.unwrap_or_default())
        });
        let format = self.schema.as_ref().map_or(0, |schema| estimate(&schema.to_string()));
        messages.chain(tools).sum::<u64>() + format
    }

    /// The request without what makes no difference to the answer.
    pub fn canonical(&self) -> Value {
        canonical(&self.body)
    }

    /// The SHA-256 of the canonical request.
    pub fn key(&self) -> String {
        key(&self.canonical())
    }
}

/// The request without what makes no difference to the answer. Keys are in order, as in all our JSON.
pub(super) fn canonical(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(map) = body.as_object_mut() {
        map.retain(|name, _| !PASSING.contains(&name.as_str()));
    }
    body
}

/// The name of a canonical request.
pub(super) fn key(canonical: &Value) -> String {
    content_hash(canonical.to_string().as_bytes())
}

fn heard(message: &Value) -> ChatMessage {
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    let content = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        _ => String::new(),
    };
    ChatMessage { role, content }
}

/// The stage that the newest message names. Below it an endpoint may have been told the schema in words.
fn stage_in_words(messages: &[ChatMessage]) -> Option<String> {
    let of_user = messages.iter().rev().filter(|message| message.role == "user");
    of_user.flat_map(|message| message.content.lines()).find_map(stage_in_line)
}

fn stage_in_line(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix(STAGE)?.trim();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(more: Value) -> ChatRequest {
        let mut body = json!({"model": "m", "messages": [
            {"role": "system", "content": "Be brief.\nstage: none"},
            {"role": "user", "content": [{"type": "text", "text": "stage: planning\nPlan it."}]},
            {"role": "user", "content": "Answer with JSON."},
        ]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ChatRequest::read(body).unwrap()
    }

    #[test]
    fn the_stage_is_the_name_of_the_schema_or_a_line_of_the_newest_message() {
        let schema = json!({"response_format": {"type": "json_schema",
            "json_schema": {"name": "evaluation", "schema": {"type": "object"}}}});
        let named = asked(schema);
        assert_eq!(named.stage.as_deref(), Some("evaluation"));
        assert_eq!(named.schema, Some(json!({"type": "object"})));
        assert_eq!(asked(json!({})).stage.as_deref(), Some("planning"));
        assert!(asked(json!({})).holds("Plan it.") && !asked(json!({})).holds("Plan that."));
        assert_eq!(ChatRequest::read(json!({"model": "m"})), Err("`messages` is missing"));
    }

    #[test]
    fn how_an_answer_is_sent_makes_no_other_request_of_it() {
        let plain = asked(json!({"temperature": 0.1}));
        let streamed = json!({"user": "u", "temperature": 0.1, "stream": true,
            "stream_options": {"include_usage": true}});
        let streamed = asked(streamed);
        assert!(streamed.streams && streamed.wants_usage && !plain.streams);
        assert_eq!(plain.key(), streamed.key());
        assert_ne!(plain.key(), asked(json!({"temperature": 0.2})).key());
    }
}
