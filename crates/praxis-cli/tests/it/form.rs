//! The form in the terminal, and questions of flows that are answered from elsewhere.

use crate::goal_asks::talk;
use crate::goal_rig::{Rehearsal, plan, script};
use crate::rig::Rig;
use crate::terminal::has_script;
use serde_json::{Value, json};

/// One required parameter that was given and does not fit, and three that nobody gave.
const FLOW: &str = "flow: trip
inputs: {days: {default: lots}}
nodes: [{id: book, call: order, params: {days: \"{{days}}\"}}]
outputs:
  class: \"{{book.outputs.class}}\"
  day: \"{{book.outputs.day}}\"
  days: \"{{book.outputs.days}}\"
  meal: \"{{book.outputs.meal}}\"
";

const TOOLS: &str = r#"
tools:
  - id: order
    risk: read
    input_schema:
      type: object
      required: [class, day, days, meal]
      properties:
        class: {enum: [economy, business]}
        day: {type: string, format: date, description: when it begins}
        days: {type: integer, minimum: 1, default: 3}
        meal: {type: boolean}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; cat']}
  - id: say
    risk: read
    input_schema: {type: object, required: [text], properties: {text: {type: string}}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; cat']}
"#;

const RUN: &str = "flow run plan.yaml --tools tools.yaml";

fn outputs(rig: &Rig) -> Value {
    rig.ask(&["show", "--last", "--output"]).unwrap()[0].clone()
}

#[test]
fn every_value_is_told_in_words_and_taken_in_its_type() {
    if !has_script() {
        return;
    }
    let en = [
        ("type `skip` to skip the step", ""),
        ("class · one of: economy, business (or 1-2; press Enter to answer later)", "2\n"),
        (
            "day · a date like 2027-01-31 · when it begins (press Enter to answer later)",
            "tomorrow\n",
        ),
        ("day: ", ""),
        ("day · a date", "2027/2/1\n"),
        (
            "days · a whole number of at least 1, default 3 (press Enter for 3, or type `later`)",
            "\n",
        ),
        ("meal · yes or no", "yes\n"),
    ];
    let zh = [
        ("输入 `跳过`", ""),
        ("class · 任选其一：economy、business", "business\n"),
        ("day · 日期（如 2027-01-31）", "2027-02-01\n"),
        ("days · 不小于 1 的整数，默认 3", "0\n"),
        ("days: ", ""),
        ("按回车使用 3", "\n"),
        ("meal · 是或否", "是\n"),
    ];
    for (lang, turns) in [("en", &en), ("zh", &zh)] {
        let rig = Rig::with(FLOW, TOOLS);
        let (code, told) = talk(&rig, &format!("--lang {lang} {RUN}"), turns);
        assert_eq!(code, Some(0), "{told}");
        let given = json!({"class": "business", "day": "2027-02-01", "days": 3, "meal": true});
        assert_eq!(outputs(&rig), given);
    }
}

#[test]
fn a_question_with_a_default_can_be_left_for_later_and_answered_in_words_elsewhere() {
    if !has_script() {
        return;
    }
    let rig = Rig::with(FLOW, TOOLS);
    let turns = [
        ("class ·", "guess\n"),
        ("cannot guess: the task has no model", ""),
        ("class ·", "1\n"),
        ("day ·", "2027-02-01\n"),
        ("days ·", "later\n"),
    ];
    let (code, told) = talk(&rig, RUN, &turns);
    assert_eq!(code, Some(3), "{told}");
    let (_, shown, _) = rig.says(&["inbox"]);
    assert!(shown.contains("missing value · a date like 2027-01-31 · when it begins"), "{shown}");
    assert!(
        shown.contains("the current value is invalid · a whole number of at least 1"),
        "{shown}"
    );
    let (_, shown, _) = rig.says(&["--lang", "zh", "inbox"]);
    assert!(shown.contains("缺少值 · 是或否"), "{shown}");
    let inbox = rig.ask(&["inbox"]).unwrap();
    let id = inbox[0]["question"]["id"].as_str().unwrap();
    let wrong = ["answer", id, "class=economy", "day=soon", "days=2", "meal=yes"];
    let (code, _, said) = rig.says(&wrong);
    assert!(code == Some(2) && said.contains("day"), "{said}");
    let right = ["answer", id, "class=economy", "day=2027/2/1", "days=2", "meal=yes"];
    let (code, _, said) = rig.says(&right);
    assert_eq!(code, Some(0), "{said}");
    let given = json!({"class": "economy", "day": "2027-02-01", "days": 2, "meal": true});
    assert_eq!(outputs(&rig), given);
}

const SAY: &str = "flow: say
nodes: [{id: a, call: say}]
outputs: {text: \"{{a.outputs.text}}\"}
";

#[test]
fn a_step_is_left_out_by_a_word_and_the_same_word_in_quotes_is_a_text() {
    if !has_script() {
        return;
    }
    let rig = Rig::with(SAY, TOOLS);
    let (code, told) = talk(&rig, RUN, &[("text · text", "skip\n")]);
    assert_eq!(code, Some(0), "{told}");
    assert!(rig.calls().is_empty(), "{told}");
    let rig = Rig::with(SAY, TOOLS);
    let (code, told) = talk(&rig, RUN, &[("text · text", "\"skip\"\n")]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(outputs(&rig), json!({"text": "skip"}));
}

#[test]
fn a_person_who_does_not_know_lets_the_model_guess() {
    if !has_script() {
        return;
    }
    let found = |words: &[&str], answer: Value| json!({"when": {"stage": "values", "contains": words}, "reply": {"json": answer}});
    let rules =
        [found(&["lets you guess"], json!({"/text": "hello"})), found(&["/text"], json!({}))];
    let model = Rehearsal::of(&script(&rules));
    std::fs::write(model.rig.path("plan.yaml"), SAY).unwrap();
    let tools = TOOLS.replace("CALLS", &model.rig.path("calls").display().to_string());
    std::fs::write(model.rig.path("tools.yaml"), tools).unwrap();
    let (code, told) = talk(&model.rig, RUN, &[("text · text", "guess\n")]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(outputs(&model.rig), json!({"text": "hello"}));
}

#[test]
fn questions_that_are_open_at_once_are_answered_in_any_order() {
    let flow = "flow: three
start: [a, b, c]
nodes:
  - {id: a, call: say}
  - {id: b, call: say}
  - {id: c, call: say}
  - {id: end, call: Empty}
edges: [a -> end, b -> end, c -> end]
outputs: {all: [\"{{a.outputs.text}}\", \"{{b.outputs.text}}\", \"{{c.outputs.text}}\"]}
";
    let rig = Rig::with(flow, TOOLS);
    let run: Vec<&str> = RUN.split(' ').collect();
    assert_eq!(rig.says(&run).0, Some(3));
    let open = rig.ask(&["inbox"]).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut open: Vec<(String, String)> = open
        .iter()
        .map(|one| (text(&one["question"]["step"]), text(&one["question"]["id"])))
        .collect();
    open.sort();
    assert_eq!(open.len(), 3, "{open:?}");
    for (step, id) in open.iter().rev() {
        let (code, _, said) = rig.says(&["answer", id, &format!("text=from {step}")]);
        let left = if step == "a" { Some(0) } else { Some(3) };
        assert_eq!(code, left, "{said}");
    }
    assert_eq!(outputs(&rig), json!({"all": ["from a", "from b", "from c"]}));
    assert_eq!(rig.last()["status"], "completed");
    let calls: Vec<(String, usize)> = rig.calls().into_iter().collect();
    assert_eq!(calls, [("a".to_owned(), 1), ("b".to_owned(), 1), ("c".to_owned(), 1)]);
}

#[test]
fn a_scene_that_wants_changes_approved_has_them_asked_for_and_then_made() {
    let scene = "id = \"weather\"\nkeywords = [\"weather forecast\"]\napproval = \"ask\"\n";
    let model = Rehearsal::new(&[plan(&[("a", "put", json!({}))])], "all done");
    let folder = model.rig.path(".praxis/scenes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("weather.toml"), scene).unwrap();
    // The settings let every plan run: it is the scene alone that asks.
    std::fs::write(model.rig.path("praxis.toml"), "[goal]\napproval = \"allow\"\n").unwrap();
    let goal = |words: &str| model.says(&["run", words, "--tools", "tools.yaml"]);
    let (code, _, said) = goal("write down the news");
    assert_eq!((code, model.rig.calls().len()), (Some(0), 1), "another scene asks nobody: {said}");
    std::fs::remove_file(model.rig.path("calls")).unwrap();
    let (code, _, said) = goal("write down the weather forecast");
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains("approval required by the scene") && model.rig.calls().is_empty(),
        "{said}"
    );
    let asked = model.rig.ask(&["inbox"]).unwrap()[0]["question"].clone();
    assert_eq!((&asked["about"], &asked["asked_by"]), (&json!("approval"), &json!("scene")));
    let (code, out, said) = model.says(&["answer", &model.question(), "--approve"]);
    assert_eq!((code, out.trim()), (Some(0), "all done"), "{said}");
    assert_eq!(model.rig.calls().values().sum::<usize>(), 1);
}
