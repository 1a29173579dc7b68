//! Recorded calls of tau-bench (a shop and an airline); `lifted` lists the arguments that come from an earlier
//! result.

use super::case::{DeclaredFunction, ExpectedCall, GoalCase, answer, manifest};
use super::written::literal;
use crate::cases::rows;
use crate::dataflow::placeholder;
use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct TauRecord {
    id: String,
    instruction: String,
    steps: Vec<TauAction>,
}

#[derive(Deserialize)]
struct TauAction {
    tool: String,
    args: Value,
    #[serde(default)]
    lifted: BTreeMap<String, String>,
    result: Value,
}

#[derive(Deserialize)]
struct Offer {
    function: DeclaredFunction,
}

/// Reads all cases of a folder.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<GoalCase>> {
    let file = folder.join("tools.json");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let offers: BTreeMap<String, Vec<Offer>> = serde_json::from_str(&text)?;
    let case = |row: TauRecord| {
        let domain = row.id.split('-').next().unwrap_or_default();
        let offers = offers.get(domain).map_or(&[][..], Vec::as_slice);
        let tools = offers.iter().map(|offer| &offer.function);
        let tools = tools.map(|f| manifest(&f.name, &f.description, &f.parameters)).collect();
        let calls = row.steps.into_iter().enumerate().map(|(at, step)| gold(at, step)).collect();
        GoalCase { id: row.id, goal: row.instruction, tools, calls }
    };
    Ok(rows(folder, "")?.into_iter().map(case).collect())
}

fn gold(at: usize, step: TauAction) -> ExpectedCall {
    let mut parameters = literal(&step.args);
    for (name, source) in &step.lifted {
        let mut parts = source.split('.');
        let producer = parts.next().unwrap_or_default().replace("step_", "call_");
        let path: Vec<String> = parts.map(str::to_owned).collect();
        if let Some(place) = parameters.get_mut(name) {
            *place = Value::from(placeholder(&producer, &path));
        }
    }
    let needs = at.checked_sub(1).into_iter().collect();
    ExpectedCall {
        tool: step.tool,
        arguments: step.args,
        parameters,
        needs,
        answer: answer(step.result),
    }
}
