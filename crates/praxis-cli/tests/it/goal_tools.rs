//! What a person is told of the choice of tools for a goal with a model.

use crate::goal_rig::{Rehearsal, plan};
use serde_json::json;

const TABLE: &str = "name,age\nlin,41\nwu,38\n";

/// A goal whose words tell its tools, over everything in the box; no model is asked which.
fn pursued(goal: &str) -> (Rehearsal, String) {
    let steps = plan(&[("a", "check_csv_file", json!({"file_path": "ages.csv"}))]);
    let model = Rehearsal::new(&[steps], "done");
    model.rig.add_load_project();
    std::fs::write(model.rig.path("ages.csv"), TABLE).unwrap();
    let words = ["run", "--tools", "tools.yaml", "--two-stage", "auto", goal];
    let (code, _, noted) = model.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    (model, noted)
}

// A-033, A-044
#[test]
fn a_choice_by_words_is_told_with_the_tokens_of_both_ways_in_both_languages_and_shown_later() {
    let (model, noted) = pursued("check the csv file ages.csv");
    let told = noted.lines().find(|line| line.starts_with('●')).unwrap_or_default();
    assert!(
        told.contains(" of ") && told.contains("tools found by keyword search"),
        "{told} in {noted}"
    );
    assert!(told.contains("tokens sent instead of") && told.contains("(−"), "{told}");
    assert!(noted.contains("check_csv_file 1.00 (csv"), "{noted}");
    let stages: Vec<_> =
        model.server.calls().iter().filter_map(|call| call.stage.clone()).collect();
    assert!(!stages.contains(&"selection".to_owned()), "no model was asked: {stages:?}");
    let (_, shown, _) = model.says(&["show", "--last"]);
    assert!(shown.contains("tools found by keyword search"), "{shown}");
    let (_, shown, _) = model.says(&["--lang", "zh", "show", "--last"]);
    assert!(
        shown.contains("按关键词检索得到") && shown.contains("个 token（列出全部工具需"),
        "{shown}"
    );
    let events = model.does(&["watch", "--last", "--json"]).stdout;
    let events = String::from_utf8_lossy(&events).into_owned();
    assert!(events.contains(r#""by":"retrieval""#) && events.contains(r#""why":"sure""#));
}
