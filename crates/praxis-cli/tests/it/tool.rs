//! Tools as people look at them, check them and try them.

use crate::rig::{Rig, finish, json_lines};
use serde_json::{Value, json};

const TOOLS: &str = "tools:
  - id: greet
    name: Greeting
    description: Greets somebody.
    translations: {zh: {name: 问候, description: 问候某人。}}
    risk: read
    input_schema: {type: object, required: [who], properties: {who: {type: string}, on: {type: date}}}
    command: {argv: [cat]}
  - {id: book, risk: irreversible, command: {argv: [cat]}}
";

fn rig() -> Rig {
    let rig = Rig::empty();
    std::fs::write(rig.path("tools.yaml"), TOOLS).unwrap();
    rig
}

fn json_of(rig: &Rig, words: &[&str]) -> Vec<Value> {
    json_lines(&finish(rig, &mut rig.praxis(words)).stdout)
}

#[test]
fn tools_are_listed_and_shown_in_both_languages_with_what_they_can_do() {
    let rig = rig();
    let (code, out, said) = rig.says(&["tool", "list", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    let row = |id: &str| out.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(row("greet").contains("read") && row("greet").contains("Greets somebody."));
    assert!(row("book").contains("irreversible") && row("echo").contains("builtin"));
    let (_, out, _) = rig.says(&["--lang", "zh", "tool", "show", "greet", "--tools", "tools.yaml"]);
    assert!(
        out.contains("greet 问候") && out.contains("问候某人。") && out.contains("只读"),
        "{out}"
    );
    let (_, out, _) = rig.says(&["tool", "show", "book", "--tools", "tools.yaml"]);
    assert!(out.contains("if the outcome is unknown, asks a person"), "{out}");
    let shown = json_of(&rig, &["tool", "show", "greet", "--tools", "tools.yaml"]).remove(0);
    let on = json!({"type": "string", "format": "date"});
    assert_eq!(shown["input_schema"]["properties"]["on"], on);
    let (code, _, said) = rig.says(&["tool", "show", "gret", "--tools", "tools.yaml"]);
    assert!(code == Some(6) && said.contains("did you mean `greet`"), "{said}");
}

#[test]
fn check_says_of_every_tool_that_it_is_in_order_or_everything_that_is_wrong() {
    let rig = rig();
    let (code, out, said) = rig.says(&["tool", "check", "tools.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(out, "✔ book: irreversible, command\n✔ greet: read, command\n");
    let bad = TOOLS.replace("risk: read", "timeout: soon").replace("type: date", "type: day");
    std::fs::write(rig.path("bad.yaml"), bad).unwrap();
    let (code, _, said) = rig.says(&["tool", "check", "bad.yaml"]);
    assert!(code == Some(2) && said.contains("bad_span") && said.contains("bad_schema"), "{said}");
    let unsound = "tools:
  - {id: ask, sql: {url: 'sqlite:a.db', query: 'drop table a'}}
  - {id: put, check_with: gone, command: {argv: [cat]}}
";
    std::fs::write(rig.path("unsound.yaml"), unsound).unwrap();
    let (code, _, said) = rig.says(&["tool", "check", "unsound.yaml"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("tool `ask` cannot be used") && said.contains("`gone`"), "{said}");
}

#[test]
fn a_call_is_a_task_of_one_step_and_braces_in_its_values_mean_nothing() {
    let rig = rig();
    let (code, out, said) =
        rig.says(&["tool", "call", "greet", "-p", "who={{Ada}}", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), json!({"who": "{{Ada}}"}));
    let (code, _, said) = rig.says(&["tool", "call", "greet", "--tools", "tools.yaml"]);
    assert!(code == Some(2) && said.contains("missing_parameter"), "{said}");
    let (code, _, said) =
        rig.says(&["tool", "call", "greet", "-p", "who=7", "--tools", "tools.yaml"]);
    assert!(code == Some(1) && said.contains("must be a string, got 7"), "{said}");
    let (code, ..) = rig.says(&["tool", "call", "gone"]);
    assert_eq!(code, Some(6));
}

#[test]
fn tools_are_found_by_words_of_either_language_with_what_speaks_for_them() {
    let rig = Rig::about_load();
    let best = |words: &str| {
        let found = rig.ask(&["tool", "search", words, "-n", "3"]).unwrap();
        found[0]["tool"].as_str().unwrap().to_owned()
    };
    assert_eq!(best("预测明天的负荷"), "forecast_load");
    assert_eq!(best("sort a table by two columns"), "sort_rows");
    let (code, said, _) = rig.says(&["tool", "search", "download", "a", "web", "page"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("http_get") && said.contains("download"), "{said}");
    let (code, said, noted) = rig.says(&["tool", "search", "xyzzy"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert!(noted.contains("tools matches these words"), "{noted}");
}
