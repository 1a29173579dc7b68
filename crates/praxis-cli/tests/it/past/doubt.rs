//! What is not known yet, and what a person said.

use super::scene::Scene;

const PLAN: &str = r#"
steps:
  - {step_id: pay, tool: stall, parameters: {amount: "{{base}}"}}
  - {step_id: after, tool: echo, parameters: {p: "{{pay.outputs.paid}}"}}
  - {step_id: ask, tool: echo, parameters: {n: "{{nowhere}}", ok: "{{base}}"}}
  - {step_id: rest, tool: look, depends_on: [ask]}
"#;

#[test]
fn a_step_that_has_not_run_says_what_it_waits_for() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let (doubt, param) = (scene.question("in_doubt"), scene.question("param"));
    let told: String = ["pay", "after", "ask", "rest"]
        .iter()
        .map(|step| scene.says(&["why", "--last", step]))
        .collect();
    let told = told.replace(&doubt, "Q_DOUBT").replace(&param, "Q_PARAM");
    insta::assert_snapshot!(told, @r"
    pay waits for an answer to Q_DOUBT: did the call to `stall` take effect? its outcome is unknown
    pay called stall with
      amount = 7  ← {{base}} initial metadata
    after has not run yet: it waits for pay
    after will call echo with
      p  ← `{{pay.outputs.paid}}` has no value: that step has not run yet; looked in the result of step `pay`
    ask waits for an answer to Q_PARAM: `{{nowhere}}` has no value: no value has this name; looked in runtime metadata, initial metadata, step results
    ask will call echo with
      n  ← `{{nowhere}}` has no value: no value has this name; looked in runtime metadata, initial metadata, step results
      ok = 7  ← {{base}} initial metadata
    rest has not run yet: it waits for ask
    rest will call look without arguments
    ");
    let shown = scene.json(&["show", "--last", "--step", "ask"]).remove(0);
    assert_eq!(shown["question"].as_str(), Some(&*param));
    assert_eq!(shown["origins"][0]["source"]["from"], "missing");
}

#[test]
fn an_output_that_a_person_gave_is_told_with_who_gave_it() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let question = scene.question("in_doubt");
    scene.output(&["answer", &question, "--done", r#"{"paid":"x"}"#]);
    let by = format!("given by WHO in answer to {question}");
    for words in [
        &["why", "--last", "after"][..],
        &["show", "--last", "--step", "pay"],
        &["export", "--last", "--md"],
    ] {
        let told = scene.says(words);
        assert!(told.contains(&by), "{words:?}: {told}");
    }
    let shown = scene.json(&["show", "--last", "--step", "pay"]).remove(0);
    assert_eq!(shown["how"]["question"].as_str(), Some(&*question));
}
