//! At a terminal a task asks right there: what fits is taken, what does not is asked again, and what is
//! left open can be answered later.

use crate::goal_rig::{Rehearsal, plan, reflections, replan, well};
use crate::rig::{PATIENCE, Rig, within};
use crate::terminal::{has_script, in_terminal, seen};
use serde_json::{Value, json};
use std::io::Write;

const GOAL: &str = "run 'look twice' --tools tools.yaml";

fn look() -> Value {
    plan(&[("a", "look", json!({})), ("b", "look", json!({"seen": "{{a.outputs.seen}}"}))])
}

/// Types each answer when its prompt is seen, to the end. The exit code, and everything on the screen.
pub(crate) fn talk(rig: &Rig, words: &str, turns: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut run = in_terminal(rig, 100, words);
    let mut from = 0;
    for (prompt, typed) in turns {
        let mut at = None;
        let is_asked = || {
            at = seen(rig).get(from..).and_then(|new| new.find(prompt));
            at.is_some()
        };
        assert!(within(PATIENCE, is_asked), "{prompt} in {}", seen(rig));
        from += at.unwrap() + prompt.len();
        run.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    }
    assert!(within(PATIENCE, || run.try_wait().unwrap().is_some()), "{}", seen(rig));
    (run.wait().unwrap().code(), seen(rig))
}

#[test]
fn at_a_terminal_values_are_asked_for_one_by_one_until_they_fit() {
    if !has_script() {
        return;
    }
    let steps = "steps: [{step_id: a, tool: say, parameters: {text: 'hi {{who}} in {{city}}', n: '{{count}}', id: '{{id}}'}}]";
    let tools = "
id: say
risk: read
input_schema: {type: object, properties: {text: {type: string}, n: {type: integer}, id: {type: string}}}
command: {argv: [cat]}
";
    let rig = Rig::with(steps, tools);
    let turns = [
        ("id · text (press Enter to answer later)", "007\n"),
        ("n · a whole number", "many\n"),
        ("n: ", ""),
        ("n · a whole number", "3\n"),
        ("who · any value", "Lin\n"),
        ("city · any value", "HZ\n"),
    ];
    let (code, told) = talk(&rig, "run plan.yaml --tools tools.yaml", &turns);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("must be an integer, got \"many\""),
        "what is wrong with it is said: {told}"
    );
    let given = rig.ask(&["show", "--last", "--output"]).unwrap();
    assert_eq!(given[0], json!({"text": "hi Lin in HZ", "n": 3, "id": "007"}));
}

#[test]
fn at_a_terminal_a_wall_is_raised_in_its_own_unit() {
    if !has_script() {
        return;
    }
    for (budget, example, bad, good) in [
        ("calls=2", "such as 5", ["lots", "CNY0.5"], "20"),
        ("money=CNY0.001", "such as CNY0.5", ["5", "USD1"], "CNY1"),
    ] {
        let model = Rehearsal::new(&[look()], "all done");
        let typed: Vec<String> = [bad[0], bad[1], good].map(|word| format!("{word}\n")).to_vec();
        let turns: Vec<(&str, &str)> = typed.iter().map(|word| (example, word.as_str())).collect();
        let (code, told) = talk(&model.rig, &format!("{GOAL} --budget {budget}"), &turns);
        assert!(code == Some(0) && told.contains("all done"), "{told}");
        assert_eq!(told.matches("error[bad_amount]").count(), 2, "{told}");
        assert_eq!(model.rig.calls().len(), 2, "{told}");
    }
}

#[test]
fn a_raise_from_elsewhere_is_in_the_unit_of_the_wall_too() {
    let model = Rehearsal::new(&[look()], "all done");
    let words = ["run", "look twice", "--tools", "tools.yaml", "--budget", "money=CNY0.001"];
    let mut run = model.rig.spoken(&words);
    let asked = crate::rig::finish(&model.rig, run.env("PRAXIS_RUN_ON_WALL", "ask"));
    assert_eq!(asked.status.code(), Some(3), "{}", String::from_utf8_lossy(&asked.stderr));
    let question = model.question();
    for bad in ["5", "20k", "USD1", "CNY0"] {
        let (code, _, noted) = model.says(&["answer", &question, "--raise", bad]);
        assert!(code == Some(2) && noted.contains("error[bad_amount]"), "{bad}: {noted}");
        assert!(noted.contains("such as `CNY0.5`"), "{bad}: {noted}");
    }
    let (code, out, noted) = model.says(&["answer", &question, "--raise", "CNY1"]);
    assert_eq!((code, out.trim()), (Some(0), "all done"), "{noted}");
}

#[test]
fn at_a_terminal_a_person_can_say_how_to_go_on() {
    if !has_script() {
        return;
    }
    let mut rules = vec![plan(&[("a", "fail", json!({}))]), replan(&[("b", "look", json!({}))])];
    rules.extend(reflections(json!({"should_replan": false, "root_causes": ["it is outside"]})));
    let model = Rehearsal::new(&rules, "all done");
    let (code, told) = talk(&model.rig, GOAL, &[("type your advice", "look instead\n")]);
    assert!(code == Some(0) && told.contains("all done"), "{told}");
    assert!(
        told.contains("how should the task continue?") && told.contains("it is outside"),
        "{told}"
    );
    let calls = model.server.calls();
    let asked = |call: &&praxis_rehearsal::LoggedCall| call.stage.as_deref() == Some("replanning");
    let prompt = &calls.iter().find(asked).unwrap().messages;
    assert!(prompt.iter().any(|message| message.content.contains("look instead")), "{prompt:?}");
}

#[test]
fn at_a_terminal_a_plan_is_shown_edited_and_approved_right_there() {
    if !has_script() {
        return;
    }
    let edit = "if [ -e tried ]; then echo 'steps: [{step_id: x, step_name: once, tool: look, parameters: {}}]' > \"$1\"
        else touch tried; echo 'steps: 5' > \"$1\"; fi";
    let asked = "[e]dit";
    let approved =
        [(asked, "maybe\n"), ("unknown choice `maybe`", ""), (asked, "w\n"), (asked, "y\n")];
    let edited = [(asked, "e\n"), ("a plan needs `steps`, a list of steps", ""), (asked, "e\n")];
    for (turns, calls) in [(&approved[..], 2), (&edited[..], 1)] {
        let rules = [vec![look()], well("all done")].concat();
        let slow = json!({"server": {"latency": {"first_ms": 300}}, "rules": rules});
        let model = Rehearsal::of(&slow.to_string());
        std::fs::write(model.rig.path("edit.sh"), edit).unwrap();
        let (code, told) = talk(&model.rig, &format!("{GOAL} --review"), turns);
        assert!(code == Some(0) && told.contains("all done"), "{told}");
        assert_eq!(model.rig.calls().values().sum::<usize>(), calls, "{told}");
        assert!(told.contains("planning (fast)"), "that a model answers is drawn: {told}");
    }
}

#[test]
fn at_a_terminal_a_call_is_approved_only_with_a_clear_word() {
    if !has_script() {
        return;
    }
    let rig = Rig::new();
    assert!(rig.run().status.success());
    let asked = "[y]es, [n]o";
    let turns = [(asked, "hm\n"), ("unknown choice `hm`", ""), (asked, "y\n"), (asked, "y\n")];
    let (code, told) = talk(&rig, "fork --last --at b --effects ask", &turns);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(rig.calls()["b"], 2, "{told}");
}

#[test]
fn the_end_of_the_input_leaves_the_task_waiting_and_says_how_to_answer_later() {
    if !has_script() {
        return;
    }
    for (lang, waits) in [("en", "the task is waiting"), ("zh", "任务正在等待回答")] {
        for typed in ["\u{4}", "\n"] {
            let model = Rehearsal::new(&[look()], "all done");
            let words = format!("--lang {lang} {GOAL} --review");
            let (code, told) = talk(&model.rig, &words, &[("> ", typed)]);
            assert_eq!(code, Some(3), "{told}");
            let question = model.question();
            let how = format!("praxis answer {question} --approve");
            assert!(told.contains(waits) && told.contains(&how), "{told}");
            assert!(model.rig.calls().is_empty(), "{told}");
            let (code, out, noted) = model.says(&["answer", &question, "--approve"]);
            assert_eq!((code, out.trim()), (Some(0), "all done"), "{noted}");
        }
    }
}

#[test]
fn the_interrupt_key_at_a_question_cancels_the_task() {
    if !has_script() {
        return;
    }
    let model = Rehearsal::new(&[look()], "done");
    let (code, told) = talk(&model.rig, &format!("{GOAL} --review"), &[("[e]dit", "\u{3}")]);
    assert_eq!(code, Some(5), "{told}");
    assert!(model.rig.calls().is_empty());
}
