//! `--format seed`: a goal under the names of the seed documents, as it happens and later.

use crate::goal_rig::{Rehearsal, plan, script, well};
use crate::rig::json_lines;
use serde_json::{Value, json};

const RUN: [&str; 6] = ["run", "look once", "--tools", "tools.yaml", "--format", "seed"];

fn look() -> Value {
    plan(&[("a", "look", json!({}))])
}

fn told(model: &Rehearsal, words: &[&str]) -> Vec<Value> {
    let (_, out, _) = model.says(words);
    json_lines(out.as_bytes())
}

//
#[test]
fn users_are_told_five_kinds_while_a_goal_runs_and_words_of_models_never() {
    let model = Rehearsal::new(&[look()], "42");
    let events = told(&model, &[&RUN[..], &["--audience", "user"]].concat());
    let five = ["TASK_WAIT", "STATUS_UPDATE", "TASK_RESULT", "TASK_COMPLETED", "TASK_FAILED"];
    assert!(events.len() > 5, "{events:?}");
    let known = |event: &Value| five.contains(&event["event_type"].as_str().unwrap());
    assert!(events.iter().all(known), "{events:?}");
    let later = told(&model, &["watch", "--last", "--format", "seed", "--audience", "user"]);
    assert_eq!(later, events, "and the same later");
}

//
#[test]
fn whoever_comes_back_goes_on_after_the_last_number_and_misses_nothing() {
    let model = Rehearsal::new(&[look()], "42");
    told(&model, &RUN);
    let watch = ["watch", "--last", "--format", "seed"];
    let all = told(&model, &watch);
    let last = all.last().unwrap()["sequence"].as_u64().unwrap();
    for from in [0, 1, last / 2, last - 1, last] {
        let rest = told(&model, &[&watch[..], &["--from", &from.to_string()]].concat());
        let wanted = all.iter().filter(|event| event["sequence"].as_u64() > Some(from));
        assert_eq!(rest, wanted.cloned().collect::<Vec<_>>(), "from {from}");
    }
}

//
#[test]
fn an_answer_that_breaks_off_ends_with_an_error_after_the_words_that_came() {
    let rules = [vec![look()], well("42")].concat();
    let mut script: Value = serde_json::from_str(&script(&rules)).unwrap();
    // The choice of tools is answered; the plan breaks off.
    script["server"] = json!({"faults": [{"fault": "cut_stream", "after": 1, "times": 1000}]});
    let model = Rehearsal::of(&script.to_string());
    let events = told(&model, &RUN);
    let chunks = events.iter().filter(|event| event["event_type"] == "LLM_STREAM_CHUNK");
    let chunks: Vec<(&str, &str)> = chunks
        .filter(|event| event["phase"] == "任务规划")
        .map(|e| (e["data"]["chunk_type"].as_str().unwrap(), e["message"].as_str().unwrap()))
        .collect();
    let kinds: Vec<&str> = chunks.iter().map(|(kind, _)| *kind).collect();
    assert_eq!((kinds.first(), kinds.get(1)), (Some(&"START"), Some(&"CHUNK")), "{chunks:?}");
    let broke = kinds.iter().position(|kind| *kind == "ERROR").unwrap();
    assert!(!chunks[broke].1.is_empty() && !kinds.contains(&"DONE"), "{chunks:?}");
    assert!(kinds[1..broke].iter().all(|kind| *kind == "CHUNK"), "{chunks:?}");
    assert_eq!(events.iter().filter(|it| it["event_type"] == "TASK_FAILED").count(), 1);
}
