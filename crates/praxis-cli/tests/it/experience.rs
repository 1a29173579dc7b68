//! What goals teach, and what a person does with it: `experience`, `cache`, `show`, `run --no-experience`.

use crate::goal_rig::{Rehearsal, plan};
use crate::rig::{Rig, json_lines};
use serde_json::{Value, json};
use std::io::Write;

fn taught() -> Rehearsal {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "42");
    run(&model, &[]);
    model
}

fn run(model: &Rehearsal, more: &[&str]) -> String {
    let words = [&["run", "look once at it", "--tools", "tools.yaml"], more].concat();
    let (code, _, noted) = model.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    noted
}

fn last(rig: &Rig) -> String {
    rig.last()["task"].as_str().unwrap().to_owned()
}

fn add(rig: &Rig, line: &Value) {
    let path = rig.data().join("experiences.jsonl");
    let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

//
#[test]
fn what_a_task_taught_is_listed_shown_exported_and_taken_back() {
    let model = taught();
    let task = last(&model.rig);
    let listed = json_lines(&model.does(&["experience", "list"]).stdout);
    assert_eq!((listed.len(), &listed[0]["task_id"]), (1, &json!(task)));
    let case = &listed[0]["case"];
    assert_eq!((&case["goal"], &case["tools"]), (&json!("look once at it"), &json!(["look"])));
    assert_eq!(case["plan"]["steps"][0]["tool"], "look");
    let (_, told, _) = model.says(&["experience", "list"]);
    assert!(told.contains(&task) && told.contains("90/80/80") && told.contains("look"), "{told}");
    let (_, shown, _) = model.says(&["--lang", "zh", "experience", "show", &task]);
    assert!(shown.contains("可行方法") && shown.contains("完成度"), "{shown}");
    let (_, shown, _) = model.says(&["show", "--last"]);
    assert!(shown.contains("learned: solution 90/80/80  q"), "{shown}");
    let out = model.rig.path("out.jsonl");
    let exported = model.does(&["experience", "export", "-o", out.to_str().unwrap()]);
    assert!(exported.status.success());
    assert_eq!(json_lines(&std::fs::read(&out).unwrap()), listed);
    assert_eq!(model.says(&["experience", "rm", &task]).0, Some(0));
    assert!(json_lines(&model.does(&["experience", "list"]).stdout).is_empty());
    let (code, _, noted) = model.says(&["experience", "rm", &task]);
    assert_eq!(code, Some(6));
    assert!(noted.contains("error[no_experience]"), "{noted}");
    assert!(model.says(&["show", &task]).1.contains("learned:"), "the journal keeps it");
}

//
#[test]
fn a_later_task_recalls_it_and_says_so_unless_it_is_told_not_to() {
    let model = taught();
    let first = last(&model.rig);
    let noted = run(&model, &["--no-plan-cache"]);
    assert!(noted.contains(&format!("recalled 1 earlier task: {first} (1.00)")), "{noted}");
    let (_, shown, _) = model.says(&["show", "--last"]);
    assert!(shown.contains(&format!("used experience from: {first} (1.00)")), "{shown}");
    let (_, prompt, _) = model.says(&["show", "--last", "--prompt"]);
    assert!(prompt.contains(&format!("- {first}: q [look]")), "{prompt}");
    let second = last(&model.rig);
    for n in 0..1000 {
        let case = json!({"goal": "look once at it", "tools": ["look"]});
        add(
            &model.rig,
            &json!({"task_id": format!("task_{n}"), "task": "t", "category": "solving_ideas", "case": case}),
        );
    }
    let (code, _, noted) = model.says(&["replay", &second]);
    assert_eq!(code, Some(0), "what others taught later changes nothing: {noted}");
    let noted = run(&model, &["--no-experience"]);
    assert!(!noted.contains("recalled"), "{noted}");
    let seen = json_lines(&model.does(&["show", "--last"]).stdout);
    assert_eq!(seen[0]["recalled"], Value::Null);
}

//
#[test]
fn plans_that_can_be_used_again_are_listed_shown_and_taken_back_alone() {
    let rig = Rig::with("", "");
    std::fs::create_dir_all(rig.data()).unwrap();
    let line = |task: &str, plan: Value| {
        json!({"task_id": task, "task": "look", "category": "solving_ideas", "quick_summary": "look",
               "case": {"goal": "look", "tools": ["look"], "plan": plan}})
    };
    let plan = json!({"steps": [{"step_id": "a", "tool": "look", "parameters": {"n": "{{n}}"}}],
                      "slots": {"n": {"type": "integer"}}});
    add(&rig, &line("task_01aa", plan.clone()));
    add(&rig, &line("task_01ab", Value::Null));
    add(&rig, &line("task_01ac", plan.clone()));
    let ids = |what: &str| -> Vec<String> {
        let listed = rig.ask(&[what, "list"]).unwrap();
        listed.iter().map(|line| line["task_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("cache"), ["task_01ac", "task_01aa"], "the newest first");
    assert_eq!(rig.ask(&["cache", "list", "--limit", "1"]).unwrap().len(), 1);
    assert_eq!(rig.ask(&["cache", "show", "task_01aa"]).unwrap(), [plan]);
    let (code, _, noted) = rig.says(&["cache", "show", "01a"]);
    assert!(code == Some(2) && noted.contains("error[ambiguous_task]"), "{noted}");
    let (code, _, noted) = rig.says(&["cache", "show", "task_01ab"]);
    assert!(code == Some(6) && noted.contains("task_01ac"), "near ones are named: {noted}");
    assert_eq!(rig.says(&["cache", "rm", "01aa"]).0, Some(0));
    assert_eq!(ids("cache"), ["task_01ac"]);
    assert_eq!(ids("experience").len(), 3, "what else it taught stays");
}
