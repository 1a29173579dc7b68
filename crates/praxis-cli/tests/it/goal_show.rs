//! What `show`, `why` and `model serve-fake` tell of a goal.

use crate::goal_rig::{Rehearsal, plan, reflections, replan, rule, script, well};
use crate::rig::{PATIENCE, json_lines, within};
use serde_json::json;
use std::process::Stdio;

fn counted() -> Rehearsal {
    let infer = rule(
        "parameter_inference",
        json!({"parameters": {"n": 4}, "reasoning": "the goal says four"}),
    );
    let model = Rehearsal::new(&[plan(&[("a", "count", json!({}))]), infer], "4");
    let (code, _, noted) = model.says(&["run", "count to four", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    model
}

#[test]
fn every_call_is_shown_with_what_it_cost_and_word_for_word() {
    let model = counted();
    let cost = json_lines(&model.does(&["show", "--last", "--cost"]).stdout);
    let (sum, calls) = cost.split_last().unwrap();
    let stages: Vec<&str> = calls.iter().map(|call| call["stage"].as_str().unwrap()).collect();
    assert!(stages.starts_with(&["selection", "planning", "parameter_inference"]), "{stages:?}");
    assert_eq!(sum["prompt_tokens"], calls.len() * 1000, "{sum}");
    // (600 × 2 + 400 × 0.5 + 100 × 8) / 1e6 each.
    assert_eq!(calls[0]["money"], json!({"currency": "CNY", "amount": "0.0022"}));
    let (_, told, _) = model.says(&["show", "--last", "--cost"]);
    assert!(told.contains("CNY 0.0022") && told.contains('Σ'), "{told}");
    let (code, prompt, _) = model.says(&["show", "--last", "--prompt", "--call", "1"]);
    let sent = model.server.calls()[0].messages.clone();
    assert!(code == Some(0) && sent.iter().all(|m| prompt.contains(m.content.trim())), "{prompt}");
    let (_, raw, _) = model.says(&["show", "--last", "--raw", "--call", "3"]);
    assert!(raw.contains("the goal says four"), "{raw}");
    assert_eq!(model.says(&["show", "--last", "--raw", "--call", "99"]).0, Some(6));
}

#[test]
fn a_value_that_a_model_filled_in_is_told_with_its_model_and_its_reason() {
    let model = counted();
    let why = model.rig.ask(&["why", "--last", "step_1.n"]).unwrap();
    let source = json!({"from": "inferred", "by": "fast", "rung": "inference", "reason": "the goal says four"});
    assert_eq!((&why[0]["value"], &why[0]["source"]), (&json!(4), &source));
    let (_, en, _) = model.says(&["why", "--last", "step_1.n"]);
    assert!(en.contains("inferred by the model fast") && en.contains("the goal says four"), "{en}");
    let (_, zh, _) = model.says(&["--lang", "zh", "why", "--last", "step_1.n"]);
    assert!(zh.contains("由模型 fast 推断"), "{zh}");
}

#[test]
fn steps_that_a_new_plan_dropped_do_not_count() {
    let mut rules = vec![
        plan(&[("a", "look", json!({})), ("b", "fail", json!({"seen": "{{a.outputs.seen}}"}))]),
        replan(&[("c", "look", json!({}))]),
    ];
    rules.extend(reflections(json!({
        "should_replan": true, "root_causes": ["the way is wrong"],
        "replanning_strategy": {"type": "full_replan"}})));
    let model = Rehearsal::new(&rules, "done");
    let (code, _, noted) = model.says(&["run", "look", "--tools", "tools.yaml"]);
    assert!(code == Some(0) && noted.contains("2/2 steps"), "{noted}");
    for told in [
        "step_2: look at the whole task",
        "cannot be helped alone: the reflection says so",
        "v2: 1 kept, 0 changed, 1 added, 1 dropped",
    ] {
        assert!(noted.contains(told), "{told} in {noted}");
    }
    let (_, told, _) = model.says(&["show", "--last"]);
    assert!(told.contains("completed  2/2 steps"), "{told}");
    assert_eq!(told.matches("(dropped)").count(), 1, "{told}");
    let (_, changes, _) = model.says(&["show", "--last", "--plan=v1..v2"]);
    assert!(changes.contains("v2: plan the rest anew · why: the way is wrong"), "{changes}");
    let shown = model.rig.last();
    let dropped: Vec<&serde_json::Value> =
        shown["steps"].as_array().unwrap().iter().map(|step| &step["dropped"]).collect();
    assert_eq!(dropped, [&json!(false), &json!(true), &json!(false)]);
    let (_, plan, _) = model.says(&["show", "--last", "--plan"]);
    assert!(plan.contains("step_3") && !plan.contains("step_2"), "the plan in force: {plan}");
}

#[test]
fn tasks_are_found_by_their_tags() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "done");
    for tags in [&["--tag", "team=a", "--tag", "env=prod"][..], &["--tag", "team=b"], &[]] {
        let (code, _, noted) =
            model.says(&[&["run", "look", "--tools", "tools.yaml"], tags].concat());
        assert_eq!(code, Some(0), "{noted}");
    }
    let listed = |words: &[&str]| model.rig.ask(&[&["ps"], words].concat()).unwrap();
    let found = listed(&["--tag", "team=a"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(listed(&["--tag", "team=a", "--tag", "env=prod"]), found);
    assert!(listed(&["--tag", "team=a", "--tag", "env=test"]).is_empty());
    assert!(listed(&["--tag", "team=a", "--status", "failed"]).is_empty());
    assert_eq!((listed(&["--tag", "team=b"]).len(), listed(&[]).len()), (1, 3));
    let task = found[0]["task"].as_str().unwrap();
    let (_, told, _) = model.says(&["show", task]);
    assert!(told.contains("env=prod team=a"), "{told}");
    let shown = model.rig.ask(&["show", task]).unwrap();
    assert_eq!(shown[0]["tags"], json!({"team": "a", "env": "prod"}));
}

#[test]
fn a_task_that_never_had_a_plan_or_a_call_says_so() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "done");
    let words = ["run", "look", "--tools", "tools.yaml", "--budget", "tokens=20"];
    assert_eq!(model.says(&words).0, Some(3));
    assert_eq!(model.says(&["answer", &model.question(), "--give-up", "enough"]).0, Some(4));
    for (words, code, said) in [
        (&["--step", "step_1"][..], 6, "the task has no steps"),
        (&["--plan=v1..v2"], 6, "the task has no plan"),
        (&["--cost"], 6, "no model was asked"),
        (&["--raw"], 6, "tells how the task went"),
        (&["--call", "1"], 2, "--call goes with --prompt or --raw"),
    ] {
        let (found, _, noted) = model.says(&[&["show", "--last"], words].concat());
        assert!(found == Some(code) && noted.contains(said), "{words:?}: {noted}");
    }
}

#[test]
fn a_rehearsal_is_served_and_ends_with_what_was_never_used() {
    let rig = crate::rig::Rig::empty();
    let mut rules = well("x");
    rules.push(
        json!({"name": "never", "when": {"contains": "nobody says this"}, "reply": {"text": "x"}}),
    );
    std::fs::write(rig.path("script.json"), script(&rules)).unwrap();
    let out = std::fs::File::create(rig.path("out")).unwrap();
    let mut serve = rig.praxis(&["model", "serve-fake", "--script", "script.json"]);
    let mut serve = serve.stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let said = || json_lines(&std::fs::read(rig.path("out")).unwrap());
    assert!(within(PATIENCE, || !said().is_empty()));
    assert!(said()[0]["base_url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    let killed =
        std::process::Command::new("kill").args(["-INT", &serve.id().to_string()]).status();
    assert!(killed.unwrap().success() && serve.wait().unwrap().success());
    assert!(said()[1]["unused"].to_string().contains("never"), "{:?}", said());
}
