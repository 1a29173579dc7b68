//! `why` goes back to the beginning, tells nothing twice, and answers for every step.

use super::scene::Scene;
use std::fmt::Write;

/// `s1` reads `start`, each after it reads the one before, as often as `reads` says.
fn chain(length: usize, reads: usize) -> String {
    let mut plan = "steps:\n".to_owned();
    for index in 1..=length {
        let source = match index {
            1 => "{{start}}".to_owned(),
            _ => format!("{{{{s{}.outputs.p0}}}}", index - 1),
        };
        let parameters: Vec<String> = (0..reads).map(|n| format!("p{n}: '{source}'")).collect();
        let parameters = parameters.join(", ");
        let _ =
            writeln!(plan, "  - {{step_id: s{index}, tool: echo, parameters: {{{parameters}}}}}");
    }
    plan
}

#[test]
fn a_long_chain_is_followed_to_its_beginning() {
    let scene = Scene::run(&chain(60, 1), &["start=hello"]);
    let told = scene.says(&["why", "--last", "s60"]);
    assert!(told.ends_with("p0 = \"hello\"  ← {{start}} initial metadata\n"), "{told}");
    assert_eq!(told.matches("called echo").count(), 60, "{told}");
}

#[test]
fn a_step_that_is_read_twice_is_told_once() {
    let scene = Scene::run(&chain(30, 2), &["start=hello"]);
    let told = scene.says(&["why", "--last", "s30"]);
    assert_eq!(told.matches("called echo").count(), 30, "{told}");
    assert_eq!(told.matches(": as above").count(), 29, "{told}");
}

#[test]
fn an_answer_that_stops_says_where_it_goes_on() {
    let scene = Scene::run(&chain(1003, 1), &["start=hello"]);
    let told = scene.says(&["why", "--last", "s1003"]);
    let end = "s3: stopped after 1000 steps; continue with `praxis why TASK s3`\n";
    assert!(told.ends_with(end), "{}", told.lines().last().unwrap());
}

#[test]
fn a_step_without_parameters_is_explained_by_what_it_called() {
    let scene = Scene::run("steps: [{step_id: sl, tool: look}]", &[]);
    assert_eq!(scene.says(&["why", "--last", "sl"]), "sl → 3\nsl called look without arguments\n");
    let line = scene.json(&["why", "--last", "sl"]).remove(0);
    assert_eq!((line["output"].as_i64(), line["how"]["kind"].as_str()), (Some(3), Some("called")));
}

#[test]
fn the_command_that_run_suggests_works() {
    for id in ["sl", "1.1", "a;b"] {
        let first = "{step_id: '1', tool: look}";
        let plan = format!("steps: [{first}, {{step_id: '{id}', tool: look, depends_on: ['1']}}]");
        let scene = Scene::run(&plan, &[]);
        let said = String::from_utf8(scene.again(&[]).stderr).unwrap();
        let (_, suggested) = said.trim_end().rsplit_once("praxis ").unwrap();
        let words: Vec<&str> = suggested.split_whitespace().collect();
        let quoted = if id.contains(';') { format!("'{id}'") } else { id.to_owned() };
        assert_eq!((words[0], words[2]), ("why", &*quoted), "{said}");
        let told = scene.says(&["why", words[1], id]);
        assert_eq!(told, format!("{id} → 3\n{id} called look without arguments\n"));
    }
}

#[test]
fn a_step_that_gathers_names_its_actions_and_follows_them() {
    let plan = r#"
steps:
  - step_id: g
    actions:
      - {action_id: g1, tool: echo, parameters: {x: "{{base}}"}}
      - {action_id: g2, tool: look}
"#;
    let scene = Scene::run(plan, &["base=7"]);
    insta::assert_snapshot!(scene.says(&["why", "--last", "g"]), @r#"
    g → "[g1] ✅ {\"x\":7}\n[g2] ✅ 3"
    g: gathered from g1, g2
      g1 called echo with
        x = 7  ← {{base}} initial metadata
      g2 called look without arguments
    "#);
}

#[test]
fn a_parameter_is_named_exactly_and_what_is_below_it_belongs_to_it() {
    let plan = r#"
steps:
  - step_id: s
    tool: echo
    parameters: {a: 1, ab: 2, a/b: 3, x.y: {z: "{{base}}", w: [5, "{{base}}"]}}
"#;
    let scene = Scene::run(plan, &["base=7"]);
    let asked = ["s.a", "s.a/b", "s[\"x.y\"]", "s[\"x.y\"].w[1]", "s.x.y.z", "s[\"x.y\"].w[0]"];
    let told: String = asked
        .iter()
        .map(|word| format!("{word}\n{}", scene.says(&["why", "--last", word])))
        .collect();
    insta::assert_snapshot!(told, @r#"
    s.a
    a = 1  ← literal in the plan
    s.a/b
    a/b = 3  ← literal in the plan
    s["x.y"]
    ["x.y"].w.0 = 5  ← literal in the plan
    ["x.y"].w.1 = 7  ← {{base}} initial metadata
    ["x.y"].z = 7  ← {{base}} initial metadata
    s["x.y"].w[1]
    ["x.y"].w.1 = 7  ← {{base}} initial metadata
    s.x.y.z
    ["x.y"].z = 7  ← {{base}} initial metadata
    s["x.y"].w[0]
    ["x.y"].w.0 = 5  ← literal in the plan
    "#);
    let refused = scene.output(&["why", "--last", "s.b"]);
    assert_eq!(refused.status.code(), Some(6));
}

#[test]
fn the_help_says_how_a_key_with_a_dot_is_named() {
    let scene = Scene::run("steps: [{step_id: s, tool: look}]", &[]);
    assert!(scene.says(&["why", "--help"]).contains("'step_3[\"x.y\"]'"));
}

#[test]
fn a_value_in_a_blob_is_told_by_its_shape_and_size() {
    let plan = r#"
steps:
  - {step_id: b, tool: big}
  - {step_id: d, tool: look, parameters: {all: "{{b.output}}"}}
"#;
    let scene = Scene::run(plan, &[]);
    let told = scene.says(&["why", "--last", "d"]);
    assert!(told.contains("all = (string of 70002 bytes in blob "), "{told}");
}

#[test]
fn origins_are_told_in_chinese_too() {
    let scene = Scene::run(&chain(2, 1), &["start=hello"]);
    insta::assert_snapshot!(scene.says(&["--lang", "zh", "why", "--last", "s2"]), @r#"
    s2 → {"p0":"hello"}
    s2 调用了 echo，参数：
      p0 = "hello"  ← {{s1.outputs.p0}} s1 的结果
        s1 调用了 echo，参数：
          p0 = "hello"  ← {{start}} 初始元数据
    "#);
}
