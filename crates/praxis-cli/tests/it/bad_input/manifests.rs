//! Manifests that describe no tool.

use super::case::{Case, answers};

#[test]
fn a_bad_manifest_is_refused_with_the_tool_the_field_and_what_to_do() {
    insta::assert_snapshot!(answers(&[shapes(), fields(), reached()]));
}

/// A tool `t` with one field more.
fn tool(field: &str) -> String {
    format!("tools:\n- id: t\n  command: {{argv: [sh, -c, echo]}}\n  {field}\n")
}

fn shapes() -> Vec<Case> {
    vec![
        Case::manifest("a manifest that is a text", "just words\n"),
        Case::manifest("an empty manifest", ""),
        Case::manifest("a manifest in Latin-1", b"id: t\nname: caf\xe9\n".to_vec()),
        Case::new("a manifest that is not there", &["run", "plan.yaml", "--tools", "nowhere.yaml"])
            .file("plan.yaml", "steps: [{step_id: a, tool: echo}]\n"),
        Case::manifest("a tool without an id", "command: {argv: [sh]}\n"),
        Case::manifest("a tool that is a list", "[[1]]\n"),
        Case::manifest("an id that is a number", "id: 7\ncommand: {argv: [sh]}\n"),
        Case::manifest("an id with a path in it", "id: ../t\ncommand: {argv: [sh]}\n"),
        Case::manifest(
            "an id that drives the terminal",
            "id: \"t\\e[2J\"\ncommand: {argv: [sh]}\n",
        ),
        Case::manifest(
            "two tools with one id",
            "- {id: t, command: {argv: [sh]}}\n- {id: t, command: {argv: [sh]}}\n",
        ),
        Case::manifest("the id of a built-in tool", "id: echo\ncommand: {argv: [sh]}\n"),
        Case::new(
            "one id in two files",
            &["run", "plan.yaml", "--tools", "a.yaml", "--tools", "b.yaml"],
        )
        .file("plan.yaml", "steps: [{step_id: a, tool: t}]\n")
        .file("a.yaml", "id: t\ncommand: {argv: [sh]}\n")
        .file("b.yaml", "id: t\ncommand: {argv: [sh]}\n"),
        Case::manifest("an unknown field", tool("time_out: 30s")),
    ]
}

fn fields() -> Vec<Case> {
    vec![
        Case::manifest("an unknown risk", tool("risk: none")),
        Case::manifest("a timeout of zero", tool("timeout: 0")),
        Case::manifest("a negative timeout", tool("timeout: -5s")),
        Case::manifest("a timeout without end", tool("timeout: 99999999999999999999d")),
        Case::manifest("a timeout in words", tool("timeout: soon")),
        Case::manifest("negative retries", tool("retries: -1")),
        Case::manifest("a million retries", tool("retries: 1000000")),
        Case::manifest("no calls at the same time", tool("limits: {concurrent: 0}")),
        Case::manifest("a schema that is none", tool("input_schema: {type: strnig}")),
        Case::manifest("a schema that is a text", tool("input_schema: anything")),
        Case::manifest(
            "a schema with a bad pattern",
            tool("input_schema: {properties: {x: {pattern: '(['}}}"),
        ),
        Case::manifest(
            "a schema elsewhere is not fetched",
            tool("input_schema: {$ref: 'http://127.0.0.1:9/schema.json'}"),
        ),
        Case::manifest(
            "a schema in a file is not read",
            tool("output_schema: {$ref: 'file:///etc/passwd'}"),
        ),
        Case::manifest("a reference into nothing", tool("input_schema: {$ref: '#/$defs/nothing'}")),
        Case::manifest("a check by an unknown tool", tool("check_with: tt")),
        Case::manifest("a check by the tool itself", tool("check_with: t")),
        Case::manifest("an output of a write that may not be empty", tool("not_empty: {}")),
        Case::manifest(
            "a place in an output that is none",
            tool("risk: read\n  not_empty: {field: 'a..b'}"),
        ),
        Case::manifest(
            "a parameter left out that is needed",
            tool(
                "risk: read\n  not_empty: {widen: [v]}\n  input_schema: {required: [v], properties: {v: {}}}",
            ),
        ),
        Case::manifest("the tool as its own alternative", tool("alternatives: [other, t]")),
    ]
}

fn reached() -> Vec<Case> {
    vec![
        Case::manifest("no way to reach it", "id: t\n"),
        Case::manifest("an unknown way to reach it", "id: t\ngrpc: {address: here}\n"),
        Case::manifest(
            "two ways to reach it",
            "id: t\ncommand: {argv: [sh]}\nhttp: {url: 'http://x/'}\n",
        ),
        Case::manifest("a program without a name", "id: t\ncommand: {argv: []}\n"),
        Case::manifest("a program that is a text", "id: t\ncommand: {argv: sh -c echo}\n"),
        Case::manifest(
            "an unknown field of a program",
            "id: t\ncommand: {argv: [sh], shell: true}\n",
        ),
        Case::manifest("an address that is none", "id: t\nhttp: {url: 'ftp://example.org/'}\n"),
        Case::manifest(
            "a header that follows from the request, and a secret that is no reference",
            "id: t\nhttp: {url: 'http://example.org/', headers: {Host: a}, auth: {bearer: abc}}\n",
        ),
        Case::manifest("an address with a broken host", "id: t\nhttp: {url: 'http://[::1/'}\n"),
        Case::manifest(
            "an unknown method",
            "id: t\nhttp: {url: 'http://example.org/', method: 'GE T'}\n",
        ),
        Case::manifest("an unknown built-in", "id: t\nbuiltin: eco\n"),
        Case::manifest(
            "a program that is not there",
            "id: t\nretries: 0\ncommand: {argv: [no-such-program]}\n",
        ),
        Case::manifest(
            "a folder that is not there",
            "id: t\nretries: 0\ncommand: {argv: [sh, -c, echo], cwd: /no/such/folder}\n",
        ),
    ]
}
