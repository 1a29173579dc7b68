//! A fork says what it inherited, what was set, and which calls were only simulated.

use super::scene::Scene;

const PLAN: &str = r#"
steps:
  - {step_id: first, tool: echo, parameters: {a: "{{base}}"}}
  - {step_id: second, tool: put, parameters: {b: "{{first.outputs.a}}", c: "{{base}}"}}
"#;

fn forked(effects: &str) -> Scene {
    let scene = Scene::run(PLAN, &["base=7"]);
    let fork = ["fork", "--last", "--at", "second", "--set", "base=9", "--effects", effects];
    let output = scene.output(&fork);
    assert!(output.status.success(), "{output:?}");
    scene
}

#[test]
fn an_inherited_step_is_told_by_what_its_parent_really_sent() {
    let scene = forked("real");
    insta::assert_snapshot!(scene.says(&["why", "--last", "second"]), @r#"
    second → {"done":1}
    second called put with
      b = 7  ← {{first.outputs.a}} result of first
        first: inherited from TASK: no call was made here
          first of TASK called echo with
            a = 7  ← {{base}} initial metadata
      c = 9  ← {{base}} override, set by WHO when the task was forked
    "#);
    insta::assert_snapshot!(scene.says(&["show", "--last", "--step", "first"]), @r#"
    ✔ first    tool echo  
      inherited from TASK: no call was made here
      planned {"a":"{{base}}"}
      sent    {"a":7}
      a                = 7  ← TASK
      output {"a":7}  ← TASK
      added to metadata: a (1)
    "#);
    let shown = scene.json(&["show", "--last", "--step", "first"]).remove(0);
    assert_eq!(shown["how"]["kind"], "inherited");
    assert_eq!(shown["sent"], serde_json::json!({"a": 7}));
}

#[test]
fn an_inherited_step_of_an_erased_parent_is_told_as_it_was_recorded() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let parent = scene.last();
    scene.says(&["fork", "--last", "--at", "second", "--set", "base=9", "--effects", "real"]);
    scene.says(&["erase", &parent, "--yes"]);
    let told = scene.says(&["why", "--last", "second.b"]);
    assert!(told.contains("first: inherited from TASK"), "{told}");
    assert!(told.ends_with("a = 7  ← sent by the parent task TASK\n"), "{told}");
}

#[test]
fn a_fork_of_a_fork_is_followed_to_the_task_that_made_the_call() {
    let scene = forked("real");
    scene.says(&["fork", "--last", "--at", "second", "--effects", "simulate"]);
    insta::assert_snapshot!(scene.says(&["why", "--last", "first.a"]), @r"
    first: inherited from TASK: no call was made here
      first of TASK: inherited from TASK: no call was made here
        a = 7  ← {{base}} initial metadata
    ");
}

#[test]
fn a_simulated_call_is_never_told_as_one_that_was_made() {
    let scene = forked("simulate");
    assert_eq!(scene.0.calls().get("second"), Some(&1), "the call was made");
    let shown = scene.says(&["show", "--last", "--step", "second"]);
    for words in [
        "simulated: no call was made; the output was taken from TASK",
        "attempt 1 (simulated)  idempotency key TASK/second~1 (simulated)",
        "sent (simulated)    {\"b\":7,\"c\":9}",
        "output (simulated) {\"done\":1}",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let told = scene.says(&["why", "--last", "second"]);
    assert!(told.contains("second would have called put (simulated) with"), "{told}");
    assert!(scene.says(&["show", "--last"]).contains("{\"done\":1}  (simulated)"));
    let history = scene.says(&["export", "--last", "--md"]);
    assert!(history.contains("- Tool: put (simulated)\n"), "{history}");
    assert!(history.contains("- Output (simulated): {\"done\":1}\n"), "{history}");
}

#[test]
fn progress_and_events_say_which_calls_are_simulated() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let fork = ["fork", "--last", "--at", "second", "--effects", "simulate"];
    let told = scene.notes(&fork);
    assert!(told.contains("simulated  → {\"done\":1}"), "{told}");
    let events = scene.json(&fork);
    let simulated: Vec<&str> = events
        .iter()
        .filter(|event| event["data"]["simulated"] == true)
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(simulated, ["dev.praxis.step.started.v1", "dev.praxis.step.succeeded.v1"]);
}

#[test]
fn a_parameter_that_was_set_is_told_with_who_set_it() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let set = "second.c=11";
    scene.says(&["fork", "--last", "--at", "second", "--set", set, "--effects", "simulate"]);
    let told = scene.says(&["why", "--last", "second.c"]);
    assert_eq!(told, "c = 11  ← override, set by WHO when the task was forked\n");
}
