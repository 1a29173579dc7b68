//! NESTFUL plans without results, as goals. The call that only collects results is left out, as it is no tool call.

use super::case::{ExpectedCall, GoalCase, reads};
use super::offered::{Catalog, lengthen_all};
use super::pace::RESULT_TOKENS;
use crate::cases::{files, rows};
use crate::dataflow::{Planned, planned};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const COLLECT: &str = "var_result";

/// Reads the cases whose id starts with `kind`.
pub(crate) fn cases(folder: &Path, kind: &str) -> anyhow::Result<Vec<GoalCase>> {
    let mut words: BTreeMap<String, Value> = BTreeMap::new();
    for file in files(folder, "", "-spec.json")? {
        let listed: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
        for spec in listed {
            let name = spec.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            words.insert(name, spec);
        }
    }
    let requests: Vec<Value> = rows(folder, "v1_")?;
    let text = |row: &Value, key: &str| {
        row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let requests: BTreeMap<String, String> =
        requests.iter().map(|row| (text(row, "id"), text(row, "input"))).collect();
    let all = planned(folder)?;
    let own: Vec<Planned> = all.into_iter().filter(|case| case.id.starts_with(kind)).collect();
    let mut tools = BTreeMap::new();
    for tool in own.iter().flat_map(|case| &case.tools).filter(|tool| tool.id != COLLECT) {
        tools.insert(tool.id.clone(), manifest(tool, words.get(&tool.id)));
    }
    let catalog = Catalog::new(tools);
    let good = own.into_iter().filter(|case| case.contradictions.is_empty());
    let goal = |id: &str| requests.get(id).cloned().unwrap_or_default();
    let cases = good.map(|row| GoalCase { goal: goal(&row.id), ..case(row, &catalog) });
    Ok(cases.filter(|case| case.calls.len() > 1 && is_declared(case)).collect())
}

/// Returns true if every argument is declared by its tool. The engine corrects a name that differs only in case or
/// separators, so such a call would no longer match the expected one.
fn is_declared(case: &GoalCase) -> bool {
    let names = |tool: &str| {
        let own = case.tools.iter().find(|one| one.get("id") == Some(&json!(tool)));
        own.and_then(|tool| tool.pointer("/input_schema/properties")?.as_object())
    };
    case.calls.iter().all(|call| {
        let mut given = call.arguments.as_object().into_iter().flatten();
        names(&call.tool).is_some_and(|names| given.all(|(name, _)| names.contains_key(name)))
    })
}

fn manifest(tool: &crate::dataflow::DeclaredTool, spec: Option<&Value>) -> Value {
    let said = |value: Option<&Value>| {
        value.and_then(|v| v.get("description")).cloned().unwrap_or(json!(""))
    };
    let mut input = tool.input_schema.clone();
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        for (name, property) in properties {
            let kinds = ["parameters", "query_parameters", "path_parameters", "arguments"];
            let declared = kinds.iter().find_map(|kind| {
                let listed = spec?.get(kind)?;
                listed.get(name).or_else(|| listed.get("properties")?.get(name))
            });
            if let (Value::Object(property), Some(Value::String(text))) =
                (property, declared.and_then(|declared| declared.get("description")))
            {
                property.insert("description".to_owned(), json!(text));
            }
        }
    }
    json!({"id": tool.id, "description": said(spec), "idempotent": true, "input_schema": input,
        "risk": if reads(&tool.id) { "read" } else { "write" }, "output_schema": tool.output_schema})
}

fn case(row: Planned, catalog: &Catalog) -> GoalCase {
    let steps: Vec<_> = row.steps.into_iter().filter(|step| step.tool != COLLECT).collect();
    let places: BTreeMap<String, usize> =
        steps.iter().enumerate().map(|(at, step)| (step.id.clone(), at)).collect();
    let calls = steps.into_iter().map(|step| {
        let mut needs: Vec<usize> =
            step.reads.iter().filter_map(|read| places.get(&read.producer).copied()).collect();
        needs.sort_unstable();
        needs.dedup();
        let parameters = renamed(&Value::Object(step.parameters), &places);
        let answer = Ok(step.output);
        ExpectedCall { tool: step.tool, arguments: step.arguments, parameters, needs, answer }
    });
    let mut calls: Vec<ExpectedCall> = calls.collect();
    lengthen_all(&mut calls, RESULT_TOKENS);
    let tools = catalog.offer(&row.id, &calls);
    GoalCase { goal: String::new(), id: row.id, tools, calls }
}

/// Replaces the labels of the data by `call_N`.
fn renamed(value: &Value, places: &BTreeMap<String, usize>) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            for (label, at) in places {
                text = text.replace(&format!("{{{{{label}."), &format!("{{{{call_{at}."));
            }
            Value::from(text)
        }
        Value::Array(items) => items.iter().map(|item| renamed(item, places)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, item)| (key.clone(), renamed(item, places))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
