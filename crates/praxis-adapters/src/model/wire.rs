//! Translates a `ModelRequest` to the format of an OpenAI-compatible endpoint, and the reply back.

use super::card::{CapabilityCard, JsonMode, ReasoningStyle, ToolCallStyle};
use super::order::{self, SchemaGuide};
use super::schema;
use praxis_core::ask::fault::Parameter;
use praxis_core::ask::reply::{FinishReason, ModelReply};
use praxis_core::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest};
use praxis_core::lang::Lang;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Options of one outgoing request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WireOptions {
    /// The way in which JSON is requested; `JsonMode::Words` also for a plain text answer.
    pub(super) rung: JsonMode,
    /// True if the answer is to be streamed.
    pub(super) streams: bool,
}

impl WireOptions {
    /// Chooses the options of a request from the endpoint's card.
    pub(super) fn of(request: &ModelRequest, card: &CapabilityCard) -> Self {
        let rung = match card.rung {
            // A forced tool would keep the model from calling the tools of the request.
            JsonMode::ForcedTool if !request.tools.is_empty() => JsonMode::Words,
            rung => rung,
        };
        let rung = if request.format.is_text() { JsonMode::Words } else { rung };
        let has_calls = !request.tools.is_empty() || rung == JsonMode::ForcedTool;
        Self { rung, streams: !(has_calls && card.calls == ToolCallStyle::Whole) }
    }
}

/// Returns the request without earlier reasoning, unless the endpoint wants it back.
pub(super) fn taken<'a>(request: &'a ModelRequest, card: &CapabilityCard) -> Cow<'a, ModelRequest> {
    let has_thoughts = request.messages.iter().any(|message| message.reasoning.is_some());
    if card.thoughts == ReasoningStyle::Returned || !has_thoughts {
        return Cow::Borrowed(request);
    }
    let mut request = request.clone();
    for message in &mut request.messages {
        message.reasoning = None;
    }
    Cow::Owned(request)
}

/// Builds the body of the POST. Sends all reasoning that is in the request: see [`taken`].
pub(super) fn body(
    request: &ModelRequest,
    model: &str,
    card: &CapabilityCard,
    goal_options: WireOptions,
) -> Value {
    let takes = |parameter| !card.refused.contains(&parameter);
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    put("model", model.into());
    put("messages", messages(request, goal_options.rung));
    put("stream", goal_options.streams.into());
    if goal_options.streams && takes(Parameter::StreamOptions) {
        put("stream_options", json!({"include_usage": true}));
    }
    let most = if takes(Parameter::MaxTokens) { "max_tokens" } else { "max_completion_tokens" };
    put(most, request.max_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| takes(Parameter::Temperature)) {
        put("temperature", temperature.into());
    }
    if !request.tools.is_empty() && takes(Parameter::Tools) {
        put("tools", tools(request));
    }
    body.extend(format(request, card, goal_options.rung));
    Value::Object(body)
}

/// Serializes a body, with the schema in the order of its file, since models answer in that order.
pub(super) fn text(body: &Value, request: &ModelRequest) -> String {
    let guide = guide(request).map(|guide| {
        let at = |keys: &[&str]| SchemaGuide::at(keys, guide.clone());
        let tool = SchemaGuide::Items(vec![at(&["function", "parameters"])]);
        // The guide describes the schema of the answer, not the tools of the request.
        let tools = request.tools.is_empty().then(|| SchemaGuide::at(&["tools"], tool));
        let schemas = [
            at(&["response_format", "json_schema", "schema"]),
            at(&["structured_outputs", "json"]),
            at(&["json_schema"]),
        ];
        SchemaGuide::all(schemas.into_iter().chain(tools))
    });
    order::text(body, guide.as_ref())
}

/// Serializes the schema of a request in the order of its file.
pub(super) fn schema_text(request: &ModelRequest) -> Option<String> {
    let AnswerFormat::Json { schema, .. } = &request.format else { return None };
    Some(order::text(schema, guide(request).as_ref()))
}

fn guide(request: &ModelRequest) -> Option<SchemaGuide> {
    let AnswerFormat::Json { name, .. } = &request.format else { return None };
    SchemaGuide::of_stage(name)
}

fn messages(request: &ModelRequest, rung: JsonMode) -> Value {
    let said = |message: &ModelMessage| {
        let role = match message.role {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        let mut said = json!({"role": role, "content": message.content});
        if let (Some(thought), Some(said)) = (&message.reasoning, said.as_object_mut()) {
            said.insert("reasoning_content".to_owned(), thought.as_str().into());
        }
        said
    };
    let mut messages: Vec<Value> = request.messages.iter().map(said).collect();
    // Appended last, so that the messages before it are the same in every `JsonMode`.
    messages
        .extend(in_words(request, rung).map(|content| json!({"role": "user", "content": content})));
    Value::Array(messages)
}

/// Returns an instruction that contains the schema, for modes that do not surely enforce it.
fn in_words(request: &ModelRequest, rung: JsonMode) -> Option<String> {
    if matches!(rung, JsonMode::Schema | JsonMode::ForcedTool) {
        return None;
    }
    let schema = schema_text(request)?;
    Some(match lang(request) {
        Lang::En => {
            format!("Answer with one JSON value that fits this schema, and nothing else:\n{schema}")
        }
        Lang::Zh => format!("只回答一个符合以下 schema 的 JSON 值，不要写任何其他内容：\n{schema}"),
    })
}

/// Returns the language of a request: that of the first line of its instructions. Later lines may be data.
fn lang(request: &ModelRequest) -> Lang {
    let begins = request
        .messages
        .first()
        .and_then(|message| message.content.lines().find(|line| !line.trim().is_empty()));
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    if begins.is_some_and(|line| line.contains(is_chinese)) { Lang::Zh } else { Lang::En }
}

/// Returns the body fields that request JSON in the mode `rung`.
fn format(request: &ModelRequest, card: &CapabilityCard, rung: JsonMode) -> Map<String, Value> {
    let AnswerFormat::Json { name, schema } = &request.format else { return Map::new() };
    let schema = if card.plain_schemas { schema::plain(schema) } else { schema.clone() };
    let strict = schema::is_strict(&schema);
    let asks = match rung {
        JsonMode::Words => json!({}),
        JsonMode::Object => json!({"response_format": {"type": "json_object"}}),
        JsonMode::Schema => json!({"response_format": {
            "type": "json_schema",
            "json_schema": {"name": name, "schema": schema, "strict": strict},
        }}),
        JsonMode::ForcedTool => json!({
            "tools": [{"type": "function", "function": {
                "name": name, "description": "Gives the answer.",
                "parameters": schema::of_arguments(&schema),
            }}],
            "tool_choice": {"type": "function", "function": {"name": name}},
        }),
        // One server reads the first field, another the second; both ignore unknown fields.
        JsonMode::Grammar => json!({"structured_outputs": {"json": schema}, "json_schema": schema}),
    };
    if let Value::Object(asks) = asks { asks } else { Map::new() }
}

fn tools(request: &ModelRequest) -> Value {
    let offered = request.tools.iter().map(|tool| {
        json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        }})
    });
    offered.collect()
}

/// Turns the arguments of a forced tool into the text of the reply, as if JSON had been requested in words.
pub(super) fn read(
    mut reply: ModelReply,
    request: &ModelRequest,
    goal_options: WireOptions,
) -> ModelReply {
    let AnswerFormat::Json { schema, .. } = &request.format else { return reply };
    if goal_options.rung != JsonMode::ForcedTool || reply.tool_calls.is_empty() {
        return reply;
    }
    let call = reply.tool_calls.remove(0);
    reply.tool_calls.clear();
    reply.text = schema::in_arguments(schema, call.arguments).to_string();
    if reply.finish == FinishReason::ToolCalls {
        reply.finish = FinishReason::Stop;
    }
    reply
}
