//! Plans that are used again: no model is asked for tools or steps, and the values are those of the new goal.

use crate::goal_rig::{Rehearsal, rule};
use crate::rig::json_lines;
use serde_json::{Value, json};

/// A model whose plan says its own outcome, so that nobody else has to judge it.
fn planner() -> Rehearsal {
    let step =
        json!({"step_id": "a", "step_name": "count", "tool": "count", "parameters": {"n": 7}});
    let planned = json!({"plan_description": "p", "steps": [step],
        "answer": "counted: {{a.outputs.n}}", "checks": [{"value": "{{a.outputs.n}}"}]});
    Rehearsal::new(&[rule("planning", planned)], "42")
}

/// A goal that was run: its answer, the choice of tools, and how often the model was asked meanwhile.
struct Ran {
    answer: String,
    chosen: Value,
    asked: usize,
}

impl Ran {
    fn by(&self) -> &str {
        self.chosen["by"].as_str().unwrap()
    }
}

fn run(model: &Rehearsal, goal: &str, more: &[&str]) -> Ran {
    let before = model.server.calls().len();
    let words = [&["run", goal, "--tools", "tools.yaml"], more].concat();
    let out = model.does(&words);
    assert!(out.status.success(), "{goal} {more:?}: {}", String::from_utf8_lossy(&out.stderr));
    let events = json_lines(&out.stdout);
    let data = |name: &str| {
        let kind = format!("dev.praxis.{name}.v1");
        let event = events.iter().find(|event| event["type"] == kind.as_str());
        event.map(|event| event["data"].clone()).unwrap_or_default()
    };
    let answer = data("answer.given")["answer"].as_str().unwrap_or_default().to_owned();
    let asked = model.server.calls().len() - before;
    Ran { answer, chosen: data("tools.selected"), asked }
}

fn last(model: &Rehearsal) -> String {
    model.rig.last()["task"].as_str().unwrap().to_owned()
}

//
#[test]
fn a_goal_of_the_same_words_is_done_with_its_own_values_and_without_a_model() {
    let model = planner();
    let planned = run(&model, "count up to 7 apples", &[]);
    assert_eq!((planned.answer.as_str(), planned.by()), ("counted: 7", "model"));
    assert!(planned.asked >= 2, "{}", planned.asked);
    let first = last(&model);
    let again = run(&model, "please count up to 31 apples", &[]);
    assert_eq!((again.answer.as_str(), again.by(), again.asked), ("counted: 31", "case", 0));
    assert_eq!(again.chosen["case"]["task"], json!(first));
    let (_, _, noted) = model.says(&["run", "count up to 5 apples", "--tools", "tools.yaml"]);
    assert!(noted.contains("plan cache: reusing the plan of task"), "{noted}");
    let shown = model.rig.last();
    let source = shown["plan_of"]["task"].as_str().unwrap();
    let (_, told, _) = model.says(&["show", "--last"]);
    let line = format!("plan cache: reusing the plan of task {source} (no model call)");
    assert!(told.contains(&line), "{told}");
    let (_, shown, _) = model.says(&["--lang", "zh", "show", "--last"]);
    assert!(shown.contains("的计划（未调用模型）"), "{shown}");
    let (code, _, noted) = model.says(&["replay", "--last"]);
    assert_eq!(code, Some(0), "{noted}");
    let other = run(&model, "count down to 5 apples", &[]);
    assert_eq!(other.by(), "model", "it is worded otherwise");
    assert!(other.asked >= 2, "{}", other.asked);
}

//
#[test]
fn whoever_does_not_want_an_earlier_plan_gets_a_new_one() {
    let model = planner();
    run(&model, "count up to 7 apples", &[]);
    let off = "hit={\"enabled\": false}";
    for flags in [vec!["--no-plan-cache"], vec!["--no-experience"], vec!["--param", off]] {
        let ran = run(&model, "count up to 31 apples", &flags);
        assert_eq!(ran.by(), "model", "{flags:?}");
        assert!(ran.asked >= 2, "{flags:?} {}", ran.asked);
    }
    let settings = model.rig.path(".config/praxis/config.toml");
    std::fs::write(settings, "[goal]\ntwo_stage = \"always\"\nplan_cache = false\n").unwrap();
    assert_eq!(run(&model, "count up to 32 apples", &[]).by(), "model");
}

//
#[test]
fn the_plan_of_a_task_that_the_caller_names_is_used_or_it_is_said_why_not() {
    let model = planner();
    run(&model, "count up to 7 apples", &[]);
    let first = last(&model);
    run(&model, "count up to 8 apples", &["--no-plan-cache"]);
    let hit = format!("hit={}", json!({"task_id": first}));
    let ran = run(&model, "count up to 31 apples", &["--param", &hit]);
    assert_eq!((ran.answer.as_str(), ran.by()), ("counted: 31", "case"));
    assert_eq!(ran.chosen["case"]["task"], json!(first));
    let reasoning = |goal: &str, hit: Value| {
        let hit = format!("hit={hit}");
        let ran = run(&model, goal, &["--param", &hit]);
        assert_eq!(ran.by(), "model");
        ran.chosen["reasoning"].as_str().unwrap_or_default().to_owned()
    };
    let said = reasoning("how many pears are there", json!({"task_id": first}));
    assert!(said.contains(&first) && said.contains("the wording of this goal differs"), "{said}");
    let said = reasoning("count up to 3 apples", json!({"task_id": "task_gone"}));
    assert!(said.contains("task_gone") && said.contains("no stored plan"), "{said}");
    let strict = json!({"similarity_threshold": 0.99});
    assert!(!reasoning("count up to 99 apples", strict).contains("not used"));
}

//
#[test]
fn a_wish_about_plans_that_cannot_be_read_is_an_error_before_there_is_a_task() {
    let model = planner();
    for wrong in ["hit=true", "hit={\"task\": \"x\"}", "hit={\"similarity_threshold\": 80}"] {
        let words = ["run", "count up to 7 apples", "--tools", "tools.yaml", "--param", wrong];
        let (code, _, noted) = model.says(&words);
        assert_eq!(code, Some(2), "{wrong}: {noted}");
        assert!(noted.contains("error[bad_hit]") && noted.contains("experience.md"), "{noted}");
    }
    assert!(json_lines(&model.does(&["ps", "--all"]).stdout).is_empty());
    assert!(model.server.calls().is_empty());
}

//
#[test]
fn a_plan_that_a_later_task_failed_with_is_not_used_again() {
    let model = planner();
    run(&model, "count up to 7 apples", &[]);
    let tools = std::fs::read_to_string(model.rig.path("tools.yaml")).unwrap();
    let broken = tools.replace("calls; cat'", "calls; echo broken >&2; exit 3'");
    let broken = broken.replace("id: count\n", "id: count\n    retries: 0\n");
    assert_ne!(tools, broken);
    std::fs::write(model.rig.path("broken.yaml"), broken).unwrap();
    let settings = model.rig.path(".config/praxis/config.toml");
    std::fs::write(settings, "[goal]\ntwo_stage = \"always\"\nrecovery = \"off\"\n").unwrap();
    let words = ["run", "count up to 8 apples", "--tools", "broken.yaml"];
    let (code, _, noted) = model.says(&words);
    assert_ne!(code, Some(0), "{noted}");
    assert!(noted.contains("plan cache: reusing"), "{noted}");
    assert_eq!(run(&model, "count up to 9 apples", &[]).by(), "model");
}
