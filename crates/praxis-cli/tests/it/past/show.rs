//! Every part that `show` has, as text and as JSON.

use super::scene::Scene;
use crate::rig::json_lines;
use serde_json::{Value, json};

const PLAN: &str = r#"
plan_description: look
steps:
  - {step_id: a, step_name: begin, tool: echo, parameters: {x: "{{base}}", api_key: k-1}}
  - {step_id: b, tool: big}
  - {step_id: d, tool: look, parameters: {all: "{{b.output}}", x: "{{a.outputs.x}}"}}
  - {step_id: f, tool: fail}
  - {step_id: e, tool: echo, parameters: {text: "{{b.output}}", small: 1}}
  - {step_id: k, tool: look, parameters: {part: "{{e.outputs.text}}"}}
"#;

fn scene() -> Scene {
    Scene::run(PLAN, &["base=7"])
}

#[test]
fn a_step_as_json_has_what_its_text_shows_and_no_internals() {
    let step = scene().json(&["show", "--last", "--step", "a"]).remove(0);
    let keys: Vec<&str> = step.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "actions",
        "attempt",
        "depends_on",
        "duration_ms",
        "error",
        "how",
        "key",
        "origins",
        "output",
        "parameters",
        "question",
        "sent",
        "status",
        "stderr",
        "step_id",
        "step_name",
        "synced",
        "task",
        "tool_id",
    ];
    assert_eq!(keys, expected);
    assert_eq!(step["parameters"], json!({"x": "{{base}}", "api_key": "***"}));
    assert_eq!(step["sent"], json!({"x": 7, "api_key": "***"}));
    assert_eq!(step["origins"][1]["source"], json!({"from": "initial"}));
    assert_eq!((&step["status"], &step["how"]["kind"]), (&json!("SUCCESS"), &json!("called")));
}

#[test]
fn a_failed_step_as_json_has_its_fault() {
    let step = scene().json(&["show", "--last", "--step", "f"]).remove(0);
    assert_eq!((&step["status"], &step["output"]), (&json!("ERROR"), &Value::Null));
    assert_eq!(step["error"]["code"], "tool_failed");
}

#[test]
fn the_parameters_of_all_steps_are_one_line_of_json_each() {
    let steps = scene().json(&["show", "--last", "--params"]);
    let ids: Vec<&str> = steps.iter().map(|step| step["step_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "d", "f", "e", "k"]);
}

#[test]
fn an_argument_in_a_blob_is_shown_as_a_reference() {
    let scene = scene();
    let sent = scene.json(&["show", "--last", "--step", "d"]).remove(0)["sent"].clone();
    assert_eq!((&sent["x"], &sent["all"]["bytes"]), (&json!(7), &json!(70_002)));
    assert!(sent["all"]["preview"].as_str().unwrap().starts_with("\"xxx"), "{sent}");
    let part = scene.json(&["show", "--last", "--step", "k"]).remove(0)["sent"]["part"].clone();
    assert_eq!((&part["key"], &part["bytes"]), (&json!("text"), &json!(70_002)), "{part}");
    assert!(part["preview"].as_str().unwrap().starts_with("\"xxx"), "{part}");
    let text = scene.says(&["show", "--last", "--step", "d"]);
    assert!(text.contains(r#"sent    {"all":"string of 70002 bytes in blob "#), "{text}");
    assert!(!text.contains("null"), "{text}");
}

#[test]
fn an_event_has_a_reference_where_an_argument_is_in_a_blob() {
    let events = json_lines(&scene().output(&["--json", "watch", "--last"]).stdout);
    let started = |event: &&Value| {
        let of_step = event["subject"].as_str().unwrap().ends_with("/steps/d");
        of_step && event["type"] == "dev.praxis.step.started.v1"
    };
    let event = events.iter().find(started).unwrap();
    assert_eq!(event["data"]["arguments"]["all"]["blob"].as_str().unwrap().len(), 64, "{event}");
}

#[test]
fn an_output_is_json_when_json_is_asked_for() {
    let scene = scene();
    assert_eq!(scene.json(&["show", "--last", "--output", "--step", "d"]), [json!(3)]);
    let text = scene.json(&["show", "--last", "--output", "--step", "b"]).remove(0);
    assert_eq!(text.as_str().unwrap().len(), 70_000);
    assert!(scene.says(&["show", "--last", "--output", "--step", "b"]).starts_with("xxx"));
}

#[test]
fn plan_catalog_metadata_and_events_are_json_lines() {
    let scene = scene();
    let plan = scene.json(&["show", "--last", "--plan"]).remove(0);
    assert_eq!(plan["steps"].as_array().unwrap().len(), 6);
    assert_eq!(scene.json(&["show", "--last", "--catalog"]).len(), 1);
    let metadata = scene.json(&["show", "--last", "--metadata"]);
    assert!(metadata.contains(&json!({"key": "base", "value": 7})), "{metadata:?}");
    assert_eq!(scene.json(&["show", "--last", "--events", "--step", "a"]).len(), 2);
}

#[test]
fn the_task_as_json_says_how_each_step_came_about() {
    let task = scene().json(&["show", "--last"]).remove(0);
    assert_eq!(task["steps"][0]["how"], json!({"kind": "called"}));
}

#[test]
fn every_part_is_shown_as_text_too() {
    let scene = scene();
    for (words, shown) in [
        (&["--params"][..], "planned {\"api_key\":\"***\",\"x\":\"{{base}}\"}"),
        (&["--plan"], "\"plan_description\": \"look\""),
        (&["--events"], "task_submitted"),
        (&["--metadata"], "base                                 = 7"),
        (&["--catalog"], "{"),
        (&["--at", "4"], "0/6 steps"),
        (&["--step", "f"], "tool_failed"),
    ] {
        let mut all = vec!["show", "--last"];
        all.extend(words);
        let told = scene.says(&all);
        assert!(told.contains(shown), "{words:?}: {told}");
    }
}
