//! What whoever operates Praxis can read.

use crate::rig::{Rig, finish, json_lines};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PLAN: &str = r#"
plan_id: nightly
steps:
  - {step_id: a, tool: look, parameters: {password: "{{password}}"}}
  - {step_id: b, tool: fail, depends_on: [a]}
"#;

const TOOLS: &str = r#"
tools:
  - {id: look, risk: read, command: {argv: [cat]}}
  - {id: fail, risk: read, retries: 0, command: {argv: ["false"]}}
"#;

fn records(rig: &Rig, words: &[&str]) -> Vec<Value> {
    let given = ["run", "plan.yaml", "--tools", "tools.yaml", "-p", "password=canary-7"];
    let words: Vec<&str> = given.iter().chain(words).copied().collect();
    let output = finish(rig, rig.praxis(&words).env("PRAXIS_LOG_FORMAT", "json"));
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("canary"), "a value in a record");
    let records = json_lines(&output.stderr).into_iter();
    records.filter(|record| record.get("level").is_some()).collect()
}

// A-098
#[test]
fn every_record_names_its_task_and_plan_and_those_of_a_step_name_the_step() {
    let rig = Rig::with(PLAN, TOOLS);
    let records = records(&rig, &["-v"]);
    let task = rig.last()["task"].as_str().unwrap().to_owned();
    let text = |record: &Value, key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let mut of_steps = Vec::new();
    for record in &records {
        assert_eq!(
            (text(record, "task"), text(record, "plan")),
            (task.clone(), "nightly".to_owned())
        );
        assert!(record["seq"].as_u64().is_some() && record["revision"].as_u64().is_some());
        let message = text(record, "message");
        if message.starts_with("step.") {
            of_steps.push(format!(
                "{} {} {}",
                text(record, "step"),
                message,
                text(record, "level")
            ));
        }
    }
    let failed =
        of_steps.iter().find(|record| record.starts_with("b step.") && record.ends_with("WARN"));
    assert!(failed.is_some(), "{of_steps:?}");
    assert!(of_steps.iter().all(|record| record.starts_with("a ") || record.starts_with("b ")));
    assert!(records.iter().any(|record| text(record, "code") == "tool_failed"), "{records:?}");
}

// A-091
#[test]
fn every_record_names_its_session_and_tasks_of_one_session_stay_apart() {
    let rig = Rig::with(PLAN, TOOLS);
    let sessions = |records: &[Value]| {
        let found: BTreeSet<String> =
            records.iter().map(|r| r["session"].as_str().unwrap_or_default().to_owned()).collect();
        found.into_iter().collect::<Vec<_>>()
    };
    let own = sessions(&records(&rig, &["-v"]));
    let task = rig.last()["task"].as_str().unwrap().to_owned();
    assert_eq!(own, [task.replacen("task_", "session_", 1)]);
    let mut keys = BTreeSet::new();
    for _ in 0..2 {
        assert_eq!(sessions(&records(&rig, &["-v", "-p", "session_id=s-1"])), ["s-1"]);
        let metadata = rig.ask(&["show", "--last", "--metadata"]).unwrap();
        assert!(metadata.contains(&json!({"key": "session_id", "value": "s-1"})), "{metadata:?}");
        let step = rig.ask(&["show", "--last", "--step", "a"]).unwrap().remove(0);
        keys.insert(step["key"].as_str().unwrap().to_owned());
    }
    assert_eq!(keys.len(), 2, "one session, two tasks, each with its own effects");
}

// A-098
#[test]
fn nothing_is_told_unless_asked_for() {
    assert_eq!(records(&Rig::with(PLAN, TOOLS), &[]), Vec::<Value>::new());
}
