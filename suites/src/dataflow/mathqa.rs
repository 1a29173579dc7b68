//! `MathQA`: arithmetic plans with operators as tools, and `#k` as a reference to step `k`.

use super::case::{DeclaredTool, GoldPlan, GoldStep, ToolAnswer};
use super::operators::{Num, apply};
use super::reference::{ReferencePiece, expected, translate};
use crate::cases::rows;
use anyhow::Context;
use praxis_core::fault::Fault;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

#[derive(Deserialize)]
struct MathQaRecord {
    id: String,
    numbers: Vec<f64>,
    steps: Vec<RowStep>,
    r#final: Value,
}

#[derive(Deserialize)]
struct RowStep {
    op: String,
    args: Vec<String>,
    result: Value,
}

#[derive(Deserialize)]
struct Operators {
    operators: Vec<MathQaOperator>,
}

#[derive(Deserialize)]
struct MathQaOperator {
    op: String,
    arity: usize,
}

/// Reads the plans of a folder.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<GoldPlan>> {
    let text = std::fs::read_to_string(folder.join("operators.json"))?;
    let listed: Operators = serde_json::from_str(&text)?;
    let arity = listed.operators.into_iter().map(|operator| (operator.op, operator.arity));
    let arity: BTreeMap<String, usize> = arity.collect();
    rows(folder, "")?.into_iter().map(|row| case(row, &arity)).collect()
}

/// Returns an answer function that computes the operators.
pub(crate) fn answer(case: &GoldPlan) -> ToolAnswer {
    let tools = case.steps.iter().map(|step| (step.id.clone(), step.tool.clone()));
    let tools: BTreeMap<String, String> = tools.collect();
    Arc::new(move |call| {
        let tool = tools.get(call.step.as_str()).map(String::as_str).unwrap_or_default();
        let operands = NAMES.iter().map_while(|name| call.arguments.get(*name));
        let operands: Option<Vec<Num>> = operands.map(Num::read).collect();
        let result = operands.and_then(|operands| apply(tool, &operands));
        let failed = || Fault::ToolFailed {
            tool: tool.into(),
            message: format!("no result for {}", call.arguments),
            message_zh: String::new(),
            retryable: false,
            retry_after_ms: None,
        };
        result.map(|result| json!({"result": result.write()})).ok_or_else(failed)
    })
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn case(row: MathQaRecord, arity: &BTreeMap<String, usize>) -> anyhow::Result<GoldPlan> {
    let cut = |text: &str| match text.strip_prefix('#') {
        Some(k) => {
            vec![ReferencePiece::Read {
                step: format!("step_{k}"),
                path: vec!["result".to_owned()],
            }]
        }
        None => vec![ReferencePiece::Text(text.to_owned())],
    };
    let outputs = row.steps.iter().enumerate();
    let outputs: BTreeMap<String, Value> =
        outputs.map(|(k, step)| (format!("step_{k}"), json!({"result": step.result}))).collect();
    let mut steps = Vec::new();
    for (k, step) in row.steps.iter().enumerate() {
        let named = NAMES.iter().zip(&step.args);
        let arguments = named
            .map(|(name, written)| Ok(((*name).to_owned(), operand(written, &row.numbers)?)))
            .collect::<anyhow::Result<Map<String, Value>>>()
            .with_context(|| row.id.clone())?;
        let (parameters, reads) = translate(&arguments, &cut);
        let id = format!("step_{k}");
        steps.push(GoldStep {
            tool: step.op.clone(),
            parameters,
            reads,
            arguments: expected(&Value::Object(arguments), &cut, &outputs),
            output: outputs.get(&id).cloned().unwrap_or_default(),
            id,
        });
    }
    let used: BTreeSet<&str> = row.steps.iter().map(|step| step.op.as_str()).collect();
    let tools = used.into_iter().filter_map(|op| Some(tool(op, *arity.get(op)?))).collect();
    let answer = Some(json!({"result": row.r#final}));
    Ok(GoldPlan { id: row.id, steps, tools, answer, contradictions: BTreeSet::new() })
}

/// Resolves `n0` and `const_0_25` to a number; keeps `#1` as a reference.
fn operand(written: &str, numbers: &[f64]) -> anyhow::Result<Value> {
    let number = if written.starts_with('#') {
        return Ok(json!(written));
    } else if let Some(name) = written.strip_prefix("const_") {
        match name {
            "pi" => std::f64::consts::PI,
            "deg_to_rad" => std::f64::consts::PI / 180.0,
            digits => digits.replacen('_', ".", 1).parse()?,
        }
    } else {
        let index: usize = written.strip_prefix('n').unwrap_or(written).parse()?;
        *numbers.get(index).with_context(|| format!("no number {written}"))?
    };
    Ok(json!(number))
}

fn tool(op: &str, arity: usize) -> DeclaredTool {
    let names: Vec<&str> = NAMES.into_iter().take(arity).collect();
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "number"}))).collect();
    let result = json!({"result": {"type": "number"}});
    DeclaredTool {
        id: op.to_owned(),
        input_schema: json!({"type": "object", "properties": properties, "required": names}),
        output_schema: json!({"type": "object", "properties": result, "required": ["result"]}),
    }
}
