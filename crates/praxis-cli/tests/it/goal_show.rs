//! What `show`, `why` and `model serve-fake` tell of a goal.

use crate::goal_rig::{Rehearsal, plan, rule, script, well};
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
