//! `praxis test`: past tasks as tests, without any call.

use crate::goal_rig::{Rehearsal, plan};
use crate::rig::json_lines;
use serde_json::{Value, json};

fn looked() -> Rehearsal {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "done");
    let (code, _, noted) = model.says(&["run", "look", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    model
}

#[test]
fn a_past_goal_is_a_test_that_asks_nobody() {
    let model = looked();
    let (code, out, noted) = model.says(&["test", "add", "--last", "looked"]);
    assert_eq!(code, Some(0), "{noted}");
    assert!(out.contains("tests/praxis/looked.json"), "{out}");
    let (asked, called) = (model.server.report().calls, model.rig.calls());
    // A test stands on its own: the data folder is not needed.
    std::fs::remove_dir_all(model.rig.data()).unwrap();
    let ran = json_lines(&model.does(&["test", "run"]).stdout);
    assert!(ran[0]["same"]["decisions"].as_u64() > Some(3), "{ran:?}");
    assert_eq!((asked, called), (model.server.report().calls, model.rig.calls()));
    let listed = json_lines(&model.does(&["test", "list"]).stdout);
    assert_eq!(listed[0]["goal"], "look");
    assert_eq!(model.says(&["test", "rm", "looked"]).0, Some(0));
    assert_eq!(model.says(&["test", "run", "looked"]).0, Some(6));
}

#[test]
fn a_task_that_would_go_another_way_is_told_with_the_first_difference_and_can_be_updated() {
    let model = looked();
    assert_eq!(model.says(&["test", "add", "--last", "looked"]).0, Some(0));
    let file = model.rig.path("tests/praxis/looked.json");
    let mut test: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let entries = test["entries"].as_array_mut().unwrap();
    let ended = entries.iter_mut().find(|entry| entry["kind"] == "answer_given").unwrap();
    ended["by"] = json!("rules");
    let seq = ended["seq"].clone();
    std::fs::write(&file, test.to_string()).unwrap();
    let ran = model.does(&["test", "run"]);
    assert_eq!(ran.status.code(), Some(8));
    let told = json_lines(&ran.stdout);
    assert_eq!(told[0]["diverged"]["seq"], seq, "{told:?}");
    assert_eq!(told[0]["diverged"]["now"]["by"], "model", "{told:?}");
    let (code, out, noted) = model.says(&["test", "update", "looked"]);
    assert!(code == Some(0) && out.contains("recorded") && out.contains("now"), "{out}{noted}");
    assert_eq!(model.says(&["test", "run"]).0, Some(0));
}
