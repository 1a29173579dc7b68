//! A task of our own that can go wrong in several ways, and the cacheable share of its prompts.

use super::bfcl::BfclCall;
use super::case::{GoalCase, manifest};
use super::prefix::PrefixShare;
use super::pursue::{PursuitMode, in_virtual_time, manner, pursue};
use super::{oracle, told};
use anyhow::ensure;
use praxis_core::goal::spec::GoalOptions;
use praxis_testkit::model::{ScriptedRequest, ScriptedSays};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the case: an office move with six calls and nine tools.
pub fn case() -> GoalCase {
    let tools: Vec<Value> =
        serde_json::from_str(include_str!("course_tools.json")).unwrap_or_default();
    let tools = tools.iter().map(|tool| {
        let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default();
        manifest(text("id"), text("description"), tool.get("input_schema").unwrap_or(&Value::Null))
    });
    let calls: Vec<BfclCall> =
        serde_json::from_str(include_str!("course_calls.json")).unwrap_or_default();
    let calls = calls.into_iter().enumerate().map(|(at, call)| call.gold(at)).collect();
    let goal = "Move the data team of Lin from building East to a room for 12 people in building West in Hangzhou for \
        five days from 2 March 2026: book the room, order the transport for the day before and tell Lin by mail.";
    GoalCase { id: "office_move".to_owned(), goal: goal.to_owned(), tools: tools.collect(), calls }
}

/// Runs the task, with or without two wrong arguments and a missing step in the first plan. Returns the cacheable
/// share of the prompts and the number of model requests.
pub fn prefix(goes_wrong: bool) -> anyhow::Result<(PrefixShare, usize)> {
    let case = Arc::new(case());
    let knows = Arc::clone(&case);
    let answers = move |asked: &ScriptedRequest| {
        let told = told::read(&asked.request);
        let mut answer = oracle::answer(&knows, &told);
        if goes_wrong && told.stage == "planning" {
            spoil(&mut answer);
        }
        ScriptedSays::Words(answer.to_string())
    };
    let manner = GoalOptions { learn: true, ..manner() };
    let way = PursuitMode { manner, answers: Arc::new(answers), ..PursuitMode::right(&case) };
    let run = in_virtual_time(pursue(&case, &way))?;
    ensure!(run.ending() == "completed", "the task is {}", run.ending());
    Ok((PrefixShare::of(&run.asked), run.asked.len()))
}

/// Puts a wrong argument in two steps and removes the last step.
fn spoil(answer: &mut Value) {
    if let Some(steps) = answer.get_mut("steps").and_then(Value::as_array_mut) {
        steps.pop();
    }
    if let Some(place) = answer.pointer_mut("/steps/2/parameters/room_id") {
        *place = json!("r9");
    }
    if let Some(place) = answer.pointer_mut("/steps/4/parameters/date") {
        *place = json!("2026-03-11");
    }
}
