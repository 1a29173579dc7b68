//! B-046: calls that wait for a person, asked for and answered from the command line.

use crate::goal_asks::talk;
use crate::rig::Rig;
use crate::terminal::has_script;
use serde_json::{Value, json};

const PLAN: &str = "
steps:
  - {step_id: a, tool: look}
  - {step_id: b, tool: pay, parameters: {amount: 50, to: Lin, api_key: k-123}, depends_on: [a]}
";

const TOOLS: &str = r#"
tools:
  - id: look
    risk: read
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{}"']}
  - id: pay
    risk: irreversible
    input_schema:
      type: object
      additionalProperties: false
      required: [amount]
      properties: {amount: {type: integer}, to: {type: string}, note: {type: string}, api_key: {type: string}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; cat']}
"#;

const RUN: [&str; 4] = ["run", "plan.yaml", "--tools", "tools.yaml"];

fn run(rig: &Rig, more: &[&str]) -> (Option<i32>, String, String) {
    rig.says(&[&RUN[..], more].concat())
}

/// A plan that waits before it pays.
fn waiting() -> (Rig, String) {
    let rig = Rig::with(PLAN, TOOLS);
    let (code, _, said) = run(&rig, &["--approve", "ask"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("it makes changes that cannot be undone"), "{said}");
    let question = question(&rig);
    (rig, question)
}

fn question(rig: &Rig) -> String {
    let inbox = rig.ask(&["inbox"]).unwrap();
    inbox[0]["question"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn by_default_a_plan_is_run_as_it_is_written_and_with_ask_it_waits_before_it_changes_anything() {
    let rig = Rig::with(PLAN, TOOLS);
    assert_eq!(run(&rig, &[]).0, Some(0));
    let (rig, _) = waiting();
    assert_eq!(rig.calls().get("b"), None);
    let asked = rig.ask(&["inbox"]).unwrap()[0]["question"].clone();
    assert_eq!(asked["arguments"], json!({"amount": 50, "to": "Lin", "api_key": "***"}));
    assert_eq!((&asked["risk"], &asked["asked_by"]), (&json!("irreversible"), &json!("task")));
    for (lang, words) in [
        ("en", "approval required by the task submitter"),
        ("zh", "会作出无法撤销的更改；任务提交者要求审批"),
    ] {
        let (_, shown, _) = rig.says(&["--lang", lang, "inbox"]);
        assert!(shown.contains(words) && shown.contains("/b~1"), "{shown}");
        assert!(shown.contains("--approve [NAME=VALUE…] | --deny REASON | --skip"), "{shown}");
        assert!(!shown.contains("k-123"), "{shown}");
    }
}

#[test]
fn a_call_is_approved_as_it_is_or_with_other_arguments_and_why_says_whose_they_are() {
    let (rig, id) = waiting();
    let (code, out, said) = rig.says(&["answer", &id, "--approve"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["amount"], 50);
    let (rig, id) = waiting();
    let (code, out, said) = rig.says(&["answer", &id, "--approve", "amount=10", "note=by hand"]);
    assert_eq!(code, Some(0), "{said}");
    let sent: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&sent["amount"], &sent["note"], &sent["to"]),
        (&json!(10), &json!("by hand"), &json!("Lin"))
    );
    let (_, told, _) = rig.says(&["why", "--last", "b.amount"]);
    assert!(told.contains("given by cli:uid") && told.contains(&id), "{told}");
    let (code, _, said) = rig.says(&["answer", &id, "--approve"]);
    assert!(code == Some(6) && said.contains("it may have been answered already"), "{said}");
}

#[test]
fn an_answer_that_is_none_is_refused_and_the_question_stays_open() {
    let (rig, id) = waiting();
    let wrong: [(&[&str], &str); 5] = [
        (&["--approve", "amount=much"], "amount"),
        (&["--approve", "amuont=3"], "amuont"),
        (&["amount=3"], "values alone do not approve the call"),
        (&["--done", "{}"], "a question of kind `approval` does not accept"),
        (&[], "approval"),
    ];
    for (words, told) in wrong {
        let (code, _, said) = rig.says(&[&["answer", &id][..], words].concat());
        assert!(code == Some(2) && said.contains(told), "{words:?}: {said}");
        assert_eq!(question(&rig), id, "{words:?}");
    }
    assert_eq!(rig.calls().get("b"), None);
}

#[test]
fn a_denied_call_is_not_made_and_its_reason_is_the_fault_of_the_step() {
    let (rig, id) = waiting();
    let (code, _, said) = rig.says(&["answer", &id, "--deny", "too dear"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("too dear"), "{said}");
    let (_, shown, _) = rig.says(&["show", "--last", "--step", "b"]);
    assert!(shown.contains("`pay` was denied: too dear"), "{shown}");
    assert_eq!(rig.calls().get("b"), None);
    let (rig, id) = waiting();
    let (code, _, said) = rig.says(&["answer", &id, "--skip"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(rig.calls().get("b"), None);
}

#[test]
fn the_settings_decide_for_every_task_and_the_flag_answers_beforehand_or_is_refused() {
    let rig = Rig::with(PLAN, TOOLS);
    std::fs::write(rig.path("praxis.toml"), "[approval]\nirreversible = \"ask\"\n").unwrap();
    assert_eq!(run(&rig, &[]).0, Some(3));
    assert_eq!(run(&rig, &["--approve", "irreversible=allow"]).0, Some(0));
    std::fs::write(rig.path("praxis.toml"), "[approval]\nirreversible = \"deny\"\n").unwrap();
    let before = rig.calls()["b"];
    let (code, _, said) = run(&rig, &[]);
    assert!(code == Some(1) && said.contains("calling `pay` is denied by the settings"), "{said}");
    let (code, _, said) = run(&rig, &["--approve", "allow"]);
    assert!(code == Some(2) && said.contains("approval_denied"), "{said}");
    assert_eq!(
        run(&rig, &["--approve", "write=allow"]).0,
        Some(1),
        "which says nothing of this risk"
    );
    assert_eq!(rig.calls()["b"], before);
    for wrong in ["maybe", "write=perhaps", ""] {
        let (code, _, said) = run(&rig, &["--approve", wrong]);
        assert!(code == Some(2) && said.contains("--approve"), "{wrong}: {said}");
    }
    std::fs::write(rig.path("praxis.toml"), "[approval]\nloosen = [\"everybody\"]\n").unwrap();
    assert_eq!(run(&rig, &[]).0, Some(2));
}

#[test]
fn what_becomes_of_an_unanswered_question_can_be_chosen() {
    for (word, status, told) in [
        ("deny", "failed", "denied if nobody answers within"),
        ("skip", "completed", "skipped if nobody answers within"),
        ("fail", "failed", "the task fails if nobody answers within"),
    ] {
        let rig = Rig::with(PLAN, TOOLS);
        let flags = ["--approve", "ask", "--unanswered", word, "--answer-within"];
        let (_, _, said) = run(&rig, &[&flags[..], &["2h"]].concat());
        assert!(said.contains(told), "{word}: {said}");
        let (_, shown, _) = rig.says(&["inbox"]);
        let outcome = told.split(" if ").next().unwrap();
        assert!(
            shown.contains("if unanswered by 20") && shown.contains(&format!("Z: {outcome}")),
            "{shown}"
        );
        run(&rig, &[&flags[..], &["1ms"]].concat());
        // Whoever comes next finds that nobody did.
        rig.says(&["resume"]);
        assert_eq!(rig.last()["status"], status, "{word}");
        assert_eq!(rig.calls().get("b"), None, "{word}");
    }
    let rig = Rig::with(PLAN, TOOLS);
    let (code, _, said) = run(&rig, &["--unanswered", "approve"]);
    assert!(code == Some(2) && said.contains("got `approve`"), "{said}");
}

#[test]
fn at_a_terminal_a_call_is_edited_or_denied_with_a_reason() {
    if !has_script() {
        return;
    }
    let asked = "[e]dit the arguments";
    let rig = Rig::with(PLAN, TOOLS);
    let words = "run plan.yaml --tools tools.yaml --approve ask";
    let turns = [
        (asked, "e\n"),
        ("NAME=VALUE", "amount=much\n"),
        ("NAME=VALUE", "\n"),
        ("amount: ", ""),
        (asked, "e\n"),
        ("NAME=VALUE", "amount=10\n"),
        ("NAME=VALUE", "\n"),
    ];
    let (code, told) = talk(&rig, words, &turns);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("\"amount\": 10") || told.contains("\"amount\":10"), "{told}");
    let rig = Rig::with(PLAN, TOOLS);
    let (code, told) = talk(&rig, words, &[(asked, "n too dear\n")]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("too dear") && !rig.calls().contains_key("b"), "{told}");
}
