//! A request in the words of an OpenAI-compatible endpoint.

use super::card::{Card, Rung, Thoughts};
use praxis_core::ask::fault::Parameter;
use praxis_core::ask::request::{Format, Message, Request, Role};
use serde_json::{Map, Value, json};

/// The body of the POST.
pub(super) fn body(request: &Request, model: &str, card: &Card) -> Value {
    let takes = |parameter| !card.refused.contains(&parameter);
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), messages(request, card));
    body.insert("stream".to_owned(), true.into());
    if takes(Parameter::StreamOptions) {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    let most = if takes(Parameter::MaxTokens) { "max_tokens" } else { "max_completion_tokens" };
    body.insert(most.to_owned(), request.max_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| takes(Parameter::Temperature)) {
        body.insert("temperature".to_owned(), temperature.into());
    }
    if !request.tools.is_empty() && takes(Parameter::Tools) {
        body.insert("tools".to_owned(), tools(request));
    }
    body.extend(format(request, card).map(|format| ("response_format".to_owned(), format)));
    Value::Object(body)
}

fn messages(request: &Request, card: &Card) -> Value {
    let said = |message: &Message| {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let mut said = json!({"role": role, "content": message.content});
        if let (Some(thought), Thoughts::Returned) = (&message.reasoning, card.thoughts)
            && let Some(said) = said.as_object_mut()
        {
            said.insert("reasoning_content".to_owned(), thought.as_str().into());
        }
        said
    };
    let mut messages: Vec<Value> = request.messages.iter().map(said).collect();
    // At the end: what comes before stays the same for every rung.
    messages
        .extend(in_words(request, card).map(|content| json!({"role": "user", "content": content})));
    Value::Array(messages)
}

/// The schema, where the endpoint does not take it otherwise.
fn in_words(request: &Request, card: &Card) -> Option<String> {
    match (&request.format, card.rung) {
        (Format::Text, _) | (Format::Json { .. }, Rung::Schema) => None,
        (Format::Json { schema, .. }, Rung::Object | Rung::Words) => Some(format!(
            "Answer with one JSON value that fits this schema, and nothing else:\n{schema}"
        )),
    }
}

fn format(request: &Request, card: &Card) -> Option<Value> {
    match (&request.format, card.rung) {
        (Format::Text, _) | (_, Rung::Words) => None,
        (Format::Json { .. }, Rung::Object) => Some(json!({"type": "json_object"})),
        (Format::Json { name, schema }, Rung::Schema) => Some(json!({
            "type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": true},
        })),
    }
}

fn tools(request: &Request) -> Value {
    let offered = request.tools.iter().map(|tool| {
        json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        }})
    });
    offered.collect()
}
