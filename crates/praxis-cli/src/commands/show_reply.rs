//! Details of model requests and replies for `show --prompt` and `show --raw`, besides the message texts.

use crate::context::CliContext;
use crate::view::text::{Paint, comma};
use praxis_core::ask::raw::RawReply;
use praxis_core::ask::reply::{FinishReason, ModelReply, TokenUsage};
use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use praxis_core::problem::Problem;
use serde_json::{Value, json};

/// Formats the parameters of a request on one line: answer format, token limit, temperature, tools.
pub(super) fn asked(context: &CliContext, request: &ModelRequest) -> String {
    let most = request.max_tokens;
    let mut parts = vec![match &request.format {
        AnswerFormat::Text => context.say("text", "文本"),
        AnswerFormat::Json { name, .. } => context
            .say(format!("JSON with schema `{name}`"), format!("符合 schema `{name}` 的 JSON")),
    }];
    parts.push(context.say(format!("at most {most} tokens"), format!("最多 {most} token")));
    parts.extend(
        request
            .temperature
            .map(|it| context.say(format!("temperature {it}"), format!("温度 {it}"))),
    );
    if !request.tools.is_empty() {
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        let names = names.join(comma(context.lang));
        parts.push(context.say(format!("tools: {names}"), format!("工具：{names}")));
    }
    parts.join(" · ")
}

/// Prints the request and the response as sent over the wire, if they were recorded; the parsed reply follows them.
pub(super) fn print_raw(context: &CliContext, raw: Option<&RawReply>) {
    let Some(raw) = raw else { return };
    let head = |words: String| out!("{}", Paint(context.colors).bold(&format!("── {words}")));
    head(context.say("sent", "发送的内容"));
    out!("{}", raw.sent.trim_end());
    head(context.say("received", "收到的内容"));
    match &raw.received {
        Some(received) => out!("{}", received.trim_end()),
        None => out!("{}", context.say("not kept: it contained a secret", "未保留：其中含有密钥")),
    }
    head(context.say("parsed", "解析结果"));
}

/// Formats the tool calls, finish reason, repairs and failed tries of a reply; `all` is the usage of all tries.
pub(super) fn lines(context: &CliContext, reply: &ModelReply, all: TokenUsage) -> Vec<String> {
    let call = |call: &praxis_core::ask::reply::ModelToolCall| {
        format!("→ {} {}", call.name, call.arguments)
    };
    let mut lines: Vec<String> = reply.tool_calls.iter().map(call).collect();
    let finish = match reply.finish {
        FinishReason::Stop => None,
        FinishReason::ToolCalls => Some(context.say("ended with tool calls", "以工具调用结束")),
        FinishReason::Length => {
            Some(context.say("cut off at the token limit", "因达到 token 上限而中断"))
        }
        FinishReason::Filtered => {
            Some(context.say("blocked by the endpoint's content filter", "被接口的内容过滤拦截"))
        }
    };
    lines.extend(finish);
    if !reply.repairs.is_empty() {
        let words = words(&reply.repairs);
        lines.push(
            context
                .say(format!("repaired before parsing: {words}"), format!("解析前已修复：{words}")),
        );
    }
    let TokenUsage { prompt, completion, .. } = failed_tries(reply, all);
    if prompt + completion > 0 {
        lines.push(context.say(
            format!("failed attempts used {prompt} tokens in, {completion} out"),
            format!("失败的尝试消耗 token：输入 {prompt}，输出 {completion}"),
        ));
    }
    lines
}

/// Formats the problems for which an answer was refused.
pub(super) fn refusal(context: &CliContext, problems: &[Problem]) -> Vec<String> {
    let line = |problem: &Problem| {
        let (at, message) = (&problem.at, problem.told(context.lang).message.to_owned());
        let (en, zh) = match at.as_str() {
            "" => (String::new(), String::new()),
            at => (format!(" {at}:"), format!("`{at}`：")),
        };
        context.say(format!("answer rejected:{en} {message}"), format!("回答被拒绝：{zh}{message}"))
    };
    problems.iter().map(line).collect()
}

/// Returns the usage of the tries that gave no answer.
pub(super) fn failed_tries(reply: &ModelReply, all: TokenUsage) -> TokenUsage {
    TokenUsage {
        prompt: all.prompt.saturating_sub(reply.usage.prompt),
        completion: all.completion.saturating_sub(reply.usage.completion),
        cached: all.cached.saturating_sub(reply.usage.cached),
        estimated: all.estimated,
    }
}

/// Returns [`failed_tries`] as JSON.
pub(super) fn failed_tries_json(reply: Option<&Value>, all: TokenUsage) -> Value {
    let reply = reply.and_then(|reply| serde_json::from_value::<ModelReply>(reply.clone()).ok());
    let Some(reply) = reply else { return Value::Null };
    let TokenUsage { prompt, completion, cached, .. } = failed_tries(&reply, all);
    json!({"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached})
}

fn words(repairs: &std::collections::BTreeSet<praxis_core::ask::reply::ReplyRepair>) -> String {
    let word = |repair| serde_json::to_value(repair).unwrap_or_default();
    let all: Vec<String> =
        repairs.iter().map(|it| word(it).as_str().unwrap_or_default().to_owned()).collect();
    all.join(", ")
}
