//! Files that are no plan because they are no document.

use super::case::{Case, GOOD_PLAN, RUN, answers};
use std::path::Path;

#[test]
fn a_file_that_cannot_be_read_is_refused_with_the_line_and_the_reason() {
    insta::assert_snapshot!(answers(&[files(), texts(), values()]));
}

fn json(name: &'static str, text: impl Into<Vec<u8>>) -> Case {
    Case::new(name, &["run", "plan.json"]).file("plan.json", text)
}

fn files() -> Vec<Case> {
    let loops =
        |here: &Path| std::os::unix::fs::symlink("plan.yaml", here.join("plan.yaml")).unwrap();
    vec![
        Case::new("a file that is not there", RUN),
        Case::new("a folder instead of a file", RUN).file("plan.yaml/in", ""),
        Case::new("a link to itself", RUN).prepare(loops),
        Case::new("a device that never ends", &["run", "/dev/zero"]),
        Case::plan("an empty file", ""),
        Case::plan("a file of 17 MiB", vec![b'#'; 17 * 1024 * 1024]),
        Case::plan("a file of NUL bytes", vec![0; 4096]),
    ]
}

fn texts() -> Vec<Case> {
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(GOOD_PLAN.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    vec![
        Case::plan("UTF-16", utf16),
        Case::plan("Latin-1", b"steps: [{step_id: a, tool: echo, step_name: caf\xe9}]\n".to_vec()),
        Case::plan("a byte order mark in YAML", marked(GOOD_PLAN)).accepted(),
        json(
            "a byte order mark in JSON",
            marked("{\"steps\": [{\"step_id\": \"a\", \"tool\": \"echo\"}]}"),
        )
        .accepted(),
        Case::plan("a NUL byte in YAML", "steps: [{step_id: \"a\0\", tool: echo}]\n"),
        Case::plan("YAML that is not closed", "steps: [{step_id: a, tool: echo\n"),
        Case::plan("a tab as indentation", "steps:\n\t- {step_id: a, tool: echo}\n"),
        json("JSON that is not closed", "{\"steps\": ["),
        json("JSON with a comma too many", "{\"steps\": [],}"),
        json("JSON with text after it", "{\"steps\": []} more"),
        Case::new("TOML that is none", &["run", "plan.toml"])
            .file("plan.toml", "steps = [\n{ step_id = }\n]\n"),
        Case::plan("several YAML documents", format!("{GOOD_PLAN}---\n{GOOD_PLAN}")),
        Case::plan("a YAML key twice", "steps: [{step_id: a, tool: echo, tool: noop}]\n"),
        json(
            "a JSON key twice",
            "{\"steps\": [{\"step_id\": \"a\", \"tool\": \"echo\", \"tool\": \"noop\"}]}",
        ),
        Case::plan(
            "a YAML key that drives the terminal, twice",
            "{\"a\\e[2J\": 1, \"a\\e[2J\": 2}\n",
        ),
        Case::plan(
            "a YAML tag",
            "steps: [{step_id: !!python/object:os.system a, tool: !run echo}]\n",
        )
        .accepted(),
        Case::plan("an unknown YAML alias", "steps: [{step_id: a, tool: *b}]\n"),
        Case::plan("a YAML anchor that is used", "x: &t echo\nsteps: [{step_id: a, tool: *t}]\n"),
    ]
}

fn values() -> Vec<Case> {
    let step = |value: &str| {
        format!(
            "{{\"steps\": [{{\"step_id\": \"a\", \"tool\": \"echo\", \"parameters\": {{\"x\": {value}}}}}]}}"
        )
    };
    vec![
        json("JSON nested 100,000 deep", format!("{{\"steps\": {}", "[".repeat(100_000))),
        json(
            "JSON nested 100,000 deep and closed",
            step(&("[".repeat(100_000) + &"]".repeat(100_000))),
        ),
        Case::plan("YAML in braces nested 100,000 deep", format!("steps: {}", "[".repeat(100_000))),
        Case::plan("YAML in blocks nested 5,000 deep", "- ".repeat(5000)),
        Case::new("TOML nested 100,000 deep", &["run", "plan.toml"])
            .file("plan.toml", format!("steps = {}", "[".repeat(100_000))),
        Case::plan("YAML aliases that grow without end", laughs()),
        json("a number beyond all floats", step("1e999")),
        json("a whole number beyond 64 bits", step("18446744073709551617")),
        json("a whole number of 1,000 digits", step(&"9".repeat(1000))),
        Case::plan("a whole number beyond 64 bits in YAML", step("18446744073709551617")),
        Case::plan(
            "infinity in YAML",
            "steps: [{step_id: a, tool: echo, parameters: {x: .inf}}]\n",
        ),
        Case::plan(
            "no number in YAML",
            "steps: [{step_id: a, tool: echo, parameters: {x: .nan}}]\n",
        ),
        json(
            "minus zero and the largest number",
            step("[-0, -0.0, 18446744073709551615, 1e308, 5e-324]"),
        )
        .accepted(),
        json("NUL bytes in texts and keys", step("{\"a\\u0000\": \"b\\u0000\"}")).accepted(),
    ]
}

/// Nine times nine times nine …
fn laughs() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    text + GOOD_PLAN
}
