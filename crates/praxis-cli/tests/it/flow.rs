//! Flows as people check, run and look at them.

use crate::rig::{Rig, finish, json_lines, within};
use crate::terminal::{has_script, in_terminal, seen};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

const GREET: &str = "# The head of the file is kept.
flow: greet
description: says hello
inputs:
  who: {type: string, description: whom to greet}
  loud: {type: boolean, default: false}
nodes:
  - id: how
    call: Choice
    branches:
      - {id: shout, all: [{left: \"{{loud}}\", is: \"=\", right: true}]}
    otherwise: speak
  - {id: big, call: Convert, params: {text: \"HELLO {{who}}!\"}}
  - {id: small, call: Convert, params: {text: \"hello {{who}}\"}}
edges: [how.shout -> big, how.speak -> small]
outputs: {said: {first_of: [\"{{big.outputs.text}}\", \"{{small.outputs.text}}\"]}}
";

const MAIN: &str = "flow: main
nodes:
  - id: each
    call: Loop
    over: [甲, \"<b>\"]
    nodes:
      - {id: one, name: 问候, call: SubFlow, flow: greet, params: {who: \"{{item}}\"}}
    collect: \"{{one.outputs.said}}\"
outputs: {all: \"{{each.outputs.collected}}\"}
";

fn rig() -> Rig {
    let rig = Rig::empty();
    std::fs::write(rig.path("greet.yaml"), GREET).unwrap();
    std::fs::write(rig.path("main.yaml"), MAIN).unwrap();
    rig
}

fn write(rig: &Rig, name: &str, text: &str) {
    std::fs::write(rig.path(name), text).unwrap();
}

fn json_of(rig: &Rig, words: &[&str]) -> (Option<i32>, Vec<Value>) {
    let output = finish(rig, &mut rig.praxis(words));
    (output.status.code(), json_lines(&output.stdout))
}

#[test]
fn check_says_that_flows_are_in_order_with_those_that_they_call() {
    let rig = rig();
    let (code, out, said) = rig.says(&["flow", "check", "greet.yaml", "main.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(out.contains("✔ greet: 3 nodes, ") && out.contains("✔ main: 2 nodes, "), "{out}");
    let (_, rows) = json_of(&rig, &["flow", "check", "main.yaml"]);
    assert_eq!((&rows[0]["ok"], &rows[0]["calls"]), (&json!(true), &json!(["greet"])));
}

#[test]
fn check_tells_every_problem_with_file_line_and_how_to_mend_it() {
    let rig = rig();
    write(
        &rig,
        "bad.yaml",
        "flow: bad\nnodes:\n  - id: a\n    call: ehco\n  - id: b\n    call: Convert\n    params: {text: \"{{who}}\"}\n",
    );
    let (code, out, said) = rig.says(&["flow", "check", "bad.yaml", "greet.yaml"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains(
            "error[flow_call]: bad.yaml line 3, nodes.a: unknown tool or node type `ehco`"
        ),
        "{said}"
    );
    assert!(said.contains("next: did you mean `echo`?"), "{said}");
    assert!(out.contains("✔ greet"), "the others are told too: {out}");
    let (code, rows) = json_of(&rig, &["--lang", "zh", "flow", "check", "bad.yaml"]);
    assert_eq!(code, Some(2));
    assert_eq!(rows[0]["problems"][0]["next"], "是否想写 `echo`？");
}

#[test]
fn a_problem_in_a_called_flow_is_told_with_its_own_file() {
    let rig = rig();
    write(
        &rig,
        "greet.yaml",
        "flow: greet\ninputs: {who: {type: strin}}\nnodes: [{id: a, call: Empty}]\noutputs: {said: 1}\n",
    );
    let (code, _, said) = rig.says(&["flow", "check", "main.yaml"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("greet.yaml line 2, inputs.who: invalid JSON Schema"), "{said}");
}

#[test]
fn a_called_flow_is_found_in_other_folders_too_and_one_file_means_one_flow() {
    let rig = rig();
    std::fs::create_dir(rig.path("more")).unwrap();
    std::fs::rename(rig.path("greet.yaml"), rig.path("more/greet.yaml")).unwrap();
    let (code, _, said) = rig.says(&["flow", "check", "main.yaml"]);
    assert!(
        code == Some(2) && said.contains("put it into `greet.yaml` in the same folder"),
        "{said}"
    );
    let found = ["flow", "check", "main.yaml", "--flows", "more"];
    assert_eq!(rig.says(&found).0, Some(0));
    write(&rig, "more/greet.json", "{}");
    let (code, _, said) = rig.says(&found);
    assert!(code == Some(2) && said.contains("flow `greet` has two files"), "{said}");
    std::fs::remove_file(rig.path("more/greet.json")).unwrap();
    write(&rig, "more/greet.yaml", &GREET.replace("flow: greet", "flow: hello"));
    let (code, _, said) = rig.says(&found);
    assert!(code == Some(2) && said.contains("write `flow: greet`, or rename the file"), "{said}");
}

#[test]
fn what_is_no_flow_at_all_is_refused_with_what_to_do() {
    let rig = rig();
    write(&rig, "twice.yaml", "flow: a\nflow: b\n");
    write(&rig, "broken.yaml", "flow: [\n");
    write(&rig, "plan.yaml", "steps: [{step_id: a, tool: echo}]\n");
    for (file, code, words) in [
        ("twice.yaml", 2, "twice.yaml line 2 column 1: duplicate key `flow`"),
        ("broken.yaml", 2, "error[malformed]: broken.yaml line "),
        ("plan.yaml", 2, "this is a plan, not a flow"),
        ("nothing.yaml", 6, "cannot read nothing.yaml"),
        (".", 2, ". is a folder"),
    ] {
        let (found, _, said) = rig.says(&["flow", "check", file]);
        assert!(
            found == Some(code) && said.contains(words) && said.contains("next: "),
            "{file}: {said}"
        );
        let (found, _, _) = rig.says(&["flow", "run", file]);
        assert_eq!(found, Some(code), "{file}");
    }
    let (code, _, said) = rig.says(&["run", "greet.yaml"]);
    assert!(code == Some(2) && said.contains("`praxis flow run greet.yaml`"), "{said}");
}

#[test]
fn run_gives_the_outputs_of_the_flow() {
    let rig = rig();
    let (code, out, said) =
        rig.says(&["flow", "run", "greet.yaml", "-p", "who=Ada", "-p", "loud=true"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), json!({"said": "HELLO Ada!"}));
    let (code, out, said) = rig.says(&["flow", "run", "main.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap(),
        json!({"all": ["hello 甲", "hello <b>"]})
    );
}

#[test]
fn inputs_that_are_missing_wrong_or_unknown_are_told_before_anything_runs() {
    let rig = rig();
    for (words, code, told) in [
        (&[][..], 3, "pass it with `-p who=…`"),
        (&["-p", "who=7"][..], 2, "must be a string, got 7"),
        (&["-p", "who=Ada", "-p", "luod=true"][..], 2, "did you mean `loud`?"),
    ] {
        let (found, out, said) = rig.says(&[&["flow", "run", "greet.yaml"], words].concat());
        assert!(found == Some(code) && said.contains(told) && out.is_empty(), "{words:?}: {said}");
    }
    assert_eq!(rig.says(&["ps"]).1, "", "nothing was submitted");
}

#[test]
fn a_missing_input_is_asked_for_in_the_terminal_until_it_fits() {
    if !has_script() {
        return;
    }
    let rig = rig();
    write(
        &rig,
        "count.yaml",
        "flow: count\ninputs: {n: {type: integer, description: how many}}\nnodes: [{id: a, call: Convert, params: {data: {n: \"{{n}}\"}}}]\noutputs: {n: \"{{a.outputs.n}}\"}\n",
    );
    let mut run = in_terminal(&rig, 100, "flow run count.yaml");
    let mut keys = run.stdin.take().unwrap();
    assert!(within(PATIENCE, || seen(&rig).contains("n · ")), "{}", seen(&rig));
    assert!(seen(&rig).contains("how many"), "{}", seen(&rig));
    keys.write_all(b"many\n").unwrap();
    assert!(within(PATIENCE, || seen(&rig).contains("must be ")), "{}", seen(&rig));
    keys.write_all(b"7\n").unwrap();
    assert!(run.wait().unwrap().success(), "{}", seen(&rig));
    assert!(seen(&rig).contains("\"n\": 7"), "{}", seen(&rig));
}

#[test]
fn a_flow_task_is_shown_with_its_flow_and_steps_inside_loops_can_be_asked_about() {
    let rig = rig();
    assert_eq!(rig.says(&["flow", "run", "main.yaml"]).0, Some(0));
    let (_, rows) = json_of(&rig, &["flow", "check", "main.yaml"]);
    let version = rows[0]["version"].as_str().unwrap()[..12].to_owned();
    let (_, out, _) = rig.says(&["show", "--last"]);
    assert!(
        out.contains(&format!("flow main {version}")) && out.contains("\"iteration_count\":2"),
        "{out}"
    );
    assert_eq!(rig.last()["flow"]["name"], "main");
    let (code, out, said) = rig.says(&["why", "--last", "each[2]/one"]);
    assert!(
        code == Some(0) && out.contains("who = \"<b>\"") && out.contains("item of each[2]"),
        "{out}{said}"
    );
    let (_, out, _) = rig.says(&["why", "--last", "each[1]/one/small.text"]);
    assert!(out.contains("text = \"hello 甲\""), "{out}");
    let (_, out, _) = rig.says(&["show", "--last", "--step", "each[2]/one/how", "--output"]);
    assert!(out.contains("\"branch_id\": \"speak\""), "{out}");
    for word in ["each[9]/one", "each[2]/nothing", "none/at", "]/", "/"] {
        let (code, _, said) = rig.says(&["why", "--last", word]);
        assert!(code == Some(6) && said.contains(word), "{word}: {said}");
    }
    for words in
        [&["watch", "--last"][..], &["export", "--last", "--md"], &["replay", "--last"], &["ps"]]
    {
        let (code, _, said) = rig.says(words);
        assert!(code == Some(0) && !said.contains("panicked"), "{words:?}: {said}");
    }
}

#[test]
fn list_tells_flows_with_their_inputs_and_problems_and_passes_other_files_over() {
    let rig = rig();
    write(&rig, "bad.yaml", "flow: bad\nnodes: [{id: a, call: nothing_like_it}]\n");
    write(&rig, "tools.yaml", "tools: []\n");
    let (code, out, _) = rig.says(&["flow", "list"]);
    assert_eq!(code, Some(0));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].starts_with("✘ bad") && lines[0].contains("1 problem"), "{out}");
    assert!(lines[1].starts_with("✔ greet") && lines[1].contains("loud?, who"), "{out}");
    assert_eq!(rig.says(&["flow", "list", "nowhere"]).0, Some(6));
}

#[test]
fn show_draws_a_flow_as_text_mermaid_and_svg() {
    let rig = rig();
    let (_, out, _) = rig.says(&["flow", "show", "main.yaml"]);
    assert!(out.contains("one                  SubFlow            greet"), "{out}");
    assert!(out.contains("shout: {{loud}} equal true"), "{out}");
    let (_, out, _) = rig.says(&["flow", "show", "main.yaml", "--mermaid"]);
    assert!(out.starts_with("flowchart TD\n") && out.contains("|\"shout\"|"), "{out}");
    let (_, out, _) = rig.says(&["flow", "show", "main.yaml", "--svg"]);
    assert!(out.starts_with("<svg ") && out.ends_with("</svg>\n"), "{out}");
    assert!(out.contains("问候") && out.contains("&lt;b&gt;") && !out.contains("<b>"), "{out}");
    let (_, rows) = json_of(&rig, &["flow", "show", "main.yaml"]);
    assert_eq!(rows[0]["flows"]["greet"]["flow"], "greet");
}

#[test]
fn fmt_writes_the_canonical_form_of_the_same_version_and_keeps_comments_from_loss() {
    let rig = rig();
    let version =
        |rig: &Rig| json_of(rig, &["flow", "check", "greet.yaml"]).1[0]["version"].clone();
    let before = version(&rig);
    assert_eq!(rig.says(&["flow", "fmt", "greet.yaml", "--check"]).0, Some(1));
    assert_eq!(rig.says(&["flow", "fmt", "greet.yaml"]).0, Some(0));
    let text = std::fs::read_to_string(rig.path("greet.yaml")).unwrap();
    assert!(text.starts_with("# The head of the file is kept.\nflow: greet\n"), "{text}");
    assert!(text.contains("\nedges:\n  - how.shout -> big\n  - how.speak -> small\n"), "{text}");
    assert_eq!(version(&rig), before);
    assert_eq!(rig.says(&["flow", "fmt", "greet.yaml", "--check"]).0, Some(0));
    let commented = text.replace("nodes:\n", "# why\nnodes:\n").replace("is: equal", "is:  equal");
    write(&rig, "greet.yaml", &commented);
    let (code, _, said) = rig.says(&["flow", "fmt", "greet.yaml"]);
    assert!(code == Some(2) && said.contains("--drop-comments"), "{said}");
    assert_eq!(std::fs::read_to_string(rig.path("greet.yaml")).unwrap(), commented);
    assert_eq!(rig.says(&["flow", "fmt", "greet.yaml", "--drop-comments"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(rig.path("greet.yaml")).unwrap(), text);
}

#[test]
fn fmt_leaves_a_toml_flow_toml_and_sees_a_comment_behind_an_apostrophe() {
    let rig = rig();
    write(&rig, "wave.toml", "# Head.\nflow = 'wave'\n[[nodes]]\nid = 'a'\ncall = 'Empty'\n");
    let version = |rig: &Rig| json_of(rig, &["flow", "check", "wave.toml"]).1[0]["version"].clone();
    let before = version(&rig);
    assert_eq!(rig.says(&["flow", "fmt", "wave.toml"]).0, Some(0));
    let text = std::fs::read_to_string(rig.path("wave.toml")).unwrap();
    assert!(text.starts_with("# Head.\nflow = \"wave\"\n"), "{text}");
    assert_eq!(version(&rig), before);
    let flow = "flow: wave\nnodes:\n  - {id: a, call: Empty}\ndescription: don't # because\n";
    write(&rig, "said.yaml", flow);
    let (code, _, said) = rig.says(&["flow", "fmt", "said.yaml"]);
    assert!(code == Some(2) && said.contains("--drop-comments"), "{said}");
}

#[test]
fn diff_tells_field_by_field_what_became_of_a_flow() {
    let rig = rig();
    let other = GREET
        .replace("hello {{who}}", "hi {{who}}")
        .replace("how.speak -> small", "how.speak -> small -> bye");
    let other = other.replace("edges:", "  - {id: bye, call: Empty}\nedges:");
    write(&rig, "other.yaml", &other);
    let (code, out, _) = rig.says(&["flow", "diff", "greet.yaml", "other.yaml"]);
    assert_eq!(code, Some(1));
    for line in [
        "- nodes.small, params.text: \"hello {{who}}\"",
        "+ nodes.small, params.text: \"hi {{who}}\"",
        "+ nodes.bye, call: \"Empty\"",
        "+ edges, how.speak -> small -> bye",
    ] {
        assert!(out.contains(line), "{line} in {out}");
    }
    let (code, out, _) = rig.says(&["flow", "diff", "greet.yaml", "greet.yaml"]);
    assert!(code == Some(0) && out.contains(" = ") && out.lines().count() == 1, "{out}");
}

#[test]
fn calls_tells_what_flows_are_built_of_in_both_languages() {
    let rig = Rig::empty();
    let (_, out, _) = rig.says(&["flow", "calls"]);
    for call in ["Approve", "Choice", "Convert", "Empty", "Loop", "Reply", "SubFlow", "Wait"] {
        assert!(out.lines().any(|line| line == call), "{out}");
    }
    let (_, out, _) = rig.says(&["--lang", "zh", "flow", "calls"]);
    assert!(out.contains("Loop 循环"), "{out}");
    let (_, rows) = json_of(&rig, &["flow", "calls"]);
    assert!(rows.len() == 14 && rows.iter().all(|row| row["input_schema"].is_object()));
}

const FAILS_ONCE: &str = "flow: notes
nodes:
  - id: each
    call: Loop
    over: [1, 2]
    nodes: [{id: read, call: read_text_file, params: {path: \"note-{{item}}.txt\"}}]
    collect: \"{{read.outputs.file_text}}\"
outputs: {all: \"{{each.outputs.collected}}\"}
";

#[test]
fn a_flow_that_failed_goes_on_where_it_was_with_the_version_it_began_with() {
    let rig = rig();
    write(&rig, "notes.yaml", FAILS_ONCE);
    write(&rig, "note-1.txt", "one");
    let (code, _, said) = rig.says(&["flow", "run", "notes.yaml"]);
    assert!(code == Some(1) && said.contains("each[2]/read"), "{said}");
    write(&rig, "note-1.txt", "another");
    write(&rig, "note-2.txt", "two");
    write(&rig, "notes.yaml", &FAILS_ONCE.replace("[1, 2]", "[7]"));
    let (code, out, said) = rig.says(&["retry", "--last"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), json!({"all": ["one", "two"]}));
}

#[test]
fn a_flow_can_be_left_in_the_background_and_its_question_answered_from_elsewhere() {
    let rig = rig();
    write(
        &rig,
        "may.yaml",
        "flow: may\nnodes: [{id: ask, call: Approve, params: {message: Go?}}]\noutputs: {yes: \"{{ask.outputs.approved}}\"}\n",
    );
    let (code, out, said) =
        rig.says(&["flow", "run", "may.yaml", "--detach", "-p", "session_id=s1"]);
    assert!(code == Some(0) && out.starts_with("task_"), "{said}");
    let asked = || rig.ask(&["inbox"]).and_then(|rows| rows.first().cloned());
    assert!(within(PATIENCE, || asked().is_some()));
    let question = asked().unwrap()["question"]["id"].as_str().unwrap().to_owned();
    let (code, out, said) = rig.says(&["answer", &question, "--approve"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), json!({"yes": true}));
}
