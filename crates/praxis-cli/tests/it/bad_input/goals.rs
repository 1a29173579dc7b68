//! What stands beside a goal, and what a rehearsal is told to be.

use super::case::{Case, answers};

const MODELS: &str = "[models.fast]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n\n[roles]\ndefault = \"fast\"\n";
const SCRIPT: &str = "rules: [{reply: {text: x}}]\n";

#[test]
fn a_bad_flag_of_a_goal_is_refused_before_anything_begins() {
    let told = answers(&[files(), words(), budgets()]);
    assert!(!told.contains("[TASK]"), "no task is made: {told}");
    insta::assert_snapshot!(told);
}

#[test]
fn a_rehearsal_that_cannot_be_held_is_refused() {
    let told = answers(&[rehearsals()]);
    assert!(!told.contains("127.0.0.1:"), "nobody listens: {told}");
    insta::assert_snapshot!(told);
}

fn goal(name: &'static str, words: &[&str]) -> Case {
    let all = [&["run", "look at it"], words].concat();
    Case::new(name, &all).file(".config/praxis/models.toml", MODELS)
}

fn files() -> Vec<Case> {
    vec![
        goal("a text that is not there", &["-f", "nowhere.md"]),
        goal("a text that is a folder", &["-f", "."]),
        goal("a text of 2 MiB", &["-f", "x.md"]).file("x.md", vec![b'x'; 2 * 1024 * 1024]),
        goal("a text in Latin-1", &["-f", "x.md"]).file("x.md", b"caf\xe9".to_vec()),
        goal("a text with a zero byte", &["-f", "x.md"]).file("x.md", b"a\0b".to_vec()),
        goal("two bad texts", &["-f", "x.md", "-f", "nowhere.md"]).file("x.md", b"\xff".to_vec()),
    ]
}

fn words() -> Vec<Case> {
    vec![
        goal("a tag without a sign", &["--tag", "x"]),
        goal("a tag without a name", &["--tag", " =y"]),
        goal("a tag twice", &["--tag", "x=1", "--tag", "x=2"]),
        goal("a scene that there is not", &["--scene", "nowhere"]),
        goal("a workflow that there is not", &["--workflow", "nowhere"]),
        goal("a model that there is not", &["--model", "fats"]),
        goal("another way of choosing tools", &["--two-stage", "sometimes"]),
        goal("a schema that is not there", &["--output-schema", "nowhere.json"]),
        goal("a schema that is none", &["--output-schema", "x.json"])
            .file("x.json", "{\"type\": 5}"),
        Case::new("a goal without words", &["run", "  "])
            .file(".config/praxis/models.toml", MODELS),
        Case::new("a list by a tag without a sign", &["ps", "--tag", "x"]),
    ]
}

fn budgets() -> Vec<Case> {
    let budget = |name, limits| goal(name, &["--budget", limits]);
    vec![
        budget("a budget of nothing", ""),
        budget("a budget with a gap", "tokens=5k,,calls=3"),
        budget("a limit without a number", "tokens"),
        budget("a limit in words", "tokens=many"),
        budget("a negative limit", "tokens=-1"),
        budget("a part of a token", "tokens=1.5"),
        budget("a limit beyond all numbers", "tokens=99999999999999999999999"),
        budget("a limit of another unit", "tokens=5g"),
        budget("a limit of zero", "calls=0"),
        budget("money without a currency", "money=5"),
        budget("money without an amount", "money=CNY"),
        budget("money of zero", "money=CNY0"),
        budget("time in another unit", "time=3w"),
        budget("a limit that there is not", "replan=3"),
        budget("a limit twice", "tokens=5k,tokens=6k"),
        budget("three that are bad", "tokens=x,money=5,time=soon"),
    ]
}

fn rehearsals() -> Vec<Case> {
    let fake = |name, words: &[&str]| {
        let all = [&["model", "serve-fake"], words].concat();
        Case::new(name, &all).file("s.yaml", SCRIPT)
    };
    let faulty = |name, faults| fake(name, &["--script", "s.yaml", "--faults", faults]);
    vec![
        fake("neither a script nor a record", &[]),
        fake("both", &["--script", "s.yaml", "--replay", "s.yaml"]),
        fake("a script that is not there", &["--script", "nowhere.yaml"]),
        fake("a record that is not there", &["--replay", "nowhere.jsonl"]),
        fake("a record that is a folder", &["--replay", "."]),
        fake("an empty record", &["--replay", "x.jsonl"]).file("x.jsonl", "\n"),
        fake("a record that is no text", &["--replay", "x.jsonl"])
            .file("x.jsonl", b"\xff\xfe".to_vec()),
        fake("a record of something else", &["--replay", "x.jsonl"])
            .file("x.jsonl", "{\"a\": 1}\n"),
        fake("a port that there is not", &["--script", "s.yaml", "--port", "70000"]),
        faulty("a fault that there is not", "cut_steam"),
        faulty("a fault after some word", "cut_stream@soon"),
        faulty("a fault some times", "cut_stream@1xmany"),
        faulty("a fault no times", "cut_stream@1x0"),
        faulty("a fault without a name", "@1x1"),
        faulty("a gap between faults", "cut_stream,,silent"),
        faulty("a negative number", "cut_stream@-1"),
    ]
}
