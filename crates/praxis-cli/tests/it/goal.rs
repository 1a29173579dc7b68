//! Goals from the command line: planned by a scripted model, run, approved, stopped, taken up again.

use crate::goal_rig::{Rehearsal, plan, script, well};
use crate::rig::{PATIENCE, Rig, json_lines};
use serde_json::json;
use std::process::Stdio;

const RUN: [&str; 3] = ["run", "--tools", "tools.yaml"];

fn look() -> serde_json::Value {
    plan(&[("a", "look", json!({})), ("b", "look", json!({"seen": "{{a.outputs.seen}}"}))])
}

#[test]
fn a_goal_is_planned_run_and_answered_and_its_cost_is_told() {
    for (goal, answer) in [("look twice", "seen twice"), ("看两次", "看了两次")] {
        let model = Rehearsal::new(&[look()], answer);
        let (code, out, noted) = model.says(&[&RUN[..], &[goal]].concat());
        assert_eq!((code, out.trim()), (Some(0), answer), "{noted}");
        assert_eq!(model.rig.calls().len(), 2, "each step once: {noted}");
        let shown =
            noted.contains("v1") && noted.contains("└ step_2") && noted.contains("← step_1");
        assert!(shown, "the plan as a graph: {noted}");
        assert!(
            noted.contains("tools chosen by the model")
                && noted.contains("● 4 of ")
                && noted.contains("tokens sent instead of"),
            "{noted}"
        );
        let told = noted.contains("cached tokens · CNY 0.") && noted.contains("0 replans");
        assert!(told, "the cost: {noted}");
        let prompt =
            model.server.calls()[0].messages.iter().map(|m| m.content.clone()).collect::<String>();
        assert!(prompt.contains(goal), "{prompt}");
        assert_eq!(
            prompt.contains("任务"),
            goal == "看两次",
            "the prompts speak the language of the goal"
        );
    }
}

#[test]
fn a_goal_of_a_workflow_runs_without_a_model_on_the_values_in_its_words() {
    let rig = Rig::about_load();
    let csv = include_str!("../../../../examples/load_forecast/load.csv");
    std::fs::write(rig.path("mine.csv"), csv).unwrap();
    let (code, out, noted) = rig.says(&["run", "load forecast, file_path: mine.csv, hours: 12"]);
    assert_eq!(code, Some(0), "{noted}");
    assert!(
        out.contains("report") && rig.path("load_forecast_report.md").exists(),
        "{out}\n{noted}"
    );
    let why = rig.ask(&["why", "--last", "step_5.horizon_hours"]).unwrap();
    assert_eq!((&why[0]["value"], &why[0]["source"]["from"]), (&json!(12), &json!("said")));
    let why = rig.ask(&["why", "--last", "step_5.season_hours"]).unwrap();
    let default = json!({"from": "default", "workflow": "load_forecast"});
    assert_eq!((&why[0]["value"], &why[0]["source"]), (&json!(24), &default));
    let (_, en, _) = rig.says(&["why", "--last", "step_5.season_hours"]);
    assert!(en.contains("default of the workflow load_forecast"), "{en}");
    let (_, zh, _) = rig.says(&["--lang", "zh", "why", "--last", "step_5.season_hours"]);
    assert!(zh.contains("工作流 load_forecast 的默认值"), "{zh}");
}

#[test]
fn a_goal_that_nobody_can_plan_is_refused_at_once_and_no_task_is_made() {
    let rig = Rig::empty();
    let (code, out, noted) = rig.says(&["run", "write a poem about rain"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{noted}");
    assert!(noted.contains("error[no_plan]") && noted.contains("praxis model add"), "{noted}");
    assert!(rig.ask(&["ps"]).unwrap_or_default().is_empty());
    let (code, _, noted) = rig.says(&["run", "./nothing"]);
    assert!(code == Some(6) && noted.contains("file_unreadable"), "a path stays a path: {noted}");
}

#[test]
fn a_reviewed_plan_waits_and_runs_when_it_is_approved() {
    let model = Rehearsal::new(&[look()], "done");
    let (code, _, noted) = model.says(&[&RUN[..], &["look twice", "--review"]].concat());
    assert_eq!(code, Some(3), "{noted}");
    assert!(noted.contains("--approve | --plan FILE"), "{noted}");
    assert!(model.rig.calls().is_empty(), "nothing runs before");
    let (code, out, noted) = model.says(&["answer", &model.question(), "--approve"]);
    assert_eq!((code, out.trim()), (Some(0), "done"), "{noted}");
    assert_eq!(model.rig.calls().len(), 2);
}

#[test]
fn a_reviewed_plan_can_be_changed_or_denied() {
    let model = Rehearsal::new(&[look()], "done");
    assert_eq!(model.says(&[&RUN[..], &["look twice", "--review"]].concat()).0, Some(3));
    let mine = "steps: [{step_id: x, step_name: once, tool: look, parameters: {}}]";
    std::fs::write(model.rig.path("mine.yaml"), mine).unwrap();
    let (code, _, noted) = model.says(&["answer", &model.question(), "--plan", "mine.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    assert_eq!(model.rig.calls().values().sum::<usize>(), 1, "the plan of the person ran: {noted}");
    let changed = model.says(&["show", "--last", "--plan=v1..v2"]);
    assert!(changed.0 == Some(0) && changed.1.contains("dropped"), "{changed:?}");

    let model = Rehearsal::new(&[look()], "done");
    assert_eq!(model.says(&[&RUN[..], &["look twice", "--review"]].concat()).0, Some(3));
    let (code, _, noted) = model.says(&["answer", &model.question(), "--deny", "not today"]);
    assert!(code == Some(1) && noted.contains("not today"), "{noted}");
    assert!(model.rig.calls().is_empty());
}

#[test]
fn a_plan_that_writes_waits_for_approval_unless_all_is_allowed() {
    let writes = plan(&[("a", "put", json!({}))]);
    let model = Rehearsal::new(std::slice::from_ref(&writes), "done");
    let words = [&RUN[..], &["put it down"]].concat();
    assert_eq!(model.says(&words).0, Some(3));
    assert!(model.rig.calls().is_empty());
    let (code, _, noted) = model.says(&[&words[..], &["--yes"]].concat());
    assert_eq!((code, model.rig.calls().len()), (Some(0), 1), "{noted}");
}

#[test]
fn a_goal_waits_at_the_limit_of_its_budget_until_somebody_raises_it() {
    let model = Rehearsal::new(&[look()], "done");
    let words = [&RUN[..], &["look twice", "--budget", "tokens=20,calls=50"]].concat();
    let (code, _, noted) = model.says(&words);
    assert_eq!(code, Some(3), "{noted}");
    let way = format!("praxis answer {} --raise N", model.question());
    assert!(noted.contains(&way), "{noted}");
    assert_eq!(model.server.report().calls, 0, "nobody was asked");
    let (code, _, noted) = model.says(&["answer", &model.question(), "--raise", "200k"]);
    assert_eq!(code, Some(0), "{noted}");
}

#[test]
fn a_budget_stops_a_goal_with_its_own_exit_code_where_that_is_set() {
    let model = Rehearsal::new(&[look()], "done");
    std::fs::write(model.rig.path("praxis.toml"), "[run]\non_wall = \"fail\"\n").unwrap();
    let words = [&RUN[..], &["look twice", "--budget", "tokens=20,calls=50"]].concat();
    let (code, _, noted) = model.says(&words);
    assert_eq!(code, Some(4), "{noted}");
    assert_eq!(model.server.report().calls, 0, "nobody was asked");
    let (code, _, noted) = model.says(&[&RUN[..], &["x", "--budget", "token=20"]].concat());
    assert!(code == Some(2) && noted.contains("bad_budget") && noted.contains("tokens"), "{noted}");
}

#[test]
fn an_answer_has_the_form_that_was_asked_for() {
    let rules = [vec![look()], well(json!({"seen": 42}))].concat();
    let model = Rehearsal::of(&script(&rules));
    let schema = json!({"type": "object", "required": ["seen"], "properties": {"seen": {"type": "integer"}}});
    std::fs::write(model.rig.path("form.json"), schema.to_string()).unwrap();
    let (code, out, noted) =
        model.says(&[&RUN[..], &["look twice", "--output-schema", "form.json"]].concat());
    assert_eq!(code, Some(0), "{noted}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), json!({"seen": 42}));
}

#[test]
fn a_plan_is_made_and_nothing_of_it_runs() {
    let model = Rehearsal::new(&[look()], "done");
    let (code, out, noted) = model.says(&["plan", "look twice", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    assert!(out.contains("steps:") && out.contains("{{step_1.outputs.seen}}"), "{out}");
    assert!(noted.contains("--approve") && model.rig.calls().is_empty(), "{noted}");
    std::fs::write(model.rig.path("made.yaml"), out).unwrap();
    let (code, _, noted) = model.says(&["run", "made.yaml", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "the plan that was printed runs as it is: {noted}");
    assert_eq!(model.rig.calls().len(), 2);
    let (code, out, _) = model.says(&["answer", &model.question(), "--approve"]);
    assert_eq!((code, out.trim()), (Some(0), "done"));
}

#[test]
fn a_plan_that_waits_for_approval_can_be_cancelled() {
    let model = Rehearsal::new(&[look()], "done");
    assert_eq!(model.says(&["plan", "look twice", "--tools", "tools.yaml"]).0, Some(0));
    let (code, _, noted) = model.says(&["cancel", "--last"]);
    assert_eq!((code, &model.rig.last()["status"]), (Some(0), &json!("cancelled")), "{noted}");
    assert!(model.rig.ask(&["inbox"]).unwrap().is_empty(), "its question is void");
}

#[test]
fn flags_of_goals_are_refused_for_a_plan() {
    let rig = Rig::new();
    let (code, _, noted) = rig.says(&["run", "plan.yaml", "--tools", "tools.yaml", "--review"]);
    assert!(code == Some(2) && noted.contains("--review"), "{noted}");
    assert!(rig.calls().is_empty());
}

#[test]
fn a_task_that_is_killed_while_a_model_answers_goes_on_and_does_no_step_twice() {
    let mut rules = vec![look()];
    rules.push(json!({"when": {"stage": "evaluation"}, "times": 1, "reply": {"text": "x", "fault": "endless_pings"}}));
    rules.extend(well("done"));
    let model = Rehearsal::of(&script(&rules));
    let mut run = model.rig.praxis(&[&RUN[..], &["look twice"]].concat());
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    model.runtime.block_on(async {
        tokio::time::timeout(PATIENCE, model.server.until_asked(3)).await.unwrap();
    });
    run.kill().unwrap();
    run.wait().unwrap();
    let before = model.rig.calls();
    let (code, out, noted) = model.says(&["resume", "--last"]);
    assert_eq!((code, out.trim()), (Some(0), "done"), "{noted}");
    assert_eq!((before.len(), model.rig.calls()), (2, before), "no step ran twice");
    let cost = json_lines(&model.does(&["show", "--last", "--cost"]).stdout);
    assert!(cost.iter().any(|call| call["end"] == "lost"), "{cost:?}");
}
