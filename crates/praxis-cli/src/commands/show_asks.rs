//! `praxis show --cost | --prompt | --raw`: the model calls of a task with their requests, replies and costs.

use super::follow::whole;
use super::show_reply;
use super::show_step::print_value;
use crate::args::Show;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::view::cost::{money, tokens};
use crate::view::text::{Paint, cut, pad, span, width};
use praxis_core::ask::price::Money;
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::request::ModelRequest;
use praxis_core::budget::ledger::Ledger;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use praxis_core::state::State;
use praxis_core::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One model call.
struct ModelCallRow<'a> {
    number: u32,
    purpose: &'a Purpose,
    model: &'a str,
    begun: Timestamp,
    request: &'a Payload,
    ended: Option<(Timestamp, &'a AskOutcome)>,
    /// The token usage; the reserved tokens until the journal records a usage.
    usage: TokenUsage,
    /// The problems for which the answer was refused.
    refused: &'a [Problem],
}

impl ModelCallRow<'_> {
    fn ms(&self) -> Option<u64> {
        self.ended.map(|(ended, _)| ended.since(self.begun))
    }
}

fn calls(entries: &[Entry]) -> Vec<ModelCallRow<'_>> {
    let mut calls: Vec<ModelCallRow<'_>> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::AskStarted { ask, purpose, model, reserved, request } => {
                calls.push(ModelCallRow {
                    number: *ask,
                    purpose,
                    model,
                    begun: entry.at,
                    request,
                    ended: None,
                    usage: reserved.as_usage(),
                    refused: &[],
                });
            }
            Event::AnswerRefused { ask, problems, .. } => {
                if let Some(call) = calls.iter_mut().find(|call| call.number == *ask) {
                    call.refused = problems;
                }
            }
            Event::AskFinished { ask, outcome } => {
                let Some(call) = calls.iter_mut().find(|call| call.number == *ask) else {
                    continue;
                };
                call.ended = Some((entry.at, outcome));
                if let AskOutcome::Answered { usage, .. } | AskOutcome::Failed { usage, .. } =
                    outcome
                {
                    call.usage = *usage;
                }
            }
            _ => {}
        }
    }
    calls
}

/// Returns the call chosen with `--call`, or all calls.
fn chosen<'a>(entries: &'a [Entry], show: &Show) -> Result<Vec<ModelCallRow<'a>>, CommandFailure> {
    let mut found = calls(entries);
    let count = found.len();
    if count == 0 {
        return Err(nobody_asked());
    }
    if let Some(wanted) = show.call {
        found.retain(|call| call.number == wanted);
    }
    if found.is_empty() {
        let wanted = show.call.unwrap_or_default();
        let words = (
            format!("call not found; the task has model calls 1 to {count}"),
            format!("找不到模型调用 {wanted}；任务的模型调用编号为 1 到 {count}"),
        );
        let next = (
            "list them with `praxis show TASK --cost`",
            "用 `praxis show TASK --cost` 列出全部调用",
        );
        return Err(CommandFailure::not_found(words).next(next));
    }
    Ok(found)
}

fn nobody_asked() -> CommandFailure {
    CommandFailure::not_found(("the task made no model calls", "任务没有调用过模型"))
        .next(("see what happened with `praxis show TASK`", "用 `praxis show TASK` 查看任务经过"))
}

/// Prints the requests.
pub(crate) fn prompts(
    context: &CliContext,
    entries: &[Entry],
    show: &Show,
) -> Result<(), CommandFailure> {
    for call in chosen(entries, show)? {
        let request = whole(context, call.request)?;
        if context.json {
            out!(
                "{}",
                json!({"call": call.number, "stage": call.purpose.stage(), "model": call.model, "request": request})
            );
            continue;
        }
        head(context, &call);
        let Ok(request) = serde_json::from_value::<ModelRequest>(request.clone()) else {
            print_value(context, &request);
            continue;
        };
        out!("{}", Paint(context.colors).faint(&show_reply::asked(context, &request)));
        for message in &request.messages {
            let role = serde_json::to_value(message.role).unwrap_or_default();
            out!(
                "{}",
                Paint(context.colors).bold(&format!("── {}", role.as_str().unwrap_or_default()))
            );
            out!("{}", message.content);
        }
    }
    Ok(())
}

/// Prints the replies.
pub(crate) fn replies(
    context: &CliContext,
    entries: &[Entry],
    show: &Show,
) -> Result<(), CommandFailure> {
    for call in chosen(entries, show)? {
        let reply = match call.ended {
            Some((_, AskOutcome::Answered { reply, .. })) => Some(whole(context, reply)?),
            _ => None,
        };
        if context.json {
            out!("{}", reply_json(&call, reply.as_ref()));
            continue;
        }
        head(context, &call);
        match reply.map(serde_json::from_value::<ModelReply>) {
            Some(Ok(reply)) => {
                show_reply::print_raw(context, reply.raw.as_ref());
                if !reply.reasoning.is_empty() {
                    out!("{}", Paint(context.colors).faint(&reply.reasoning));
                }
                out!("{}", reply.text);
                let lines = show_reply::lines(context, &reply, call.usage);
                for line in &lines {
                    out!("{}", Paint(context.colors).faint(line));
                }
            }
            Some(Err(_)) | None => out!("{}", told_end(context, &call)),
        }
        let refused = show_reply::refusal(context, call.refused);
        for line in &refused {
            out!("{}", Paint(context.colors).yellow(line));
        }
    }
    Ok(())
}

fn reply_json(call: &ModelCallRow<'_>, reply: Option<&Value>) -> Value {
    let fault = match call.ended {
        Some((_, AskOutcome::Failed { fault, .. })) => Some(fault),
        _ => None,
    };
    json!({
        "call": call.number, "stage": call.purpose.stage(), "model": call.model,
        "end": standing(call), "reply": reply, "fault": fault,
        "failed_tries": show_reply::failed_tries_json(reply, call.usage), "refused": call.refused,
    })
}

fn head(context: &CliContext, call: &ModelCallRow<'_>) {
    let ModelCallRow { number, purpose, model, .. } = call;
    out!("{}", Paint(context.colors).bold(&format!("# {number}  {purpose}  {model}")));
}

/// Returns the status of a call as one word.
fn standing(call: &ModelCallRow<'_>) -> &'static str {
    match call.ended {
        None => "under_way",
        Some((_, AskOutcome::Answered { .. })) => "answered",
        Some((_, AskOutcome::Failed { .. })) => "failed",
        Some((_, AskOutcome::Lost)) => "lost",
    }
}

fn told_end(context: &CliContext, call: &ModelCallRow<'_>) -> String {
    match call.ended {
        Some((_, AskOutcome::Failed { fault, .. })) => fault.message(context.lang),
        Some((_, AskOutcome::Lost)) => context.say(
            "lost: praxis stopped before the reply arrived",
            "已丢失：praxis 在收到回复前停止",
        ),
        None | Some((_, AskOutcome::Answered { .. })) => context.say("in progress", "进行中"),
    }
}

/// Prints the cost of each call and the sum.
pub(crate) fn costs(
    context: &CliContext,
    entries: &[Entry],
    state: &State,
) -> Result<(), CommandFailure> {
    let calls = calls(entries);
    if state.goal.is_none() || calls.is_empty() {
        return Err(nobody_asked());
    }
    if !context.json {
        out!("{}", cost_head(context));
    }
    for call in &calls {
        let cost = cost(state, call);
        if context.json {
            out!("{}", call_json(call, cost.as_ref()));
        } else {
            out!("{}", call_line(context, call, cost.as_ref()));
        }
    }
    let all = calls.iter().filter_map(ModelCallRow::ms).sum();
    if context.json {
        out!("{}", sum_json(&state.ledger, all));
    } else {
        let paid = money(&state.ledger.money).unwrap_or_default();
        out!("  Σ  {} · {}  {paid}", tokens(state.ledger.usage, context.lang), span(all));
    }
    Ok(())
}

fn cost_head(context: &CliContext) -> String {
    let left = |en: &str, zh: &str, width| pad(&context.say(en, zh), width);
    let right = |en: &str, zh: &str| {
        let word = context.say(en, zh);
        format!("{}{word}", " ".repeat(8_usize.saturating_sub(width(&word))))
    };
    let (stage, model) = (left("stage", "阶段", 22), left("model", "模型", 14));
    let counts = [right("in", "输入"), right("out", "输出"), right("cached", "缓存")].join(" ");
    let money = context.say("cost", "费用");
    format!("  #  {stage} {model} {counts}  {}  {money}", right("time", "时间"))
}

fn call_json(call: &ModelCallRow<'_>, cost: Option<&Money>) -> Value {
    let TokenUsage { prompt, completion, cached, estimated } = call.usage;
    json!({
        "call": call.number, "stage": call.purpose.stage(), "step": call.purpose.step(),
        "model": call.model, "end": standing(call), "prompt_tokens": prompt,
        "completion_tokens": completion, "cached_tokens": cached, "estimated": estimated,
        "money": cost.map(amount), "ms": call.ms(),
    })
}

fn call_line(context: &CliContext, call: &ModelCallRow<'_>, cost: Option<&Money>) -> String {
    let TokenUsage { prompt, completion, cached, estimated } = call.usage;
    let sent = format!("{}{prompt}", if estimated { "≈" } else { "" });
    let stage = pad(&cut(&call.purpose.to_string(), 22), 22);
    let model = pad(&cut(call.model, 14), 14);
    let (number, time) = (call.number, call.ms().map(span).unwrap_or_default());
    let cost = cost.map(ToString::to_string).unwrap_or_default();
    let is_answered = standing(call) == "answered";
    let end = if is_answered { String::new() } else { format!("  {}", told_end(context, call)) };
    format!(
        "{number:>3}  {stage} {model} {sent:>8} {completion:>8} {cached:>8}  {time:>8}  {cost}{end}"
    )
}

fn sum_json(ledger: &Ledger, ms: u64) -> Value {
    let sum = |(currency, micros): (&String, &u64)| {
        let money = Money { currency: currency.clone(), micros: *micros };
        (currency.clone(), money.amount())
    };
    let sums: BTreeMap<String, String> = ledger.money.iter().map(sum).collect();
    let TokenUsage { prompt, completion, cached, estimated } = ledger.usage;
    json!({
        "sum": true, "calls": ledger.model_calls, "failed": ledger.failed_calls,
        "prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached,
        "estimated": estimated, "money": sums, "ms": ms, "tool_calls": ledger.tool_calls,
        "replans": ledger.replans,
    })
}

fn amount(money: &Money) -> Value {
    json!({"currency": money.currency, "amount": money.amount()})
}

fn cost(state: &State, call: &ModelCallRow<'_>) -> Option<Money> {
    let price = state.goal_spec()?.model_for(call.purpose)?.price.as_ref()?;
    let (ended, _) = call.ended?;
    Some(price.cost_at(&call.usage, ended))
}
