//! Two tasks side by side: metadata, arguments, tools, statuses and outputs, and nothing else.

use super::scene::Scene;
use serde_json::json;

const PLAN: &str = r#"
steps:
  - {step_id: first, tool: echo, parameters: {a: "{{base}}", same: 1}}
  - {step_id: second, tool: put, parameters: {b: "{{first.outputs.a}}"}}
"#;

#[test]
fn two_runs_differ_in_metadata_arguments_and_outputs_by_step() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let left = scene.last();
    scene.again(&["base=9"]);
    let right = scene.last();
    let told = scene.says(&["diff", &left, &right]);
    insta::assert_snapshot!(told, @r#"
    - TASK
    + TASK
    metadata base
      - 7
      + 9
    first: sent a
      - 7
      + 9
    first: output
      - {"a":7,"same":1}
      + {"a":9,"same":1}
    second: sent b
      - 7
      + 9
    "#);
    assert_eq!(scene.says(&["diff", &left, "--last"]), told);
    assert_eq!(scene.says(&["diff", "--last", &left]), told);
    let lines = scene.json(&["diff", &left, &right]);
    assert_eq!(lines[1], json!({"step": "first", "what": "sent a", "left": 7, "right": 9}));
    assert_eq!(lines.len(), 4);
}

#[test]
fn the_last_task_alone_is_compared_with_what_it_was_forked_from() {
    let scene = Scene::run(PLAN, &["base=7"]);
    assert_eq!(scene.output(&["diff", "--last"]).status.code(), Some(2));
    scene.says(&["fork", "--last", "--at", "second", "--effects", "real"]);
    assert_eq!(scene.says(&["diff", "--last"]), "- TASK\n+ TASK\nno differences\n");
    scene.says(&["fork", "--last", "--at", "second", "--effects", "simulate"]);
    let lines = scene.json(&["diff", "--last"]);
    let what: Vec<&str> = lines.iter().map(|line| line["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["how"], "{lines:?}");
}

#[test]
fn a_difference_deep_in_a_long_value_is_shown_where_it_is() {
    let scene = Scene::run(PLAN, &[&format!("base={}1", "x".repeat(5000))]);
    let left = scene.last();
    scene.again(&[&format!("base={}2", "x".repeat(5000))]);
    let lines = scene.json(&["diff", &left, "--last"]);
    assert_eq!(lines[0]["what"], "metadata base");
    assert!(lines[0]["left"]["preview"].as_str().unwrap().ends_with("x1\""), "{}", lines[0]);
    assert!(lines[0]["right"]["preview"].as_str().unwrap().ends_with("x2\""), "{}", lines[0]);
}

#[test]
fn another_ending_is_a_difference_of_status_and_error() {
    let plan = "steps: [{step_id: s, tool: look, parameters: {x: '{{base}}'}}]";
    let scene = Scene::run(plan, &["base=7"]);
    let left = scene.last();
    std::fs::write(scene.0.path("plan.yaml"), "steps: [{step_id: s, tool: fail}]").unwrap();
    scene.again(&["base=7"]);
    let lines = scene.json(&["diff", &left, "--last"]);
    let what: Vec<&str> = lines.iter().map(|line| line["what"].as_str().unwrap()).collect();
    let expected = ["status", "tool", "parameters", "sent x", "status", "error", "output"];
    assert_eq!(what, expected, "{lines:?}");
}
