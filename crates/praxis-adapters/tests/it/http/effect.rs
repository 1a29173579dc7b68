//! What is known of the effect when a call does not succeed, and what follows.

use super::rig::Task;
use praxis_engine::arrival::TaskCommand;
use praxis_testkit::server::{AfterReply, ServerReply, TestServer};
use serde_json::{Value, json};

/// The status of an answer, whether a read is tried again after it, and what becomes of a write.
const STATUSES: &[(u16, bool, &str)] = &[
    (300, false, "failed tool_failed"),
    (304, false, "failed tool_failed"),
    (400, false, "failed tool_failed"),
    (401, false, "failed tool_failed"),
    (403, false, "failed tool_failed"),
    (404, false, "failed tool_failed"),
    (405, false, "failed tool_failed"),
    (408, true, "failed tool_failed"),
    (409, false, "failed tool_failed"),
    (410, false, "failed tool_failed"),
    (413, false, "failed tool_failed"),
    (422, false, "failed tool_failed"),
    (425, true, "failed tool_failed"),
    (429, true, "failed tool_failed"),
    (451, false, "failed tool_failed"),
    (500, true, "in doubt tool_broke"),
    (501, true, "in doubt tool_broke"),
    (502, true, "in doubt tool_broke"),
    (503, true, "in doubt tool_broke"),
    (504, true, "in doubt tool_broke"),
    (599, true, "in doubt tool_broke"),
];

async fn saying(status: u16) -> TestServer {
    let head = format!("{status} Said");
    TestServer::start(move |_, _| ServerReply::new(&head, b"")).await
}

fn post(url: String) -> Value {
    json!({"method": "POST", "url": url})
}

// A-049, A-059
#[tokio::test]
async fn a_status_says_whether_a_read_is_tried_again_and_a_write_is_in_doubt() {
    for (status, again, write) in STATUSES {
        let server = saying(*status).await;
        let once = json!({"retries": 1});
        let task = Task::run(json!({"url": server.url("/")}), once.clone(), json!({})).await;
        let code = write.rsplit(' ').next().unwrap();
        let attempts = if *again { 2 } else { 1 };
        assert_eq!(task.outcomes(), vec![format!("failed {code}"); attempts], "{status}");
        assert_eq!(server.heard().len(), attempts, "{status}");

        let server = saying(*status).await;
        let task = Task::run(post(server.url("/")), once, json!({})).await;
        let attempts = if *again && write.starts_with("failed") { 2 } else { 1 };
        assert_eq!(task.outcomes(), vec![*write; attempts], "{status}");
        assert_eq!(server.heard().len(), attempts, "{status}: a write in doubt is not repeated");
    }
}

/// What a server does with a request that it heard, and how the call of a write then ends.
fn after_hearing() -> Vec<(ServerReply, &'static str)> {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{";
    let long = "x".repeat(200);
    vec![
        (ServerReply::silence(), "in doubt timeout"),
        (ServerReply::raw("HTTP/1.1 200 OK\r\n").then(AfterReply::Hold), "in doubt timeout"),
        (ServerReply::raw(cut).then(AfterReply::Hold), "in doubt timeout"),
        (ServerReply::raw(""), "in doubt tool_broke"),
        (ServerReply::raw("").then(AfterReply::Reset), "in doubt tool_broke"),
        (ServerReply::raw(cut), "in doubt tool_broke"),
        (ServerReply::raw(cut).then(AfterReply::Reset), "in doubt tool_broke"),
        (ServerReply::raw("not http\r\n\r\n"), "in doubt tool_broke"),
        (ServerReply::new("200 OK", long.as_bytes()), "in doubt output_too_large"),
        (ServerReply::new("200 OK\ncontent-encoding: br", b"x"), "in doubt output_invalid"),
        (ServerReply::new("200 OK", b"[]"), "in doubt output_invalid"),
    ]
}

// A-049
#[tokio::test]
async fn a_write_that_was_heard_and_not_answered_is_in_doubt_and_never_sent_twice() {
    let more = json!({
        "timeout": "300ms", "limits": {"output_bytes": 100},
        "output_schema": {"type": "object"},
    });
    for (reply, outcome) in after_hearing() {
        let shown = format!("{reply:?}");
        let server = TestServer::start(move |_, _| reply.clone()).await;
        let task = Task::run(post(server.url("/")), more.clone(), json!({"n": 1})).await;
        assert_eq!(task.outcomes(), [outcome], "{shown}");
        assert_eq!(server.heard().len(), 1, "{shown}");
    }
}

// A-049
#[tokio::test]
async fn a_write_that_could_not_be_sent_is_not_in_doubt_and_is_tried_again() {
    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let once = json!({"retries": 1});
    let task = Task::run(post(format!("http://{address}/")), once.clone(), json!({})).await;
    assert_eq!(task.outcomes(), ["failed tool_unavailable"; 2]);
    // No name has so long a part, so nobody is asked for it.
    let nobody = format!("http://{}.invalid/", "x".repeat(64));
    let task = Task::run(post(nobody), once.clone(), json!({})).await;
    assert_eq!(task.outcomes(), ["failed tool_unavailable"; 2]);
    // It leaves while the connection is made secret, before the request.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
    let task = Task::run(post(url), once, json!({})).await;
    assert_eq!(task.outcomes(), ["failed tool_unavailable"; 2]);
}

// A-059
#[tokio::test]
async fn a_server_that_says_when_to_come_back_is_left_alone_until_then() {
    let date = "date: Sun, 15 Nov 2026 03:00:00 GMT\nretry-after: Sun, 15 Nov 2026 03:00:01 GMT";
    for (status, after) in [("429 Busy", "retry-after: 1"), ("503 Down", date)] {
        let head = format!("{status}\n{after}");
        let server = TestServer::start(move |_, before| match before {
            0 => ServerReply::new(&head, b""),
            _ => ServerReply::json(&json!({})),
        })
        .await;
        let task = Task::run(json!({"url": server.url("/")}), json!({}), json!({})).await;
        assert_eq!(task.outcomes().last().unwrap(), "ok");
        assert!(matches!(task.waits()[..], [1000..=1250]), "{status}: {:?}", task.waits());
        assert!(task.record().contains(r#""retry_after_ms":1000"#));
    }
}

// A-059
#[tokio::test]
async fn a_wait_that_is_too_long_is_cut_to_an_hour_and_a_cancel_ends_it() {
    let server = TestServer::start(|_, _| {
        ServerReply::new("429 Busy\nretry-after: 99999999999999999999999999", b"")
    })
    .await;
    let task = Task::start(json!({"url": server.url("/")}), json!({}), json!({})).await;
    let mut events = task.engine.subscribe();
    while task.waits().is_empty() {
        let _ = events.recv().await;
    }
    assert!(matches!(task.waits()[..], [3_600_000..=3_615_000]), "{:?}", task.waits());
    cancel(&task).await;
    task.engine.idle().await.unwrap();
    assert_eq!(server.heard().len(), 1);
}

// A-049
#[tokio::test]
async fn a_cancel_closes_the_connection_of_a_call_that_runs() {
    let body = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{";
    for reply in [ServerReply::silence(), ServerReply::raw(body).then(AfterReply::Hold)] {
        let server = TestServer::start(move |_, _| reply.clone()).await;
        let task = Task::start(json!({"url": server.url("/")}), json!({}), json!({})).await;
        server.until_heard(1).await;
        cancel(&task).await;
        server.until_left(1).await;
        task.engine.idle().await.unwrap();
        assert_eq!(server.heard().len(), 1);
    }
}

async fn cancel(task: &Task) {
    let command = TaskCommand::Cancel { reason: "enough".to_owned(), by: "test".to_owned() };
    task.engine.command(&task.id, command).await.unwrap();
}
