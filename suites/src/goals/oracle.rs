//! The oracle model: builds the right answer to a request from the expected calls of a `GoalCase`.
//!
//! - in: a case and a request as the engine made it
//! - out: the answer of a model that knows the expected calls, in the schema of the request's stage
//! - never: keeps state between requests; everything it knows about the task is read from the prompt

use super::case::{ExpectedCall, GoalCase};
use super::offered::LONG;
use super::pace::ANSWER_TOKENS;
use super::react::words;
use super::told::{OracleView, name};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the right answer for the stage of a request.
pub fn answer(case: &GoalCase, told: &OracleView) -> Value {
    match told.stage.as_str() {
        "selection" => selection(case),
        "planning" | "continue_planning" => {
            json!({"plan_description": "the right calls", "steps": plan(case, told)})
        }
        "replanning" => {
            let steps = plan(case, told);
            json!({"done": steps.is_empty(), "steps": steps})
        }
        "reflection_step" => reflection(case, told),
        "reflection_overall" => {
            let again = !missing(case, told).is_empty();
            json!({"should_replan": again, "root_causes": ["a call is missing"],
                "replanning_strategy": {"type": "full_replan"}})
        }
        "single_step_repair" => match told.about.as_ref().and_then(|(at, _)| case.calls.get(*at)) {
            Some(call) => json!({"no_new_idea": false, "step": {"step_name": "the right call",
                "tool": call.tool, "parameters": literal(call)}}),
            None => json!({"no_new_idea": true}),
        },
        "parameter_inference" => {
            let call = told.about.as_ref().and_then(|(at, _)| case.calls.get(*at));
            json!({"parameters": call.map_or(json!({}), |call| call.arguments.clone())})
        }
        "evaluation" => evaluation(case, told),
        "ai_reporter" => json!({"answer": "done"}),
        _ => json!({"task_completion": 90, "execution_efficiency": 80, "tool_usage": 80,
            "category": "solving_ideas", "intention": "as asked", "task": "as asked",
            "experience": "make the right calls", "quick_summary": "done"}),
    }
}

/// Selects the tools of the expected calls; rejects a goal that needs no calls.
fn selection(case: &GoalCase) -> Value {
    let nothing = case.calls.is_empty();
    json!({"should_reject": nothing, "reject_reason": if nothing { "nothing is to be done" } else { "" },
        "similarity_score": 95, "task_type": "recorded", "selected_tool_ids": case.right_tools()})
}

/// Returns the indexes of the expected calls that were not made. A call that is recorded as failing needs only one
/// try.
pub fn missing(case: &GoalCase, told: &OracleView) -> Vec<usize> {
    let open = |(at, call): (usize, &ExpectedCall)| {
        let tried = call.fails() && told.failed.contains(&at);
        (!told.done.contains_key(&at) && !tried).then_some(at)
    };
    case.calls.iter().enumerate().filter_map(open).collect()
}

/// Returns the plan with a promise: its `answer` refers to an output of every call that no other call depends on.
pub fn promising(case: &GoalCase, told: &OracleView) -> Value {
    let mut plan = json!({"steps": plan(case, told)});
    let needed: Vec<usize> = case.calls.iter().flat_map(|call| call.needs.clone()).collect();
    let last = (0..case.calls.len()).filter(|at| !needed.contains(at));
    let results = last.map(|at| {
        let output = case.calls.get(at).and_then(|call| call.answer.as_ref().ok()?.as_object());
        let field = output.and_then(|output| output.keys().find(|key| *key != LONG));
        let field = field.map_or(String::new(), |field| format!(".{field}"));
        format!(" {{{{call_{at}.outputs{field}}}}}")
    });
    let answer: String = std::iter::once(words(ANSWER_TOKENS)).chain(results).collect();
    if let Some(plan) = plan.as_object_mut() {
        plan.insert("answer".to_owned(), json!(answer));
    }
    plan
}

/// Turns the missing calls into steps; references to calls that were made use the step ids of the log.
fn plan(case: &GoalCase, told: &OracleView) -> Vec<Value> {
    let mut missing = missing(case, told);
    missing.retain(|at| !told.kept.contains_key(at));
    let mut ids: BTreeMap<usize, String> = told.kept.clone();
    ids.extend(told.done.clone());
    let new = |at: usize| match told.planned {
        0 => format!("call_{at}"),
        planned => format!("call_{at}_{planned}"),
    };
    ids.extend(missing.iter().map(|at| (*at, new(*at))));
    let step = |at: &usize| {
        let call = case.calls.get(*at)?;
        let after: Vec<&String> = call.needs.iter().filter_map(|need| ids.get(need)).collect();
        let mut step = json!({"step_id": ids.get(at), "step_name": name(*at), "tool": call.tool,
            "parameters": named(&call.parameters, &ids)});
        if let Some(step) = step.as_object_mut().filter(|_| !after.is_empty()) {
            step.insert("depends_on".to_owned(), json!(after));
        }
        Some(step)
    };
    missing.iter().filter_map(step).collect()
}

/// Replaces the placeholders `{{call_N.…}}` with the current step ids.
fn named(value: &Value, ids: &BTreeMap<usize, String>) -> Value {
    match value {
        Value::String(text) if text.contains("{{call_") => {
            let mut text = text.clone();
            for (at, id) in ids.iter().rev() {
                text = text.replace(&format!("{{{{call_{at}."), &format!("{{{{{id}."));
            }
            Value::from(text)
        }
        Value::Array(items) => items.iter().map(|item| named(item, ids)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, item)| (key.clone(), named(item, ids))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn literal(call: &ExpectedCall) -> Value {
    super::written::literal(&call.arguments)
}

/// Proposes the right tool or parameters for a failed step; a failure that is part of the recording cannot be
/// repaired.
fn reflection(case: &GoalCase, told: &OracleView) -> Value {
    let about = told.about.as_ref();
    let call = about.and_then(|(at, tool)| Some((case.calls.get(*at)?, tool)));
    let known = |call: &ExpectedCall| {
        call.answer.as_ref().err().is_some_and(|e| told.error.contains(e.as_str()))
    };
    let (action, category) = match call {
        Some((call, _)) if known(call) => {
            (json!({"type": "trigger_overall_reflection"}), "external_error")
        }
        Some((call, tool)) if call.tool == *tool => {
            (json!({"type": "retry_with_params", "parameters": literal(call)}), "parameter_error")
        }
        Some((call, _)) => {
            let action =
                json!({"type": "retry_with_tool", "tool": call.tool, "parameters": literal(call)});
            (action, "tool_error")
        }
        None => (json!({"type": "trigger_overall_reflection"}), "decomposition_error"),
    };
    let recoverable = action.get("type") != Some(&json!("trigger_overall_reflection"));
    json!({"root_cause_category": category, "root_cause": "not the right call",
        "is_recoverable": recoverable, "confidence": 95, "suggested_action": action})
}

fn evaluation(case: &GoalCase, told: &OracleView) -> Value {
    let missing = missing(case, told);
    let good = missing.is_empty();
    let score = if good { 95 } else { 40 };
    let failures: Vec<String> =
        missing.into_iter().map(|at| format!("call {at} is missing")).collect();
    let mut judged = json!({"is_successful": good, "scores": {"completeness": score, "correctness": score,
        "efficiency": score, "reliability": score}, "failures": failures});
    if let Some(judged) = judged.as_object_mut().filter(|_| good) {
        judged.insert("answer".to_owned(), json!(words(ANSWER_TOKENS)));
    }
    judged
}
