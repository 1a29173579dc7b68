//! A chat request as the endpoint parses it.
//!
//! - in: the body of a POST to `/chat/completions`
//! - out: a `ChatRequest` with its stage, model, messages, tools and the key by which equal requests are recognized
//! - never: looks at a header; authorization is not part of the request

use praxis_core::ask::usage::estimate;
use praxis_core::hash::content_hash;
use serde_json::Value;

/// Prefix of a line that names the stage in a message.
const STAGE: &str = "stage:";
/// Estimated tokens of the framing of a message or tool; the same number as in the clients of Praxis.
const FRAME: u64 = 4;
/// Request fields that do not affect the answer.
const PASSING: [&str; 3] = ["stream", "stream_options", "user"];

/// A parsed chat request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// The stage of Praxis that asks: the name of the schema, else the line `stage: NAME` in the newest user message
    /// that has one.
    pub stage: Option<String>,
    /// The requested model.
    pub model: String,
    /// The messages so far.
    pub messages: Vec<ChatMessage>,
    /// The JSON schema that the answer must fit.
    pub schema: Option<Value>,
    /// The names of the offered tools.
    pub tools: Vec<String>,
    /// True if the answer is to be streamed.
    pub streams: bool,
    /// True if a stream is to end with its token usage (`stream_options.include_usage`).
    pub wants_usage: bool,
    /// The whole request body.
    pub body: Value,
}

/// One message of a chat request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatMessage {
    /// The role: `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// The text; the text parts joined if the content is a list.
    pub content: String,
}

impl ChatRequest {
    /// Parses the body of a request; the error names the missing field.
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

    /// Returns true if some message contains these words.
    pub fn holds(&self, words: &str) -> bool {
        self.messages.iter().any(|message| message.content.contains(words))
    }

    /// Returns everything that the model reads, tools first, then the messages.
    pub fn prompt(&self) -> String {
        let mut prompt =
            self.body.get("tools").map(|tools| format!("{tools}\n")).unwrap_or_default();
        for ChatMessage { role, content } in &self.messages {
            prompt.extend([role.as_str(), "\n", content, "\n"]);
        }
        prompt
    }

    /// Returns the estimated number of prompt tokens, counted as Praxis counts them.
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

    /// Returns the request without the fields that do not affect the answer.
    pub fn canonical(&self) -> Value {
        canonical(&self.body)
    }

    /// Returns the SHA-256 of the canonical request.
    pub fn key(&self) -> String {
        key(&self.canonical())
    }
}

/// Removes the fields that do not affect the answer. Keys are sorted, as in all our JSON.
pub(super) fn canonical(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(map) = body.as_object_mut() {
        map.retain(|name, _| !PASSING.contains(&name.as_str()));
    }
    body
}

/// Returns the hash that identifies a canonical request.
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

/// Returns the stage of the newest user message that names one. Later messages may only state the schema in words.
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
