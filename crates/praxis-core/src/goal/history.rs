//! Reads earlier work that a caller hands in as `execution_history`, in `additional_info` or as a document.
//!
//! - in: the [`GoalContext`] of the request
//! - out: the [`EarlierWork`], or every problem with it; `None` if there is no history
//! - never: treats a step without an output as done

use super::spec::{DoneStep, EarlierWork, GoalContext, GoalDocument};
use crate::ids::{StepId, TaskId, ToolId, check_name};
use crate::intake::plan::PlannedStep;
use crate::payload::Payload;
use crate::problem::Problem;
use serde_json::{Map, Value};

/// The key in `additional_info`, or the stem of a document's name, or its `doc_type`.
const NAME: &str = "execution_history";
/// The maximum number of steps that are read.
const MOST_STEPS: usize = 1000;

/// Returns the history that was handed in, if there is one.
pub fn handed(material: &GoalContext) -> Option<Result<EarlierWork, Vec<Problem>>> {
    if let Some(value) = material.additional_info.get(NAME) {
        return Some(read(value));
    }
    let document = material.documents.iter().find(|document| is_history(document))?;
    let Payload::Json(content) = &document.content else { return Some(Err(vec![no_list()])) };
    let text = content.as_str().map(serde_json::from_str::<Value>);
    Some(match text {
        Some(Ok(value)) => read(&value),
        None => read(content),
        Some(Err(error)) => {
            let words = (format!("invalid JSON: {error}"), format!("不是有效的 JSON：{error}"));
            Err(vec![Problem::new("bad_history", NAME, words)])
        }
    })
}

/// Returns true if the `doc_type` or the stem of the file name is `execution_history`.
fn is_history(document: &GoalDocument) -> bool {
    let name = document.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    document.doc_type == NAME || stem == NAME
}

/// Reads a list of steps, or returns every problem with it.
fn read(value: &Value) -> Result<EarlierWork, Vec<Problem>> {
    let text = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let steps = text.as_ref().unwrap_or(value).as_array().ok_or_else(|| vec![no_list()])?;
    if steps.is_empty() {
        let words = ("the list of steps is empty", "步骤列表为空");
        return Err(vec![Problem::new("no_history", NAME, words)]);
    }
    let (mut done, mut undone, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (index, step) in steps.iter().take(MOST_STEPS).enumerate() {
        match one(step) {
            Ok(HistoryStep::Done(step))
                if done.iter().any(|other: &DoneStep| other.id() == step.id()) =>
            {
                problems
                    .push(wrong("step_id", "duplicate step id", "步骤 id 重复").within(&at(index)));
            }
            Ok(HistoryStep::Done(step)) => done.push(*step),
            Ok(HistoryStep::Undone(words)) => undone.push(words),
            Err(problem) => problems.push(problem.within(&at(index))),
        }
    }
    let past =
        EarlierWork { task: TaskId::from(NAME), goal: String::new(), done, undone, strategy: None };
    if problems.is_empty() { Ok(past) } else { Err(problems) }
}

fn at(index: usize) -> String {
    format!("{NAME}[{index}]")
}

enum HistoryStep {
    Done(Box<DoneStep>),
    Undone(String),
}

fn one(value: &Value) -> Result<HistoryStep, Problem> {
    let step = value.as_object().ok_or_else(|| wrong("", "expected an object", "应为对象"))?;
    let (id, name) = (text(step, &["step_id", "id"])?, optional(step, &["step_name", "name"]));
    let tool = text(step, &["tool_id", "tool"])?;
    check_name(&id).map_err(|_| wrong("step_id", "not a valid step id", "不是有效的步骤 id"))?;
    let status = optional(step, &["status"]).to_lowercase();
    let output = step.get("output").filter(|output| !output.is_null());
    let Some(output) = output.filter(|_| is_success(&status)) else {
        if is_success(&status) && !status.is_empty() {
            return Err(wrong(
                "output",
                "a step that succeeded must have an output",
                "成功的步骤必须有输出",
            ));
        }
        let why = optional(step, &["error", "error_message"]);
        return Ok(HistoryStep::Undone(
            format!("{id} {name} ({tool}) {why}").trim_end().to_owned(),
        ));
    };
    let parameters = match step.get("parameters") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(other) => other.clone(),
    };
    if !parameters.is_object() {
        return Err(wrong("parameters", "expected an object", "应为对象"));
    }
    // Text that parses as JSON is taken as the JSON output of its tool.
    let output = output
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_else(|| output.clone());
    let arguments = Payload::json(parameters.clone());
    let step = PlannedStep {
        id: StepId::from(id),
        name,
        tool: ToolId::from(tool),
        parameters,
        depends_on: vec![],
        actions: vec![],
        expected_ms: None,
        node: None,
    };
    Ok(HistoryStep::Done(Box::new(DoneStep {
        step,
        tool: None,
        arguments,
        output: Payload::json(output),
    })))
}

/// Returns true for a status of success. A step without a status succeeded if it has an output.
fn is_success(status: &str) -> bool {
    matches!(status, "" | "success" | "succeeded" | "completed")
}

fn text(step: &Map<String, Value>, keys: &[&str]) -> Result<String, Problem> {
    let found = optional(step, keys);
    let first = keys.first().copied().unwrap_or_default();
    if found.is_empty() {
        Err(wrong(first, "expected a non-empty string", "应为非空字符串"))
    } else {
        Ok(found)
    }
}

fn optional(step: &Map<String, Value>, keys: &[&str]) -> String {
    let found = keys.iter().find_map(|key| step.get(*key)?.as_str());
    found.unwrap_or_default().trim().to_owned()
}

fn wrong(at: &str, en: &str, zh: &str) -> Problem {
    Problem::new("bad_history", at, (en, zh))
}

fn no_list() -> Problem {
    Problem::new("bad_history", NAME, ("expected a list of steps", "应为步骤列表"))
}
