//! Goals that go on with earlier work: a task that ended, or a history that is handed in.

use crate::goal_rig::{Rehearsal, plan, reflections, rule};
use crate::rig::Rig;
use serde_json::{Value, json};

const RUN: [&str; 3] = ["run", "--tools", "tools.yaml"];

/// A task whose second step fails, then a plan of the rest.
fn rules() -> Vec<Value> {
    let mut first = plan(&[("a", "look", json!({})), ("b", "fail", json!({}))]);
    first["times"] = json!(1);
    let rest = plan(&[("c", "look", json!({"seen": "{{step_1.outputs.seen}}"}))]);
    let selection = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": ["look", "fail"], "continuity_summary": "only one look is left"});
    let strategy =
        json!({"strategy": "continue_planning", "confidence": 90, "reasoning": "the rest"});
    let mut rules = vec![first, rest, rule("selection", selection), rule("strategy", strategy)];
    rules.extend(reflections(json!({"should_replan": false, "root_causes": ["it is outside"]})));
    rules
}

fn failed() -> Rehearsal {
    let model = Rehearsal::new(&rules(), "seen again");
    let (code, _, noted) = model.says(&[&RUN[..], &["look twice", "--no-input"]].concat());
    assert_eq!(code, Some(1), "{noted}");
    assert_eq!(model.rig.calls().len(), 1, "{noted}");
    model
}

// A-077, A-078
#[test]
fn a_goal_goes_on_with_the_last_task_or_a_named_one_and_does_nothing_twice() {
    for named in [false, true] {
        let model = failed();
        let task = model.rig.last()["task"].as_str().map(str::to_owned).unwrap_or_default();
        let flags = if named { vec!["--continue", task.as_str()] } else { vec!["--last"] };
        let words = [&RUN[..], &["do what is left"], &flags].concat();
        let (code, out, noted) = model.says(&words);
        assert_eq!((code, out.trim()), (Some(0), "seen again"), "{noted}");
        assert!(
            noted.contains("compared with the earlier task: continue the unfinished part (model)"),
            "{noted}"
        );
        assert!(noted.contains("only one look is left"), "how the choice goes on: {noted}");
        let calls = model.rig.calls();
        assert_eq!((calls["step_1"], calls["step_2"]), (1, 1), "step_1 is done: {noted}");
        let why = model.rig.ask(&["why", "--last", "step_2.seen"]).unwrap();
        assert_eq!(why[0]["value"], json!(42), "{why:?}");
    }
}

// A-077
#[test]
fn what_went_on_once_can_be_gone_on_with_again() {
    let model = failed();
    let words = [&RUN[..], &["do what is left", "--last"]].concat();
    assert_eq!(model.says(&words).0, Some(0));
    let (code, _, noted) = model.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    let calls = model.rig.calls();
    assert_eq!((calls["step_1"], calls["step_2"], calls["step_3"]), (1, 1, 1), "{noted}");
}

// A-077
#[test]
fn a_history_among_the_files_is_gone_on_with_and_one_of_another_form_is_refused() {
    let model = Rehearsal::new(&rules()[1..], "seen again");
    let history = json!([{"step_id": "step_1", "tool_id": "look", "status": "success", "output": {"seen": 42}}]);
    std::fs::write(model.rig.path("execution_history.json"), history.to_string()).unwrap();
    let words = [&RUN[..], &["do what is left", "-f", "execution_history.json"]].concat();
    let (code, out, noted) = model.says(&words);
    assert_eq!((code, out.trim()), (Some(0), "seen again"), "{noted}");
    assert_eq!(model.rig.calls().keys().collect::<Vec<_>>(), ["step_2"], "{noted}");
    std::fs::write(model.rig.path("execution_history.json"), "we looked").unwrap();
    let (code, _, noted) = model.says(&words);
    assert!(code == Some(2) && noted.contains("error[bad_history]"), "{noted}");
}

// A-077
#[test]
fn a_task_that_cannot_be_gone_on_with_is_refused_with_the_reason() {
    let model = failed();
    model.rig.add_load_project();
    let went = |flags: &[&str]| model.says(&[&RUN[..], &["do what is left"], flags].concat());
    let (code, _, noted) = went(&["--continue", "task_nothing"]);
    assert!(code == Some(6) && noted.contains("no task id starts with"), "{noted}");
    let (code, _, noted) = went(&["--last", "--model", "offline", "--workflow", "csv_check"]);
    assert!(code == Some(2) && noted.contains("error[model_needed]"), "{noted}");
    assert_eq!(model.rig.calls().len(), 1, "nothing ran");

    let waits = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "done");
    assert_eq!(waits.says(&["plan", "look", "--tools", "tools.yaml"]).0, Some(0));
    let (code, _, noted) = waits.says(&[&RUN[..], &["do what is left", "--last"]].concat());
    assert!(code == Some(2) && noted.contains("error[task_unfinished]"), "{noted}");
    assert!(waits.rig.calls().is_empty(), "nothing ran");

    let rig = Rig::new();
    let words = ["run", "plan.yaml", "--tools", "tools.yaml", "--last"];
    let (code, _, noted) = rig.says(&words);
    assert!(code == Some(2) && noted.contains("--last: only for goals"), "{noted}");
}

fn chosen(tools: &[&str]) -> Value {
    let selection = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": tools});
    rule("selection", selection)
}

// A-034
#[test]
fn a_choice_that_cannot_be_used_is_told_with_a_warning_in_both_languages() {
    for (goal, warning) in [
        ("look once", "⚠ the model selected no existing tool"),
        ("看一次", "⚠ 模型没有选出任何存在的工具"),
    ] {
        let rules = [plan(&[("a", "look", json!({}))]), chosen(&["made_up"])];
        let model = Rehearsal::new(&rules, "done");
        let lang = if goal == "看一次" { "zh" } else { "en" };
        let (code, _, noted) = model.says(&[&RUN[..], &[goal, "--lang", lang]].concat());
        assert!(code == Some(0) && noted.contains(warning), "{noted}");
        let events = model.does(&["watch", "--last", "--json"]).stdout;
        let events = String::from_utf8_lossy(&events).into_owned();
        assert!(
            events.contains(r#""why":"fallback_empty""#)
                && events.contains(r#""tokens_asked":1100"#),
            "{events}"
        );
    }
    let rules = [plan(&[("a", "look", json!({}))]), chosen(&["look"])];
    let model = Rehearsal::new(&rules, "done");
    let (_, _, noted) = model.says(&[&RUN[..], &["look once"]].concat());
    assert!(!noted.contains('⚠') && noted.contains("1100 tokens for the selection"), "{noted}");
}

// A-038
#[test]
fn a_named_workflow_is_followed_though_the_model_that_chooses_tools_names_none() {
    let csv = include_str!("../../../../examples/load_forecast/load.csv");
    let steps = plan(&[("a", "check_csv_file", json!({"file_path": "mine.csv"}))]);
    let model = Rehearsal::new(&[steps, chosen(&["look"])], "done");
    model.rig.add_load_project();
    std::fs::write(model.rig.path("mine.csv"), csv).unwrap();
    let words = [&RUN[..], &["look at mine.csv", "--workflow", "csv_check"]].concat();
    let (code, _, noted) = model.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    let told = noted.contains("● 2 of ") && noted.contains("tools chosen by the model `csv_check`");
    assert!(told, "{noted}");
}
