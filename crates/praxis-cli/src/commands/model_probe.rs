//! `praxis model probe`: measures the capabilities of a model with test requests.

use super::model::known;
use crate::context::{CliContext, runtime};
use crate::failure::{CommandFailure, Exit};
use crate::models;
use crate::view::text::{Paint, cut, pad};
use praxis_adapters::model::{CatalogueModels, Grade, ProbeResult, ProbeRow};
use praxis_core::ask::fault::ModelFault;
use praxis_core::problem::{Bilingual, Problem};
use serde_json::json;
use std::process::ExitCode;

/// Column at which the notes start.
const COLUMN: usize = 30;

pub(crate) fn run(context: &CliContext, name: &str) -> Result<ExitCode, CommandFailure> {
    let models = models::models(context)?;
    known(models.catalogue(), name)?;
    // The data folder keeps the measured capability cards.
    context.folder.make()?;
    if !context.json {
        let en = format!("probing {name} with about a dozen small requests …");
        note!("{}", context.say(en, format!("正在用十余个小请求探测 {name} …")));
    }
    let found = runtime()?.block_on(models.probe(name));
    let mut problems = Vec::new();
    for (place, (base_url, outcome)) in found.into_iter().enumerate() {
        match outcome {
            Some(Ok(measured)) => tell(context, &models, name, (place, &base_url, &measured)),
            Some(Err(fault)) => problems.push(problem(&fault, &base_url)),
            None => nothing(context, name, &base_url),
        }
    }
    if problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(CommandFailure { exit: Exit::Unreachable, problems })
}

/// Converts a model fault to a `Problem` at the endpoint.
fn problem(fault: &ModelFault, at: &str) -> Problem {
    let words = Bilingual {
        en: fault.message(praxis_core::lang::Lang::En),
        zh: fault.message(praxis_core::lang::Lang::Zh),
    };
    Problem::new(fault.code(), at, words)
}

fn tell(
    context: &CliContext,
    models: &CatalogueModels,
    name: &str,
    (place, base_url, found): (usize, &str, &ProbeResult),
) {
    let known = models.known(name);
    let card = known.get(place).map(|known| &known.card);
    if context.json {
        let row =
            |row: &ProbeRow| json!({"feature": row.feature, "grade": row.grade, "note": row.note});
        let rows: Vec<_> = found.rows.iter().map(row).collect();
        out!("{}", json!({"model": name, "base_url": base_url, "rows": rows, "card": card}));
        return;
    }
    out!("{name} · {base_url}");
    for row in &found.rows {
        out!("{}", line(context, row));
    }
    if let Some(card) = card {
        let rung = card.rung.word();
        out!(
            "{}",
            context.say(
                format!("JSON is requested with {rung}"),
                format!("将用 {rung} 方式让模型输出 JSON")
            )
        );
    }
}

fn line(context: &CliContext, row: &ProbeRow) -> String {
    let paint = Paint(context.colors);
    let mark = match row.grade {
        Grade::Yes => paint.green("✔"),
        Grade::No if row.feature.is_optional() => paint.faint("–"),
        Grade::No | Grade::Partly => paint.yellow("!"),
        Grade::Unknown => paint.yellow("?"),
    };
    let what = row.feature.words();
    let shown = pad(what.tell(context.lang), COLUMN);
    format!("{mark} {shown} {}", cut(&row.note, 60)).trim_end().to_owned()
}

fn nothing(context: &CliContext, name: &str, base_url: &str) {
    if context.json {
        out!("{}", json!({"model": name, "base_url": base_url, "rows": []}));
        return;
    }
    let en = "not probed: this is a gateway, which handles the models behind it";
    let zh = "未探测：这是网关，后端模型由它处理";
    out!("{name} · {base_url}: {}", context.say(en, zh));
}
