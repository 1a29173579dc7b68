//! Reads one model of `models.toml`.

use super::catalogue::{CatalogueEntry, ModelEndpoint, OFFLINE};
use super::endpoint::CallBounds;
use super::fields::TableFields;
use super::limits::EndpointLimits;
use super::presets::{Preset, presets};
use super::vocabulary::Vocabulary;
use praxis_core::ask::price::{OffPeak, Price, TokenPrices, is_currency};
use praxis_core::near::near;
use praxis_core::problem::{Bilingual, Problem};
use serde_json::{Map, Value as Json};
use toml::{Table, Value};

/// The maximum length of a model's name.
const MAX_NAME_LENGTH: usize = 64;
/// The upper limit for numbers of tokens and requests.
const MOST: u64 = 1_000_000_000;
/// The prefix of a reference to a secret.
const SECRET: &str = "secret:";
/// Request fields that only Praxis sets.
const OURS: [&str; 7] =
    ["model", "messages", "stream", "stream_options", "tools", "tool_choice", "response_format"];

/// Reads a model. Returns `None` if it has problems, which are added to `above`.
pub(super) fn read(
    name: &str,
    table: Table,
    above: &mut TableFields<'_>,
) -> Option<CatalogueEntry> {
    let before = above.count();
    let mut fields = above.inside(&format!("models.{name}"), table);
    if !is_name(name) {
        fields.wrong("", name_words());
    }
    let preset = preset(&mut fields);
    let known = preset.as_ref().map(|(_, preset)| *preset);
    let is_named = fields.holds("model");
    let model = fields.text("model").or_else(|| known?.model.clone());
    if model.is_none() && !is_named {
        fields.wrong(
            "model",
            (
                "missing; give the name that the endpoint uses for the model",
                "缺失；请填写接口使用的模型名",
            ),
        );
    }
    let entry = CatalogueEntry {
        endpoints: endpoints(&mut fields, known),
        context: fields.whole("context", 256..=MOST).or_else(|| known?.context),
        max_output: fields.whole("max_output", 1..=MOST),
        bounds: bounds(&mut fields),
        price: price(&mut fields),
        limits: limits(&mut fields),
        vocabulary: fields
            .word("vocabulary", &Vocabulary::WORDS)
            .or_else(|| known.map(|preset| preset.vocabulary))
            .unwrap_or_default(),
        card: known.map(Preset::card).unwrap_or_default(),
        extra: extra(&mut fields),
        at: fields.at(),
        preset: preset.map(|(name, _)| name),
        model: model.unwrap_or_default(),
    };
    fields.end();
    (above.count() == before).then_some(entry)
}

/// Returns true if a text is a valid model name.
pub fn is_name(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && name.len() <= MAX_NAME_LENGTH && name.chars().all(fine) && name != OFFLINE
}

/// Describes a valid model name.
pub fn name_words() -> Bilingual {
    let en = format!(
        "a model name may contain only letters, digits, `_`, `-` and `.`, at most {MAX_NAME_LENGTH} characters, and must not be `{OFFLINE}`"
    );
    let zh = format!(
        "模型名只能包含字母、数字、`_`、`-` 和 `.`，最长 {MAX_NAME_LENGTH} 个字符，且不能是 `{OFFLINE}`"
    );
    Bilingual::from((en, zh))
}

fn preset(fields: &mut TableFields<'_>) -> Option<(String, &'static Preset)> {
    let name = fields.text("preset")?;
    let Some(preset) = presets().get(&name) else {
        fields.add("preset", |at| unknown_preset(&name, at));
        return None;
    };
    Some((name, preset))
}

/// Creates the problem for an unknown preset.
pub fn unknown_preset(name: &str, at: &str) -> Problem {
    let words = (format!("unknown preset `{name}`"), format!("未知的预设 `{name}`"));
    let names = near(name, presets().keys().map(String::as_str));
    let problem = Problem::new("unknown_preset", at, words);
    if !names.is_empty() {
        return problem.or_near(&names);
    }
    let all = presets().keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    problem.next((format!("available presets: {all}"), format!("可用的预设：{all}")))
}

fn endpoints(fields: &mut TableFields<'_>, preset: Option<&Preset>) -> Vec<ModelEndpoint> {
    let base_url = fields.text("base_url");
    let listed = fields.value("endpoints");
    let usual = || Some(format!("{SECRET}{}", preset?.key.as_ref()?));
    let key = fields.text("key").or_else(usual);
    let key = key.and_then(|key| secret(fields, "key", &key));
    let urls = match (base_url, listed) {
        (Some(url), None) => vec![url],
        (None, None) => preset.map(|preset| preset.base_url.clone()).into_iter().collect(),
        (base_url, Some(listed)) => {
            if base_url.is_some() {
                let words = (
                    "give `endpoints` or `base_url`, not both",
                    "`endpoints` 与 `base_url` 只能写一个",
                );
                fields.wrong("base_url", words);
            }
            urls(fields, &listed)
        }
    };
    if urls.is_empty() {
        let words = ("missing; give the URL of the endpoint", "缺失；请填写接口的 URL");
        fields.wrong("base_url", words);
    }
    for url in urls.iter().filter(|url| !is_address(url)) {
        let en = format!(
            "`{url}` is not a valid URL; write one such as `https://host/v1` or `grpc://host:port`"
        );
        let zh = format!(
            "`{url}` 不是有效的 URL；请写成 `https://host/v1` 或 `grpc://host:port` 的形式"
        );
        fields.wrong("base_url", (en, zh));
    }
    let place = |url: String| ModelEndpoint {
        base_url: url.trim_end_matches('/').to_owned(),
        key: key.clone(),
    };
    urls.into_iter().map(place).collect()
}

fn urls(fields: &mut TableFields<'_>, listed: &Value) -> Vec<String> {
    let texts = listed.as_array().map(|listed| listed.iter().map(Value::as_str));
    let urls: Option<Vec<&str>> = texts.and_then(Iterator::collect);
    let urls = urls.filter(|urls| !urls.is_empty());
    if urls.is_none() {
        let words = ("expected a non-empty list of URLs", "应为非空的 URL 列表");
        fields.wrong("endpoints", words);
    }
    urls.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Returns true if a text is a usable URL. User info is rejected: a password would be a key in plain text.
fn is_address(url: &str) -> bool {
    let rest =
        ["https://", "http://", "grpc://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Returns the name of a secret. A key in plain text is rejected and not repeated in the message.
fn secret(fields: &mut TableFields<'_>, key: &str, written: &str) -> Option<String> {
    let name = written.strip_prefix(SECRET);
    let fine = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let name = name.filter(fine).map(str::to_owned);
    if name.is_none() {
        fields.add(key, plain_key);
    }
    name
}

/// Creates the problem for a key in plain text.
pub fn plain_key(at: &str) -> Problem {
    let words = (
        "the key must be a reference such as `secret:NAME`, not plain text",
        "密钥必须写成引用，如 `secret:NAME`，不能写明文",
    );
    Problem::new("plain_key", at, words)
}

fn bounds(fields: &mut TableFields<'_>) -> CallBounds {
    let mut bounds = CallBounds::default();
    if let Some(retries) = fields.whole("retries", 0..=20) {
        bounds.tries = u32::try_from(retries).unwrap_or(20) + 1;
    }
    if let Some(mut timeouts) = fields.table("timeouts") {
        bounds.first_ms = timeouts.span("first").unwrap_or(bounds.first_ms);
        bounds.silence_ms = timeouts.span("silence").unwrap_or(bounds.silence_ms);
        bounds.total_ms = timeouts.span("total").unwrap_or(bounds.total_ms);
        timeouts.end();
    }
    bounds
}

fn limits(fields: &mut TableFields<'_>) -> EndpointLimits {
    let Some(mut limits) = fields.table("limits") else { return EndpointLimits::default() };
    let read = EndpointLimits {
        requests_per_minute: limits.whole("requests_per_minute", 1..=MOST),
        tokens_per_minute: limits.whole("tokens_per_minute", 1..=MOST),
        in_flight: limits.whole("in_flight", 1..=MOST),
    };
    limits.end();
    read
}

fn price(fields: &mut TableFields<'_>) -> Option<Price> {
    let mut table = fields.table("price")?;
    let currency = table.text("currency");
    if !currency.as_deref().is_some_and(is_currency) {
        let words = (
            "expected a three-letter currency code such as `CNY`",
            "应为三个字母的货币代码，如 `CNY`",
        );
        table.wrong("currency", words);
    }
    let rates = rates(&mut table);
    let per = table.whole("per", 1..=MOST).unwrap_or(1_000_000);
    let off_peak = off_peak(&mut table);
    table.end();
    Some(Price { currency: currency?, per, rates: rates?, off_peak })
}

fn rates(table: &mut TableFields<'_>) -> Option<TokenPrices> {
    for key in ["input", "output"] {
        if !table.holds(key) {
            table.wrong(key, ("missing", "缺失"));
        }
    }
    let (input, output) = (table.rate("input"), table.rate("output"));
    let cached = table.rate("cached");
    Some(TokenPrices { input: input?, output: output?, cached })
}

fn off_peak(table: &mut TableFields<'_>) -> Option<OffPeak> {
    let mut table = table.table("off_peak")?;
    let rates = rates(&mut table);
    let (from, to) = (table.minute("from"), table.minute("to"));
    let zone = table.zone("zone");
    table.end();
    let utc = |minute: u16| u16::try_from((i32::from(minute) - zone).rem_euclid(24 * 60)).ok();
    Some(OffPeak { from: utc(from?)?, to: utc(to?)?, rates: rates? })
}

fn extra(fields: &mut TableFields<'_>) -> Map<String, Json> {
    let Some(value) = fields.value("extra") else { return Map::new() };
    let Some(Json::Object(extra)) = serde_json::to_value(&value).ok() else {
        fields.wrong("extra", ("expected a table", "应为 TOML 表"));
        return Map::new();
    };
    for key in OURS.iter().filter(|key| extra.contains_key(**key)) {
        let (en, zh) = (
            format!("`{key}` is set by Praxis; remove it here"),
            format!("`{key}` 由 Praxis 设置；请从此处去掉"),
        );
        fields.wrong("extra", (en, zh));
    }
    extra
}
