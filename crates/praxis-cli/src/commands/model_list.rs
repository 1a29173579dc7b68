//! `praxis model list` and `praxis model report`.

use super::model_standing::{endpoints_json, standing};
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::models;
use crate::view::text::{Paint, counted, pad, width};
use praxis_adapters::model::{
    CallCounts, CatalogueEntry, CatalogueModels, EndpointKnowledge, ROLES, Vocabulary,
};
use praxis_core::ask::price::Price;
use praxis_core::ask::reply::TokenUsage;
use serde_json::{Value, json};
use std::process::ExitCode;

pub(crate) fn list(context: &CliContext) -> Result<ExitCode, CommandFailure> {
    let models = models::models(context)?;
    let all = &models.catalogue().models;
    if all.is_empty() {
        return Ok(none(context));
    }
    if context.json {
        for (name, entry) in all {
            out!("{}", row_json(context, &models, name, entry));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<[String; 5]> =
        all.iter().map(|(name, entry)| row(context, &models, name, entry)).collect();
    for ((name, entry), line) in all.iter().zip(aligned(&rows)) {
        out!("{line}");
        print_standing(context, entry, &models.known(name));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_standing(context: &CliContext, entry: &CatalogueEntry, known: &[EndpointKnowledge]) {
    let paint = Paint(context.colors);
    for line in standing(context, entry, known) {
        out!(
            "  {}",
            if line.is_ill { paint.yellow(&line.words) } else { paint.faint(&line.words) }
        );
    }
}

fn none(context: &CliContext) -> ExitCode {
    let en = "no models configured; add one with `praxis model add NAME --preset P --model M`";
    let zh = "尚未配置模型；用 `praxis model add NAME --preset P --model M` 添加";
    note!("{}", context.say(en, zh));
    ExitCode::SUCCESS
}

fn roles(models: &CatalogueModels, name: &str) -> Vec<&'static str> {
    let named = &models.catalogue().roles;
    let is_its = |role: &&str| named.get(*role).is_some_and(|model| model == name);
    ROLES.into_iter().filter(is_its).collect()
}

fn row(
    context: &CliContext,
    models: &CatalogueModels,
    name: &str,
    entry: &CatalogueEntry,
) -> [String; 5] {
    let paint = Paint(context.colors);
    let from = entry.preset.clone().or_else(|| Some(entry.endpoints.first()?.base_url.clone()));
    let more = entry.endpoints.len().saturating_sub(1);
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    let price = entry.price.as_ref().map(|price| price_words(context, price));
    let price = price.unwrap_or_else(|| context.say("no price", "无价格"));
    let key = entry.endpoints.first().and_then(|place| place.key.as_deref());
    let key = match key {
        None => context.say("no key", "无密钥"),
        Some(key) if context.has_secret(key) => format!("{} {key}", paint.green("✔")),
        Some(key) => {
            let words = context.say("not set", "未设置");
            format!("{} {key} ({words})", paint.yellow("!"))
        }
    };
    let what = format!("{} ({}{more})", entry.model, from.unwrap_or_default());
    [name.to_owned(), what, roles(models, name).join(","), price, key]
}

/// Formats the price of a model: `CNY 2 in, 8 out, 0.5 cached per 1M tokens`.
pub(crate) fn price_words(context: &CliContext, price: &Price) -> String {
    let rates = &price.rates;
    let per = if price.per == 1_000_000 { "1M".to_owned() } else { price.per.to_string() };
    let cached =
        rates.cached.map(|cached| (format!(", {cached} cached"), format!("，缓存 {cached}")));
    let (cached, cached_zh) = cached.unwrap_or_default();
    let (currency, input, output) = (&price.currency, rates.input, rates.output);
    let off_peak = price.off_peak.as_ref().map(|off_peak| off_peak.rates);
    let off_peak = off_peak.map(|off_peak| {
        let (input, output) = (off_peak.input, off_peak.output);
        (format!(", off-peak {input}/{output}"), format!("，低谷 {input}/{output}"))
    });
    let (other, other_zh) = off_peak.unwrap_or_default();
    context.say(
        format!("{currency} {input} in, {output} out{cached}{other} per {per} tokens"),
        format!("{currency} 每 {per} token 输入 {input}，输出 {output}{cached_zh}{other_zh}"),
    )
}

fn aligned(rows: &[[String; 5]]) -> Vec<String> {
    let widths: Vec<usize> = (0..4)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &[String; 5]| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            widths.get(column).map_or_else(|| cell.clone(), |width| pad(cell, width + 2))
        });
        cells.collect::<String>()
    };
    rows.iter().map(line).collect()
}

fn row_json(
    context: &CliContext,
    models: &CatalogueModels,
    name: &str,
    entry: &CatalogueEntry,
) -> Value {
    let known = models.known(name);
    let places = entry.endpoints.iter().zip(&known).map(|(place, known)| {
        let is_set = place.key.as_deref().map(|key| context.has_secret(key));
        json!({
            "base_url": place.base_url, "key": place.key, "key_is_set": is_set,
            "card": known.card, "is_probed": known.measured.is_some(), "last": known.last,
        })
    });
    let vocabulary = Vocabulary::WORDS.iter().find(|(_, it)| *it == entry.vocabulary);
    json!({
        "name": name,
        "model": entry.model,
        "preset": entry.preset,
        "endpoints": places.collect::<Vec<_>>(),
        "roles": roles(models, name),
        "context": entry.context,
        "max_output": entry.max_output,
        "price": entry.price,
        "limits": entry.limits,
        "vocabulary": vocabulary.map(|(word, _)| *word),
        "at": entry.at,
    })
}

pub(crate) fn report(context: &CliContext) -> Result<ExitCode, CommandFailure> {
    let models = models::models(context)?;
    let all = &models.catalogue().models;
    if all.is_empty() {
        return Ok(none(context));
    }
    for (name, entry) in all {
        let known = models.known(name);
        let counts = known.iter().fold(CallCounts::default(), |sum, it| sum.plus(&it.counts));
        if context.json {
            out!("{}", report_json(name, entry, &counts, &known));
        } else {
            print_report(context, name, entry, &counts);
            print_standing(context, entry, &known);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn usage(counts: &CallCounts) -> TokenUsage {
    let CallCounts { prompt, completion, cached, .. } = *counts;
    TokenUsage { prompt, completion, cached, estimated: false }
}

fn report_json(
    name: &str,
    entry: &CatalogueEntry,
    counts: &CallCounts,
    known: &[EndpointKnowledge],
) -> Value {
    let cost = entry.price.as_ref().map(|price| price.cost(&usage(counts)));
    json!({
        "name": name, "model": entry.model, "counts": counts, "cost": cost,
        "limits": entry.limits, "endpoints": endpoints_json(known),
    })
}

fn many(count: u64, one: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), one)
}

fn print_report(context: &CliContext, name: &str, entry: &CatalogueEntry, counts: &CallCounts) {
    if counts.requests == 0 {
        out!("{}", context.say(format!("{name}: no requests yet"), format!("{name}：尚无请求")));
        return;
    }
    let share = counts.repaired * 100 / counts.answered.max(1);
    let tenths = counts.requests.saturating_sub(counts.answered) * 10 / counts.answered.max(1);
    let again = format!("{}.{}", tenths / 10, tenths % 10);
    let (requests, answered) = (counts.requests, counts.answered);
    let (to, from) = (many(requests, "request"), many(answered, "answer"));
    out!(
        "{}",
        context.say(
            format!(
                "{name}: {from} from {to}, {share}% needed repair, {again} extra requests per answer"
            ),
            format!(
                "{name}：{requests} 次请求得到 {answered} 个回答，{share}% 需要修复，平均每个回答多请求 {again} 次"
            ),
        )
    );
    let cost = entry.price.as_ref().map(|price| format!(", {}", price.cost(&usage(counts))));
    let (sent, received, cost) = (counts.prompt, counts.completion, cost.unwrap_or_default());
    out!(
        "  {}",
        context.say(
            format!(
                "{sent} tokens sent, {} of them cached, {received} received{cost}",
                counts.cached
            ),
            format!("发送 {sent} token，其中 {} 命中缓存，接收 {received}{cost}", counts.cached),
        )
    );
    for (code, count) in &counts.faults {
        out!("  {count} × {code}");
    }
    if counts.heads_lost > 0 {
        let lost = counts.heads_lost;
        let en = format!(
            "{} may have been truncated at the start: raise the server's context window and the `context` setting",
            many(lost, "prompt")
        );
        let zh =
            format!("{lost} 个提示词的开头可能被截断：请调大服务端的上下文窗口和 `context` 设置");
        let mark = Paint(context.colors).yellow("!");
        out!("  {mark} {}", context.say(en, zh));
    }
}
