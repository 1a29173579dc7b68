//! Status of a model as another process can know it: its limits and the last result of each endpoint.
//!
//! - in: the catalogue, and the capability cards that model calls leave on disk
//! - out: lines for people, JSON for programs
//! - never: shows a queue, which only the process that waits in it knows

use crate::context::CliContext;
use praxis_adapters::model::{CatalogueEntry, EndpointKnowledge, EndpointLimits, LastRequest};
use serde_json::{Value, json};

/// One line of the status.
pub(super) struct StandingLine {
    /// The text.
    pub(super) words: String,
    /// True if the last request failed.
    pub(super) is_ill: bool,
}

/// Returns the limits of a model, if any, and the last result of each endpoint that was ever asked.
pub(super) fn standing(
    context: &CliContext,
    entry: &CatalogueEntry,
    known: &[EndpointKnowledge],
) -> Vec<StandingLine> {
    let limits = limits(context, entry.limits).map(|words| StandingLine { words, is_ill: false });
    let ends = known.iter().filter_map(|known| {
        let last = known.last.as_ref()?;
        let words = format!("{}: {}", known.base_url, told(context, last));
        Some(StandingLine { words, is_ill: last.fault.is_some() })
    });
    limits.into_iter().chain(ends).collect()
}

/// Returns the last result of each endpoint as JSON.
pub(super) fn endpoints_json(known: &[EndpointKnowledge]) -> Value {
    let end = |known: &EndpointKnowledge| json!({"base_url": known.base_url, "last": known.last});
    known.iter().map(end).collect()
}

fn limits(context: &CliContext, limits: EndpointLimits) -> Option<String> {
    let requests = limits.requests_per_minute.map(|most| {
        context.say(format!("{most} requests per minute"), format!("每分钟 {most} 次请求"))
    });
    let tokens = limits.tokens_per_minute.map(|most| {
        context.say(format!("{most} tokens per minute"), format!("每分钟 {most} token"))
    });
    let at_once = limits.in_flight.map(|most| {
        context.say(format!("{most} concurrent requests"), format!("并发 {most} 个请求"))
    });
    let all: Vec<String> = requests.into_iter().chain(tokens).chain(at_once).collect();
    let (en, zh) = (format!("limits: {}", all.join(", ")), format!("限额：{}", all.join("，")));
    (!all.is_empty()).then(|| context.say(en, zh))
}

fn told(context: &CliContext, last: &LastRequest) -> String {
    let at = last.at;
    let Some(fault) = &last.fault else {
        return context.say(
            format!("last request answered at {at}"),
            format!("最近一次请求于 {at} 得到回答"),
        );
    };
    let (en, zh) = match last.failures {
        0 | 1 => (String::new(), String::new()),
        many => (format!(", {many} failures in a row"), format!("，连续失败 {many} 次")),
    };
    let rests = last.rests_until.map(|until| {
        (
            format!("; the endpoint asked to wait until {until}"),
            format!("；接口要求在 {until} 之前不再请求"),
        )
    });
    let (rests, rests_zh) = rests.unwrap_or_default();
    context.say(
        format!("last request failed at {at}: {fault}{en}{rests}"),
        format!("最近一次请求于 {at} 失败：{fault}{zh}{rests_zh}"),
    )
}
