//! What comes back: statuses, forms, sizes, endings.

use super::rig::{MOST, Task, ask, call, strict, tool};
use praxis_core::fault::Fault;
use praxis_testkit::server::{AfterReply, ServerReply, TestServer};
use serde_json::{Value, json};
use std::time::Duration;

async fn answered(reply: ServerReply) -> Result<Value, Fault> {
    let server = TestServer::start(move |_, _| reply.clone()).await;
    ask(json!({"url": server.url("/")}), json!({})).await
}

fn code(result: Result<Value, Fault>) -> &'static str {
    result.map_or_else(|fault| fault.code(), |value| panic!("it succeeded with {value}"))
}

const OK: &str = "HTTP/1.1 200 OK\r\n";

// A-049
#[tokio::test]
async fn an_answer_is_json_if_it_can_be_read_as_json_else_text_and_nothing_is_null() {
    let of = |head: &str, body: &str| answered(ServerReply::new(head, body.as_bytes()));
    let json = "200 OK\ncontent-type: application/json";
    assert_eq!(of(json, r#"{"a": [1, 2.5, null]}"#).await.unwrap(), json!({"a": [1, 2.5, null]}));
    assert_eq!(of(json, "<html>").await.unwrap(), json!("<html>"), "a type is only a hint");
    assert_eq!(of("200 OK\ncontent-type: text/html", " [1] ").await.unwrap(), json!([1]));
    assert_eq!(of("200 OK", "plain words\n").await.unwrap(), json!("plain words"));
    assert_eq!(of(json, "").await.unwrap(), json!(null));
    assert_eq!(of("201 Created", "7").await.unwrap(), json!(7));
    let nothing = ServerReply::raw("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    assert_eq!(answered(nothing).await.unwrap(), json!(null));
    let binary = answered(ServerReply::new("200 OK", b"\xff\xfe")).await.unwrap();
    assert_eq!(binary, json!("\u{fffd}\u{fffd}"));
}

#[tokio::test]
async fn chunks_are_put_together_and_a_close_ends_what_has_no_length() {
    let chunked = format!("{OK}transfer-encoding: chunked\r\n\r\n3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n");
    assert_eq!(answered(ServerReply::raw(chunked)).await.unwrap(), json!([1, 2]));
    let closed = format!("{OK}content-type: application/json\r\n\r\n[1, 2]");
    assert_eq!(answered(ServerReply::raw(closed)).await.unwrap(), json!([1, 2]));
    let text = format!("{OK}content-type: text/plain\r\n\r\nwords");
    assert_eq!(answered(ServerReply::raw(text)).await.unwrap(), json!("words"));
    let old = "HTTP/1.0 200 OK\r\n\r\nwords";
    assert_eq!(answered(ServerReply::raw(old)).await.unwrap(), json!("words"));
}

#[tokio::test]
async fn an_answer_that_was_cut_is_never_taken_for_whole() {
    let kinds = "content-type: application/json; charset=utf-8\r\n";
    let cuts = [
        format!("{OK}content-length: 100\r\n\r\n[1, 2]"),
        format!("{OK}content-length: 7\r\n\r\n[1, 2]"),
        format!("{OK}content-length: 7\r\n\r\n"),
        format!("{OK}transfer-encoding: chunked\r\n\r\n6\r\n[1, 2]\r\n"),
        format!("{OK}transfer-encoding: chunked\r\n\r\n9\r\n[1, 2]"),
        format!("{OK}{kinds}\r\n{{\"a\": 1"),
        format!("{OK}{kinds}\r\n"),
        format!("{OK}content-type: application/problem+json\r\n\r\n[1, 2"),
        "HTTP/1.1 200 OK\r\ncontent-le".to_owned(),
        "HTTP/1.1 2".to_owned(),
        String::new(),
    ];
    for cut in cuts {
        for then in [AfterReply::Close, AfterReply::Reset] {
            let ended = answered(ServerReply::raw(cut.as_str()).then(then.clone())).await;
            assert_eq!(code(ended), "tool_broke", "{cut:?} {then:?}");
        }
    }
    for nonsense in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\0\0\0\0\r\n\r\n"] {
        assert_eq!(code(answered(ServerReply::raw(nonsense)).await), "tool_broke", "{nonsense:?}");
    }
}

// A-049
#[tokio::test]
async fn an_answer_may_be_as_long_as_the_limit_and_no_longer() {
    let server = TestServer::start(|heard, _| {
        let length: usize = heard.target.trim_start_matches('/').parse().unwrap();
        ServerReply::new("200 OK", &vec![b'x'; length])
    })
    .await;
    let mut small = tool(json!({"url": server.url("/{n}")}));
    small.limits.output_bytes = Some(1000);
    assert!(call(&small, strict(), json!({"n": 1000})).await.is_ok());
    let fault = call(&small, strict(), json!({"n": 1001})).await.unwrap_err();
    assert_eq!(fault, Fault::OutputTooLarge { tool: "api".into(), limit: 1000 });
    let fault = ask(json!({"url": server.url("/{n}")}), json!({"n": MOST + 1})).await.unwrap_err();
    assert_eq!(fault, Fault::OutputTooLarge { tool: "api".into(), limit: MOST });
}

#[tokio::test]
async fn a_body_without_end_is_left_when_the_limit_is_reached() {
    let piece = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    let head = format!("{OK}transfer-encoding: chunked\r\n\r\n");
    let chunked = ServerReply::raw(head).then(AfterReply::Pour(piece, Duration::ZERO));
    let plain = ServerReply::raw(format!("{OK}\r\n"))
        .then(AfterReply::Pour(vec![b'x'; 65536], Duration::ZERO));
    let lie = format!("{OK}content-length: 1000000000000\r\n\r\n");
    let lie = ServerReply::raw(lie).then(AfterReply::Pour(vec![b'x'; 65536], Duration::ZERO));
    for reply in [chunked, plain, lie] {
        let server = TestServer::start(move |_, _| reply.clone()).await;
        assert_eq!(code(ask(json!({"url": server.url("/")}), json!({})).await), "output_too_large");
        server.until_left(1).await;
    }
}

#[tokio::test]
async fn headers_without_end_are_not_gathered_for_ever() {
    let line = format!("x-more: {}\r\n", "x".repeat(1000)).into_bytes();
    let server = TestServer::start(move |_, _| {
        ServerReply::raw(OK).then(AfterReply::Pour(line.clone(), Duration::ZERO))
    })
    .await;
    assert_eq!(code(ask(json!({"url": server.url("/")}), json!({})).await), "tool_broke");
    server.until_left(1).await;
}

// A-049
#[tokio::test]
async fn a_slow_answer_does_not_outlast_the_deadline() {
    let slow = |head: &str| {
        ServerReply::raw(head).then(AfterReply::Pour(b"x".to_vec(), Duration::from_millis(50)))
    };
    let slow_body = slow(&format!("{OK}content-length: 1000000\r\n\r\n"));
    for reply in [ServerReply::silence(), slow("HTTP/1.1 200 OK\r\nx-slow: "), slow_body] {
        let server = TestServer::start(move |_, _| reply.clone()).await;
        let http = json!({"url": server.url("/")});
        let task = Task::run(http, json!({"timeout": "200ms", "retries": 0}), json!({})).await;
        assert_eq!(task.outcomes(), ["failed timeout"]);
        server.until_left(1).await;
    }
}

#[tokio::test]
async fn a_compressed_answer_is_not_asked_for_and_a_broken_one_is_refused() {
    let server = TestServer::start(|heard, _| {
        assert_eq!(heard.header("accept-encoding"), Some("identity"));
        ServerReply::new("200 OK\ncontent-encoding: gzip", b"\x1f\x8b\x08\0\0\0\0\0")
    })
    .await;
    let fault = ask(json!({"url": server.url("/")}), json!({})).await.unwrap_err();
    assert_eq!(fault.code(), "output_invalid");
    assert!(fault.to_string().contains("compressed (gzip)"), "{fault}");
    let plain = ServerReply::new("200 OK\ncontent-encoding: identity", b"[1]");
    assert_eq!(answered(plain).await.unwrap(), json!([1]));
}

// A-049
#[tokio::test]
async fn a_rule_for_success_is_compared_with_a_field_of_an_answer_of_success() {
    let server = TestServer::start(|heard, _| {
        let status = if heard.target.contains("bad") { "400 Bad Request" } else { "200 OK" };
        let body = heard.target.split('=').nth(1).unwrap_or_default();
        ServerReply::new(status, format!(r#"{{"status": "{body}", "id": 7}}"#).as_bytes())
    })
    .await;
    let rule = json!({"field": "status", "equals": "ok"});
    let http = |path: &str| json!({"url": server.url(path), "success": rule});
    for said in ["ok", "OK", "Ok"] {
        let output = ask(http(&format!("/?s={said}")), json!({})).await.unwrap();
        assert_eq!(output, json!({"status": said, "id": 7}));
    }
    let fault = ask(http("/?s=denied"), json!({})).await.unwrap_err();
    assert!(matches!(&fault, Fault::ToolFailed { retryable: false, .. }), "{fault:?}");
    assert!(fault.to_string().contains("status = \"ok\""), "{fault}");
    assert_eq!(code(ask(http("/bad?s=ok"), json!({})).await), "tool_failed", "the status first");
    let other = json!({"url": server.url("/?s=ok"), "success": {"field": "gone", "equals": 1}});
    assert_eq!(code(ask(other, json!({})).await), "tool_failed");
}

#[tokio::test]
async fn an_error_keeps_the_meaning_of_its_status_whatever_its_body_is_like() {
    let endless = "HTTP/1.1 404 Not Found\r\n\r\n";
    let bodies = [
        ServerReply::new("404 Not Found", b"{\"error\": \"no such user\"}"),
        ServerReply::new("404 Not Found", b""),
        ServerReply::new("404 Not Found", &vec![b'x'; 2 * 1024 * 1024]),
        ServerReply::raw("HTTP/1.1 404 Not Found\r\ncontent-length: 100\r\n\r\nx"),
        ServerReply::raw("HTTP/1.1 404 Not Found\r\ncontent-length: 1\r\n\r\n")
            .then(AfterReply::Reset),
        ServerReply::raw(endless).then(AfterReply::Pour(vec![b'x'; 65536], Duration::ZERO)),
        ServerReply::new("404 Not Found\ncontent-encoding: gzip", b"\x1f\x8b"),
        ServerReply::new("404 Not Found", b"\x1b[31mred\x07"),
    ];
    for reply in bodies {
        let fault = answered(reply.clone()).await.unwrap_err();
        assert!(matches!(&fault, Fault::ToolFailed { retryable: false, .. }), "{fault:?}");
        let words = fault.to_string();
        assert!(words.contains("404 Not Found") && words.len() < 500, "{words}");
        assert!(!words.contains('\x1b'), "{words}");
    }
}
