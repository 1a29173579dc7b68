//! HTTP tools through the binary: secrets stay out of the data folder, writes are not repeated, hosts
//! inside are not reached unless the settings say so.

use crate::rig::{Rig, finish, statuses};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::json;
use std::path::Path;
use tokio::runtime::Runtime;

const CANARY: &str = "canary-9f2b71c04d";

/// A server beside the test, which itself is not asynchronous.
fn serve(
    script: impl Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync + 'static,
) -> (Runtime, TestServer) {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(TestServer::start(script));
    (runtime, server)
}

fn plan(parameters: &str) -> String {
    format!("steps:\n  - {{step_id: a, tool: api, parameters: {parameters}}}\n")
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &[u8]) -> Vec<String> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(holding(&path, text));
        } else if kind.is_file() {
            let content = std::fs::read(&path).unwrap();
            if content.windows(text.len()).any(|part| part == text) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

//
#[test]
fn a_secret_that_a_tool_gives_back_is_hidden_wherever_it_could_be_kept() {
    let (_runtime, server) = serve(|heard, _| {
        let seen: Vec<_> = heard.headers.iter().map(|(name, value)| json!([name, value])).collect();
        ServerReply::json(&json!({ "headers": seen }))
    });
    let tools = format!(
        "- id: api\n  http: {{method: GET, url: '{}', headers: {{authorization: 'secret:API'}}}}\n\
         - id: chatty\n  risk: read\n  command:\n    env: {{TOKEN: 'secret:API'}}\n    \
         argv: [sh, -c, 'echo $TOKEN >&2; echo \"{{\\\"said\\\": \\\"$TOKEN\\\"}}\"']\n",
        server.url("/echo")
    );
    let plan = "steps:\n  - {step_id: a, tool: api}\n  - {step_id: b, tool: chatty}\n  \
                - {step_id: c, tool: echo, parameters: {all: ['{{a.output}}', '{{b.output}}']}}\n";
    let rig = Rig::with(plan, &tools);
    let mut command = rig.praxis(&rig.run_words());
    let output = finish(&rig, command.env("PRAXIS_SECRET_API", format!("Bearer {CANARY}")));
    let said = format!("{output:?}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(
        server.heard()[0].header("authorization"),
        Some(format!("Bearer {CANARY}").as_str())
    );
    assert!(said.contains("[secret:API]") && !said.contains(CANARY), "{said}");
    assert_eq!(holding(&rig.data(), CANARY.as_bytes()), Vec::<String>::new());
    assert!(!holding(&rig.data().join("logs"), b"[secret:API]").is_empty(), "stderr is kept");
}

//
#[test]
fn a_secret_reaches_the_server_and_is_found_in_no_file_and_no_output() {
    let (_runtime, server) = serve(|heard, before| match before {
        0 => {
            ServerReply::new("429 Busy\nretry-after: 1", format!("{:?}", heard.headers).as_bytes())
        }
        _ => ServerReply::json(&json!({"booked": 7})),
    });
    let tools = format!(
        "- id: api\n  http: {{method: POST, url: '{}', headers: {{authorization: 'secret:API'}}}}\n",
        server.url("/book/{n}")
    );
    let rig = Rig::with(&plan("{n: 1}"), &tools);
    let mut command = rig.praxis(&rig.run_words());
    let output = finish(&rig, command.env("PRAXIS_SECRET_API", format!("Bearer {CANARY}")));
    let said = format!("{output:?}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    let heard = server.heard();
    assert_eq!(heard.len(), 2);
    for heard in &heard {
        assert_eq!(heard.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        assert_eq!((heard.target.as_str(), heard.json()), ("/book/1", json!({"n": 1})));
    }
    assert_eq!(heard[0].header("idempotency-key"), heard[1].header("idempotency-key"));
    assert!(heard[0].header("idempotency-key").unwrap().ends_with("/a~1"));
    let shown = format!("{:?}", rig.ask(&["show", "--last", "--step", "a"]).unwrap());
    assert!(said.contains("booked") && shown.contains("SUCCESS"), "{said} {shown}");
    assert!(!said.contains(CANARY) && !shown.contains(CANARY), "{said} {shown}");
    let data = rig.data();
    assert!(!holding(&data, b"429 Too Many Requests").is_empty(), "the refusal itself is kept");
    assert_eq!(holding(&data, CANARY.as_bytes()), Vec::<String>::new());
}

//
#[test]
fn a_write_whose_connection_breaks_is_asked_about_and_not_sent_again() {
    let (_runtime, server) = serve(|_, _| ServerReply::raw(""));
    let tools = format!("- id: api\n  http: {{method: POST, url: '{}'}}\n", server.url("/"));
    let rig = Rig::with(&plan("{n: 1}"), &tools);
    assert_eq!(rig.run().status.code(), Some(3));
    assert_eq!(rig.run().status.code(), Some(3), "nor when it is asked for again");
    assert_eq!(server.heard().len(), 1);
    let inbox = rig.ask(&["inbox"]).unwrap();
    assert_eq!(inbox.len(), 1);
    assert!(inbox[0].to_string().contains("tool_broke"), "{inbox:?}");
}

#[test]
fn a_host_inside_is_reached_for_an_argument_only_if_the_settings_allow_it() {
    let (runtime, server) = serve(|_, _| ServerReply::json(&json!({})));
    let tools = "- id: api\n  http: {url: 'http://{host}/'}\n";
    let rig = Rig::with(&plan(&format!("{{host: '{}'}}", server.address)), tools);
    let refused = finish(&rig, &mut rig.praxis(&["run", "plan.yaml", "--tools", "tools.yaml"]));
    assert_eq!(refused.status.code(), Some(1));
    assert!(rig.last().to_string().contains("call_refused"));
    assert_eq!(runtime.block_on(server.visitors()).unwrap(), 0);
    std::fs::write(rig.path("praxis.toml"), "[http]\nallow_hosts = [\"127.0.0.0/8\"]\n").unwrap();
    let allowed = finish(&rig, &mut rig.praxis(&["run", "plan.yaml", "--tools", "tools.yaml"]));
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    assert_eq!(statuses(&rig.last())["a"], "SUCCESS");
    assert_eq!(server.heard().len(), 1);
}
