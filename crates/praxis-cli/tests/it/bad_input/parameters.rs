//! Values from the command line, from files and from stdin.

use super::case::{Case, GOOD_PLAN, answers};

#[test]
fn a_bad_parameter_is_refused_with_its_name_and_what_to_do() {
    insta::assert_snapshot!(answers(&[flags(), files()]));
}

fn given(name: &'static str, words: &[&str]) -> Case {
    let all = [&["run", "plan.yaml"], words].concat();
    Case::new(name, &all)
        .file("plan.yaml", "steps: [{step_id: a, tool: echo, parameters: {x: '{{x}}'}}]\n")
}

fn flags() -> Vec<Case> {
    vec![
        given("a parameter without a sign", &["-p", "x"]),
        given("a parameter without a name", &["-p", "=1"]),
        given("a parameter without a value", &["-p"]),
        given("a parameter twice, the last one counts", &["-p", "x=1", "-p", "x=2"]).accepted(),
        given("a parameter that is too large a number", &["-p", "x=123456789012345678901"]),
        given("a parameter with a key twice", &["-p", r#"x={"a": 1, "a": 2}"#]),
        given("a parameter beyond all floats", &["-p", "x=1e999"]),
        given("a parameter nested too deep", &["-p", &format!("x={}", "[".repeat(5000))]),
        given("a parameter that drives the terminal", &["-p", "a\u{1b}[2J\u{202e}"]),
        given("a parameter that is a step", &["-p", "a=1"]),
        given("a timeout in words", &["--timeout", "soon"]),
        given("a timeout of zero", &["--timeout", "0s"]),
        given("a negative timeout", &["--timeout=-5s"]),
        given("a timeout beyond all numbers", &["--timeout", "99999999999999999999d"]),
        given("a timeout of a million years", &["-p", "x=1", "--timeout", "365000000d"]).accepted(),
        given("a value that nobody gives", &[]),
    ]
}

fn files() -> Vec<Case> {
    let huge =
        |mib: usize| [b"{\"x\": \"".as_slice(), &vec![b'y'; mib * 1024 * 1024], b"\"}"].concat();
    vec![
        given("a file of 64 MiB", &["--params", "x.json"]).file("x.json", huge(64)),
        given("a value of 20 MiB", &["--params", "x.json"]).file("x.json", huge(20)).accepted(),
        given("a file that is no object", &["--params", "x.json"]).file("x.json", "[1, 2]"),
        given("a file that is not there", &["--params", "nowhere.json"]),
        given("a file in Latin-1", &["--params", "x.json"])
            .file("x.json", b"{\"x\": \"\xe9\"}".to_vec()),
        given("garbage on stdin", &["--params", "-"]).stdin(b"\x00\xff\xfe garbage".to_vec()),
        given("words on stdin", &["--params", "-"]).stdin("not JSON"),
        given("nothing on stdin", &["--params", "-"]),
        given("33 MiB on stdin", &["--params", "-"]).stdin(huge(33)),
        given("a YAML file of parameters", &["--params", "x.yaml"]).file("x.yaml", "x: [1, 2\n"),
        given("the key of another request", &["-p", "x=2", "--idempotency-key", "one"]).after(&[
            "run",
            "plan.yaml",
            "-p",
            "x=1",
            "--idempotency-key",
            "one",
        ]),
        Case::new(
            "metadata of the plan and a step of the same name",
            &["run", "plan.yaml", "--params", "x.json"],
        )
        .file("plan.yaml", GOOD_PLAN)
        .file("x.json", "{\"a\": 1}"),
    ]
}
