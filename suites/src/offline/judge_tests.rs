//! Plans and ends by hand: what the judge calls right, and every kind of wrong.

use super::case::{ExpectedOutcome, OfflineCase};
use super::judge::{OfflineVerdict, judge};
use super::laid::{Laid, LaidStep};
use super::ran::{End, OfflineRun, PlanStatement};
use praxis_core::call::manifest::read;
use praxis_core::call::tool::Toolbox;
use praxis_core::state::TaskStatus;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const RIGHT: OfflineVerdict = OfflineVerdict { outcome: true, plan: true, end: true };

/// Two tools: one reads rows, the other one counts them; `most` and `quiet` may be left out.
fn tools() -> Toolbox {
    let string = json!({"type": "string"});
    let tool = |id: &str, inputs: Value, required: Value, outputs: Value| {
        json!({"id": id, "builtin": id,
            "input_schema": {"type": "object", "properties": inputs, "required": required},
            "output_schema": {"type": "object", "properties": outputs}})
    };
    let fetch = tool(
        "fetch",
        json!({"path": string, "most": {"type": "integer", "default": 10}, "quiet": {"type": "boolean"}}),
        json!(["path"]),
        json!({"rows": {"type": "array"}}),
    );
    let inputs = json!({"rows": {"type": "array"}, "by": string});
    let count = tool("count", inputs.clone(), json!(["rows", "by"]), json!({"total": {}}));
    let reckon = tool("reckon", inputs, json!(["rows", "by"]), json!({"sum": {}, "total": {}}));
    let all = [fetch, count, reckon].into_iter().flat_map(|manifest| read(&manifest).unwrap());
    all.map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
}

/// A goal whose right plan fetches and counts.
fn case(changes: Value) -> OfflineCase {
    let mut expect = json!({
        "outcome": "ready",
        "steps": [{"tool": "fetch", "with": {"path": "a.csv"}},
                  {"tool": "count", "with": {"rows": "{{1.outputs.rows}}", "by": "name"}}],
        "status": "completed",
        "gives": {"2": {"total": 3}},
    });
    let (fields, changes) = (expect.as_object_mut().unwrap(), changes.as_object().unwrap());
    fields.extend(changes.clone());
    serde_json::from_value(json!({"id": "en_chain_01", "goal": "count", "expect": expect})).unwrap()
}

fn step(id: &str, tool: &str, arguments: Value) -> LaidStep {
    let arguments = arguments.as_object().unwrap().clone();
    let after = arguments
        .values()
        .filter_map(Value::as_str)
        .filter_map(|text| text.strip_prefix("{{")?.split('.').next().map(str::to_owned));
    LaidStep { id: id.to_owned(), tool: tool.into(), after: after.collect(), arguments }
}

fn fetch(arguments: Value) -> LaidStep {
    step("s1", "fetch", arguments)
}

fn count(by: &str) -> LaidStep {
    step("s2", "count", json!({"rows": "{{s1.outputs.rows}}", "by": by}))
}

fn laid(steps: Vec<LaidStep>) -> Laid {
    Laid { steps, defaults: vec![] }
}

/// A task that went as this plan says and gave three.
fn ran(steps: Vec<LaidStep>) -> OfflineRun {
    let plan = laid(steps);
    let output = |step: &LaidStep| (step.id.clone(), json!({"rows": [1, 2, 3], "total": 3.0}));
    let end = End {
        status: Some(TaskStatus::Completed),
        outputs: plan.steps.iter().map(output).collect(),
        calls: plan.steps.len(),
        ..End::default()
    };
    let (entered, put_right) = (plan.clone(), plan.clone());
    OfflineRun { said: said(ExpectedOutcome::Ready, &[]), entered, put_right, reached: plan, end }
}

fn right() -> OfflineRun {
    ran(vec![fetch(json!({"path": "a.csv"})), count("name")])
}

fn said(outcome: ExpectedOutcome, asks: &[&str]) -> PlanStatement {
    PlanStatement { outcome, asks: names(asks), workflow: None }
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(ToString::to_string).collect()
}

/// A task that waits for these.
fn waiting(ran: OfflineRun, asked: &[&str]) -> OfflineRun {
    let end = End {
        status: Some(TaskStatus::Waiting),
        asked: asked.iter().map(ToString::to_string).collect(),
        ..End::default()
    };
    OfflineRun { said: said(ExpectedOutcome::NeedParams, asked), end, ..ran }
}

fn judged(case: &OfflineCase, ran: &OfflineRun) -> OfflineVerdict {
    judge(case, ran, &tools())
}

#[test]
fn a_right_plan_is_right_in_any_order_and_with_defaults() {
    let case = case(json!({}));
    assert_eq!(judged(&case, &right()), RIGHT);
    let written = fetch(json!({"path": "./a.csv", "most": 10.0}));
    assert_eq!(judged(&case, &ran(vec![count("name"), written])), RIGHT);
}

#[test]
fn another_tool_argument_reference_or_number_of_calls_is_no_right_plan() {
    let case = case(json!({}));
    let a = || fetch(json!({"path": "a.csv"}));
    let other = |tool: &str, rows: &str| step("s2", tool, json!({"rows": rows, "by": "name"}));
    let rows = "{{s1.outputs.rows}}";
    for (what, steps) in [
        ("tool", vec![a(), other("reckon", rows)]),
        ("argument", vec![a(), count("age")]),
        ("file", vec![fetch(json!({"path": "b.csv"})), count("name")]),
        ("an argument too few", vec![fetch(json!({})), count("name")]),
        (
            "an argument too many",
            vec![fetch(json!({"path": "a.csv", "quiet": true})), count("name")],
        ),
        ("not its default", vec![fetch(json!({"path": "a.csv", "most": 9})), count("name")]),
        ("reference", vec![a(), other("count", "{{s1.outputs.row}}")]),
        ("a value in its place", vec![a(), other("count", "a.csv")]),
        ("extra step", vec![a(), count("name"), step("s3", "fetch", json!({"path": "a.csv"}))]),
        ("missing step", vec![count("name")]),
        ("nothing", vec![]),
    ] {
        let verdict = judged(&case, &ran(steps));
        assert!(verdict.outcome && !verdict.plan && !verdict.all(), "{what} {verdict:?}");
    }
}

#[test]
fn an_order_that_no_reference_forces_counts_where_it_is_named() {
    let steps = json!([{"tool": "fetch", "with": {"path": "a.csv"}},
                       {"tool": "fetch", "with": {"path": "b.csv"}, "after": [1]}]);
    let case = case(json!({"steps": steps, "gives": {}}));
    let b = |after: &[&str]| LaidStep {
        after: names(after),
        ..step("s2", "fetch", json!({"path": "b.csv"}))
    };
    let a = || fetch(json!({"path": "a.csv"}));
    assert_eq!(judged(&case, &ran(vec![a(), b(&["s1"])])), RIGHT);
    assert_eq!(judged(&case, &ran(vec![a(), b(&[])])), OfflineVerdict { plan: false, ..RIGHT });
    let between = step("s3", "count", json!({}));
    let far = ran(vec![a(), LaidStep { after: names(&["s1"]), ..between }, b(&["s3"])]);
    assert!(!judged(&case, &far).plan, "an extra step");
}

#[test]
fn another_outcome_status_error_or_output_is_wrong_by_itself() {
    let case = case(json!({}));
    let foreseen = OfflineRun { said: said(ExpectedOutcome::NeedParams, &["by"]), ..right() };
    assert_eq!(judged(&case, &foreseen), OfflineVerdict { outcome: false, plan: false, end: true });
    let mut gave = right();
    gave.end.outputs.insert("s2".to_owned(), json!({"total": 4}));
    assert_eq!(judged(&case, &gave), OfflineVerdict { end: false, ..RIGHT });
    let mut waits = right();
    waits.end.status = Some(TaskStatus::Waiting);
    assert_eq!(judged(&case, &waits), OfflineVerdict { end: false, ..RIGHT });

    let failing = self::case(json!({"status": "failed", "error": "tool_failed", "gives": {}}));
    let mut failed = right();
    failed.end = End {
        status: Some(TaskStatus::Failed),
        errors: vec!["timeout".to_owned()],
        ..End::default()
    };
    assert_eq!(judged(&failing, &failed), OfflineVerdict { end: false, ..RIGHT });
    failed.end.errors.push("tool_failed".to_owned());
    assert_eq!(judged(&failing, &failed), RIGHT);
}

#[test]
fn what_nobody_said_is_asked_for_and_nothing_else() {
    let steps = json!([{"tool": "fetch", "with": {"path": "a.csv"}},
                       {"tool": "count", "with": {"rows": "{{1.outputs.rows}}"}}]);
    let case = case(
        json!({"outcome": "need_params", "steps": steps, "asks": ["by"], "status": "waiting", "gives": {}}),
    );
    let open = || step("s2", "count", json!({"rows": "{{s1.outputs.rows}}"}));
    let a = || fetch(json!({"path": "a.csv"}));
    assert_eq!(judged(&case, &waiting(ran(vec![a(), open()]), &["by"])), RIGHT);
    let more = judged(&case, &waiting(ran(vec![a(), open()]), &["by", "path"]));
    assert_eq!(more, OfflineVerdict { outcome: true, plan: false, end: false });
    let guessed = judged(&case, &waiting(ran(vec![a(), count("name")]), &["by"]));
    assert_eq!(guessed, OfflineVerdict { plan: false, ..RIGHT });
    let lost = judged(&case, &waiting(ran(vec![fetch(json!({})), open()]), &["by"]));
    assert_eq!(lost, OfflineVerdict { plan: false, ..RIGHT });
    // It was said that something is asked for, and then it was not.
    let mut unasked = waiting(ran(vec![a(), open()]), &["by"]);
    unasked.end.asked.clear();
    assert_eq!(judged(&case, &unasked), OfflineVerdict { end: false, ..RIGHT });
}

#[test]
fn a_wrong_value_may_be_asked_for_before_or_instead_or_be_put_right() {
    let changes = json!({"status": "failed", "error": "tool_failed", "asks": ["by"], "gives": {}});
    let case = case(changes);
    let open = step("s2", "count", json!({"rows": "{{s1.outputs.rows}}"}));
    let before = waiting(ran(vec![fetch(json!({"path": "a.csv"})), open]), &["by"]);
    assert_eq!(judged(&case, &before), RIGHT);
    let instead =
        OfflineRun { said: said(ExpectedOutcome::Ready, &[]), ..waiting(right(), &["by"]) };
    assert_eq!(judged(&case, &instead), RIGHT);
    let other =
        OfflineRun { said: said(ExpectedOutcome::Ready, &[]), ..waiting(right(), &["path"]) };
    assert_eq!(judged(&case, &other), OfflineVerdict { end: false, ..RIGHT });

    let slip = laid(vec![fetch(json!({"path": "a.csv"})), count("nmae")]);
    assert_eq!(judged(&self::case(json!({})), &OfflineRun { entered: slip, ..right() }), RIGHT);
}

#[test]
fn where_a_tool_is_broken_another_way_counts_and_the_broken_one_only_if_the_goal_is_reached() {
    let also = json!([[{"tool": "fetch", "with": {"path": "a.csv"}},
                       {"tool": "reckon", "with": {"rows": "{{1.outputs.rows}}", "by": "name"}}]]);
    let case = OfflineCase { down: ["reckon".into()].into(), ..case(json!({"also": also})) };
    let broken = step("s2", "reckon", json!({"rows": "{{s1.outputs.rows}}", "by": "name"}));
    let first = laid(vec![fetch(json!({"path": "a.csv"})), broken]);
    let another = OfflineRun { entered: first.clone(), put_right: first.clone(), ..right() };
    assert_eq!(judged(&case, &another), RIGHT);
    let mut failed =
        OfflineRun { reached: laid(vec![fetch(json!({"path": "a.csv"}))]), ..another.clone() };
    failed.end.status = Some(TaskStatus::Failed);
    assert_eq!(judged(&case, &failed), OfflineVerdict { outcome: true, plan: false, end: false });
    // Reached in a way that nobody wrote down, and wrongly.
    let mut wrong = another;
    wrong.reached.steps.push(step("s9", "count", json!({"rows": [], "by": "name"})));
    wrong.end.outputs.insert("s9".to_owned(), json!({"total": 0}));
    wrong.end.outputs.remove("s2");
    assert_eq!(judged(&case, &wrong), OfflineVerdict { end: false, ..RIGHT });
}

#[test]
fn another_plan_is_held_to_the_fields_of_its_last_tool() {
    let also = json!([[{"tool": "fetch", "with": {"path": "a.csv"}}]]);
    let case = case(
        json!({"also": also, "gives": {"1": {"rows": [9]}, "2": {"total": 3, "rows": [1, 2, 3]}}}),
    );
    assert_eq!(judged(&case, &ran(vec![fetch(json!({"path": "a.csv"}))])), RIGHT);
    let mut less = ran(vec![fetch(json!({"path": "a.csv"}))]);
    less.end.outputs.insert("s1".to_owned(), json!({"rows": [1, 2]}));
    assert_eq!(judged(&case, &less), OfflineVerdict { end: false, ..RIGHT });
}

#[test]
fn where_nothing_can_be_planned_there_is_no_task_or_a_question_and_no_call() {
    let vague = json!({"id": "en_vague_01", "goal": "better", "expect": {"outcome": "no_plan"}});
    let vague: OfflineCase = serde_json::from_value(vague).unwrap();
    let refused =
        OfflineRun { said: said(ExpectedOutcome::NoPlan, &[]), end: End::default(), ..ran(vec![]) };
    assert_eq!(judged(&vague, &refused), RIGHT);
    let mut asks = waiting(ran(vec![count("name")]), &["rows"]);
    assert_eq!(judged(&vague, &asks), RIGHT);
    asks.end.calls = 1;
    assert_eq!(judged(&vague, &asks), OfflineVerdict { end: false, ..RIGHT });
    assert_eq!(
        judged(&vague, &right()),
        OfflineVerdict { outcome: false, plan: false, end: false }
    );
    let refused = judged(&case(json!({})), &refused);
    assert_eq!(refused, OfflineVerdict { outcome: false, plan: false, end: false });
}
