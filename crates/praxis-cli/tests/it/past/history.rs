//! `export --md`: every step is counted once, where it stands.

use super::scene::Scene;
use std::io::{Read, Write};
use std::net::TcpListener;

const PLAN: &str = r#"
plan_description: pay and look
steps:
  - {step_id: a, tool: look}
  - {step_id: pay, tool: stall, parameters: {x: "{{base}}"}}
  - {step_id: after, tool: echo, parameters: {p: "{{pay.outputs.paid}}"}}
  - {step_id: f, tool: fail}
  - {step_id: skipped, tool: look, depends_on: [f]}
"#;

#[test]
fn steps_in_doubt_are_no_failed_steps_and_the_numbers_add_up() {
    let scene = Scene::run(PLAN, &["base=7"]);
    let question = scene.question("in_doubt");
    insta::assert_snapshot!(scene.says(&["export", "--last", "--md"]).replace(&question, "Q"), @r#"
    # Execution history: pay and look

    ## Statistics

    - task: TASK
    - status: waiting
    - current_round: 1
    - steps: 5
    - success: 1
    - failure: 1
    - in_doubt: 1
    - other: 2
    - total_step_retries: 0
    - total_task_replans: 0

    ## ✅ Steps that succeeded (1)

    ### a

    - Description: none
    - Tool: look
    - Parameters: {}
    - Depends on: none
    - Output: 3
    - Fields: none

    ## ❌ Steps that failed (1)

    ### f #1

    - Description: none
    - Tool: fail
    - Parameters: {}
    - Depends on: none
    - Error: tool `fail` failed: exit code 1: it said nothing on stderr (tool_failed)
    - What to do: see `praxis show TASK`, fix the cause, then run `praxis retry TASK`

    ## ⚠ Steps in doubt (1)

    ### pay #1

    - Description: none
    - Tool: stall
    - Parameters: {"x":"{{base}}"}
    - Depends on: none
    - Error: tool `stall` did not answer within 100 ms (timeout)
    - Open question: Q (in_doubt): `praxis answer Q`

    ## Unfinished, cancelled and skipped steps (2)

    ### after INIT

    - Description: none
    - Tool: echo
    - Parameters: {"p":"{{pay.outputs.paid}}"}
    - Depends on: pay

    ### skipped SKIPPED

    - Description: none
    - Tool: look
    - Parameters: {}
    - Depends on: f
    "#);
}

#[test]
fn the_history_is_told_in_chinese_under_the_documented_headings() {
    let scene = Scene::run("steps: [{step_id: a, tool: look}, {step_id: f, tool: fail}]", &[]);
    let told = scene.says(&["--lang", "zh", "export", "--last", "--md"]);
    for words in [
        "## 执行统计摘要",
        "## ✅ 成功执行的步骤 (1个)",
        "## ❌ 失败的步骤 (1个)",
        "- 依赖步骤: 无",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// A server that breaks off in the middle of its only answer.
fn breaks_off() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab");
    });
    port
}

#[test]
fn an_http_call_that_broke_off_is_told_without_a_word_of_stderr() {
    let scene = Scene::run("steps: [{step_id: a, tool: look}]", &[]);
    let url = format!("http://127.0.0.1:{}/", breaks_off());
    let tools = format!("tools: [{{id: page, risk: read, retries: 0, http: {{url: '{url}'}}}}]");
    std::fs::write(scene.0.path("tools.yaml"), tools).unwrap();
    std::fs::write(scene.0.path("plan.yaml"), "steps: [{step_id: p, tool: page}]").unwrap();
    scene.again(&[]);
    let told = scene.says(&["export", "--last", "--md"]);
    assert!(told.contains("(tool_broke)") && !told.contains("stderr"), "{told}");
}
