//! What is sent: method, address, headers, body, key.

use super::rig::{CANARY, Task, ask};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};

async fn echo() -> TestServer {
    TestServer::start(|_, _| ServerReply::json(&json!({"ok": true}))).await
}

async fn sent(http: Value, arguments: Value) -> ReceivedRequest {
    let server = echo().await;
    let mut http = http;
    let path = http["url"].as_str().unwrap().to_owned();
    http["url"] = json!(server.url(&path));
    ask(http, arguments).await.unwrap();
    let mut heard = server.heard();
    assert_eq!(heard.len(), 1);
    heard.remove(0)
}

//
#[tokio::test]
async fn a_request_has_the_method_the_filled_address_and_the_body_of_its_manifest() {
    let get = sent(json!({"url": "/u/{id}?n={n}"}), json!({"id": "a", "n": 3})).await;
    assert_eq!((get.method.as_str(), get.target.as_str()), ("GET", "/u/a?n=3"));
    assert!(get.body.is_empty() && get.header("idempotency-key").is_none());
    for method in ["POST", "put", "Patch", "DELETE"] {
        let heard =
            sent(json!({"method": method, "url": "/u/{id}"}), json!({"id": "a", "n": [1]})).await;
        assert_eq!((heard.method, heard.target), (method.to_uppercase(), "/u/a".to_owned()));
        assert_eq!(heard.headers.iter().filter(|(n, _)| n == "idempotency-key").count(), 1);
        let all = if method == "DELETE" { Value::Null } else { json!({"id": "a", "n": [1]}) };
        assert_eq!(serde_json::from_slice::<Value>(&heard.body).unwrap_or_default(), all);
    }
    let head = sent(json!({"method": "HEAD", "url": "/"}), json!({})).await;
    assert_eq!((head.method.as_str(), head.body.len()), ("HEAD", 0));
}

//
#[tokio::test]
async fn a_body_is_sent_as_json_with_the_types_of_its_values() {
    let body = json!({
        "n": "{n}", "f": "{f}", "b": "{b}", "null": "{null}", "list": "{list}", "deep": {"o": ["{o}"]},
        "text": "n is {n} and {s}", "fixed": 7, "{n}": "a key is no template",
    });
    let arguments = json!({
        "n": 12_345_678_901_234_567_u64, "f": 0.1, "b": false, "null": null, "list": [1, "2"],
        "o": {"k": "{n}"}, "s": "\"quoted\"\r\n杭",
    });
    let heard = sent(json!({"method": "POST", "url": "/", "body": body}), arguments).await;
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(
        heard.json(),
        json!({
            "n": 12_345_678_901_234_567_u64, "f": 0.1, "b": false, "null": null, "list": [1, "2"],
            "deep": {"o": [{"k": "{n}"}]}, "fixed": 7, "{n}": "a key is no template",
            "text": "n is 12345678901234567 and \"quoted\"\r\n杭",
        })
    );
    let search = json!({"url": "/find", "body": {"q": "{q}"}});
    let heard = sent(search, json!({"q": 1})).await;
    assert_eq!(
        (heard.method.as_str(), heard.json()),
        ("GET", json!({"q": 1})),
        "a GET may have one"
    );
}

/// Values that try to leave their place, and how they arrive in a path and a query.
const ESCAPES: &[(&str, &str)] = &[
    ("a/b", "a%2Fb"),
    ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"),
    ("..\\..\\x", "..%5C..%5Cx"),
    ("a?admin=1", "a%3Fadmin%3D1"),
    ("a&admin=1", "a%26admin%3D1"),
    ("a#b", "a%23b"),
    ("a;b", "a%3Bb"),
    ("%2e%2e", "%252e%252e"),
    ("%2F", "%252F"),
    ("%00", "%2500"),
    ("\0", "%00"),
    ("a b", "a%20b"),
    ("a+b", "a%2Bb"),
    ("a\tb", "a%09b"),
    ("x HTTP/1.1\r\nx-injected: 1\r\n\r\n", "x%20HTTP%2F1.1%0D%0Ax-injected%3A%201%0D%0A%0D%0A"),
    ("\n", "%0A"),
    ("@evil.test", "%40evil.test"),
    ("//evil.test", "%2F%2Fevil.test"),
    ("http://evil.test/", "http%3A%2F%2Fevil.test%2F"),
    ("{other}", "%7Bother%7D"),
    ("'\"<>", "%27%22%3C%3E"),
    ("杭州", "%E6%9D%AD%E5%B7%9E"),
    ("．．", "%EF%BC%8E%EF%BC%8E"),
    ("…", "%E2%80%A6"),
];

//
#[tokio::test]
async fn an_argument_stays_one_part_of_the_path_and_one_value_of_the_query() {
    let server = echo().await;
    let url = server.url("/users/{v}/keys?q={v}&z={other}");
    for (value, _) in ESCAPES {
        ask(json!({"url": url}), json!({"v": value, "other": "o"})).await.unwrap();
    }
    let heard = server.heard();
    assert_eq!(heard.len(), ESCAPES.len());
    for ((value, encoded), heard) in ESCAPES.iter().zip(heard) {
        let target = format!("/users/{encoded}/keys?q={encoded}&z=o");
        assert_eq!((heard.method.as_str(), heard.target.as_str()), ("GET", &*target), "{value:?}");
        assert_eq!(heard.header("x-injected"), None);
        assert_eq!(heard.header("host"), Some(server.address.to_string().as_str()));
    }
    for value in ["", ".", ".."] {
        let fault = ask(json!({"url": url}), json!({"v": value, "other": "o"})).await.unwrap_err();
        assert_eq!(fault.code(), "call_refused", "{value:?}");
    }
    assert_eq!(server.heard().len(), ESCAPES.len(), "nothing was sent for these");
}

//
#[tokio::test]
async fn all_attempts_of_one_wish_carry_the_same_key_and_body() {
    let server = TestServer::start(|_, before| match before {
        0 => ServerReply::new("429 Too Many Requests", b"{}"),
        1 => ServerReply::new("503 Service Unavailable", b""),
        2 => ServerReply::raw(""),
        _ => ServerReply::json(&json!({"booked": 1})),
    })
    .await;
    let http = json!({"method": "POST", "url": server.url("/book")});
    let task = Task::run(http, json!({"idempotent": true}), json!({"amount": 20})).await;
    assert_eq!(
        task.outcomes(),
        ["failed tool_failed", "failed tool_broke", "failed tool_broke", "ok"]
    );
    let heard = server.heard();
    let key = format!("{}/a~1", task.id);
    assert_eq!(heard.len(), 4);
    for heard in heard {
        assert_eq!(heard.header("idempotency-key"), Some(key.as_str()));
        assert_eq!(heard.json(), json!({"amount": 20}));
    }
}

#[tokio::test]
async fn a_secret_reaches_its_server_and_nothing_that_is_kept_or_shown() {
    // It echoes everything back in its refusal, as careless servers do.
    let server = TestServer::start(|heard, before| {
        let said = format!("{} is not {:?}\n", "0".repeat(290), heard.headers);
        let said = if before == 0 { format!("{:?}", heard.headers) } else { said };
        let status = if before == 0 { "503 Service Unavailable" } else { "401 Unauthorized" };
        ServerReply::new(status, said.as_bytes())
    })
    .await;
    let headers = json!({"authorization": "secret:TOKEN", "x-key": "secret:KEY", "x-plain": "p"});
    let task =
        Task::run(json!({"url": server.url("/"), "headers": headers}), json!({}), json!({})).await;
    assert_eq!(task.outcomes(), ["failed tool_broke", "failed tool_failed"]);
    for heard in server.heard() {
        assert_eq!(heard.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        assert_eq!(heard.header("x-key"), Some(CANARY));
        assert_eq!(heard.header("x-plain"), Some("p"));
    }
    let record = task.record();
    assert!(record.contains("503") && record.contains("[secret:TOKEN]"), "{record}");
    assert!(!record.contains(CANARY), "{record}");
    assert!(!record.contains(&CANARY[..8]), "not even its beginning: {record}");
}

#[tokio::test]
async fn a_secret_that_is_missing_or_is_no_header_is_told_without_its_value() {
    let server = echo().await;
    for (header, words) in [("secret:GONE", "PRAXIS_SECRET_GONE"), ("secret:BROKEN", "not allowed")]
    {
        let http = json!({"url": server.url("/"), "headers": {"x-key": header}});
        let fault = ask(http, json!({})).await.unwrap_err();
        let told = format!("{fault:?} {fault}");
        assert_eq!(fault.code(), "call_refused");
        assert!(told.contains(words) && !told.contains(CANARY), "{told}");
    }
    assert_eq!(server.visitors().await.unwrap(), 0);
}

#[tokio::test]
async fn an_argument_that_is_missing_refuses_the_call_before_anything_is_sent() {
    let server = echo().await;
    let body = json!({"method": "POST", "url": server.url("/"), "body": {"a": "{gone}"}});
    for http in [json!({"url": server.url("/{gone}")}), body] {
        let fault = ask(http, json!({})).await.unwrap_err();
        assert_eq!(fault.code(), "call_refused");
        assert!(fault.to_string().contains("missing argument `gone`"), "{fault}");
    }
    assert_eq!(server.visitors().await.unwrap(), 0);
}
