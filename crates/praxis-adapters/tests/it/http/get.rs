//! The built-in `http_get`: an address that the caller chose, and what comes back.

use super::forms::{INSIDE, UNICODE};
use super::rig::{CANARY, MOST, call, call_to, guard, resolver, strict};
use praxis_adapters::http::{Guard, Hosts};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::schema::Schema;
use praxis_testkit::server::{ServerReply, TestServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn http_get() -> Tool {
    praxis_toolbox::tools().into_iter().find(|tool| tool.id.as_str() == "http_get").unwrap()
}

/// A guard that opens this machine.
fn open() -> Arc<Guard> {
    guard(&["127.0.0.1/32"], resolver(|_| vec![]))
}

/// Makes the call and checks the output against the manifest.
async fn got(arguments: Value) -> Result<Value, Fault> {
    let output = call(&http_get(), open(), arguments).await?;
    let schema = Schema::compile(http_get().output_schema.as_ref().unwrap()).unwrap();
    assert_eq!(schema.errors(&output), vec![]);
    Ok(output)
}

async fn answered(reply: ServerReply, expect: &str) -> Result<Value, Fault> {
    let server = TestServer::start(move |_, _| reply.clone()).await;
    got(json!({"url": server.url("/"), "expect": expect})).await
}

#[tokio::test]
async fn a_page_is_json_if_it_is_else_text_and_the_query_is_encoded() {
    let server = TestServer::start(|_, _| {
        ServerReply::new("200 OK\ncontent-type: application/json", br#"{"t": [18.5]}"#)
    })
    .await;
    let query = json!({"city": "杭州 &x=1", "days": 2, "raw": true, "none": null});
    let asked = json!({"url": format!("{}#top", server.url("/w?a=b")), "query": query});
    let output = got(asked).await.unwrap();
    let target = "/w?a=b&city=%E6%9D%AD%E5%B7%9E+%26x%3D1&days=2&raw=true";
    assert_eq!(server.heard()[0].target, target);
    assert_eq!(
        output,
        json!({"url": server.url(target), "status": 200, "content_type": "application/json",
               "is_json": true, "body": {"t": [18.5]}, "byte_count": 13})
    );
    let text = answered(ServerReply::new("200 OK", b"words"), "any").await.unwrap();
    assert_eq!((&text["body"], &text["is_json"]), (&json!("words"), &json!(false)));
    let text = answered(ServerReply::new("200 OK", b"[1]"), "text").await.unwrap();
    assert_eq!(text["body"], json!("[1]"));
}

#[tokio::test]
async fn nothing_of_the_caller_is_sent_but_the_address() {
    let server = TestServer::start(|_, _| ServerReply::json(&json!(1))).await;
    got(json!({"url": server.url("/")})).await.unwrap();
    let heard = server.heard().remove(0);
    assert_eq!((heard.method.as_str(), heard.body.len()), ("GET", 0));
    let mut names: Vec<&str> = heard.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "host"]);
    // A reference to a secret is words like any others.
    let asked = json!({"url": server.url("/"), "query": {"key": "secret:KEY"}});
    got(asked).await.unwrap();
    let target = &server.heard()[1].target;
    assert!(target.contains("secret") && !target.contains(CANARY), "{target}");
}

#[tokio::test]
async fn an_answer_that_is_not_what_was_wanted_is_a_failure() {
    let ok = "200 OK\ncontent-type: text/html";
    let long = vec![b'x'; usize::try_from(MOST).unwrap() + 1];
    for (reply, expect, code) in [
        (ServerReply::new(ok, b"<html>"), "json", "tool_failed"),
        (ServerReply::new("200 OK\ncontent-type: image/png", b"\x89PNG\xff"), "any", "tool_failed"),
        (ServerReply::new("404 Not Found", b"gone"), "any", "tool_failed"),
        (ServerReply::new("503 Busy", b""), "any", "tool_broke"),
        (ServerReply::new(ok, &long), "any", "output_too_large"),
    ] {
        assert_eq!(answered(reply, expect).await.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn no_form_of_an_inside_address_is_reached_at_once_or_by_a_redirect() {
    let canary = TestServer::start(|_, _| ServerReply::json(&json!("reached"))).await;
    let port = canary.address.port();
    for form in INSIDE.iter().chain(UNICODE) {
        for url in [format!("http://{form}:{port}/"), format!("https://{form}/x")] {
            let asked = json!({"url": url});
            let inside = guard(&[], resolver(|_| vec!["127.0.0.1".parse().unwrap()]));
            let code = call(&http_get(), inside, asked).await.unwrap_err().code();
            // What is no address at all is refused as an argument.
            assert!(matches!(code, "call_refused" | "params_invalid"), "{url}: {code}");
        }
    }
    let place = format!("http://127.0.0.2:{port}/");
    let home = TestServer::start(move |_, _| {
        ServerReply::new(&format!("302 Found\nlocation: {place}"), b"")
    });
    let fault = got(json!({"url": home.await.url("/")})).await.unwrap_err();
    assert_eq!(fault.code(), "call_refused", "{fault}");
    assert_eq!(canary.visitors().await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_no_plain_address_of_the_web_is_refused() {
    for (url, code) in [
        ("file:///etc/passwd", "call_refused"),
        ("ftp://example.org/", "call_refused"),
        ("http://user:key@example.org/", "call_refused"),
        ("example.org/x", "params_invalid"),
        ("http://", "params_invalid"),
    ] {
        let fault = call(&http_get(), strict(), json!({"url": url})).await.unwrap_err();
        assert_eq!(fault.code(), code, "{url}: {fault}");
    }
    let long = format!("http://example.org/{}", "x".repeat(9000));
    let fault = call(&http_get(), strict(), json!({"url": long})).await.unwrap_err();
    assert_eq!(fault.code(), "call_refused");
    let nested = json!({"url": "http://example.org/", "query": {"a": [1]}});
    let fault = call(&http_get(), strict(), nested).await.unwrap_err();
    assert_eq!(fault.code(), "params_invalid");
}

fn hosts(entries: &[&str]) -> Hosts {
    Hosts::read(&entries.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

#[tokio::test]
async fn a_host_that_is_not_granted_is_neither_reached_nor_looked_up() {
    let canary = TestServer::start(|_, _| ServerReply::json(&json!("reached"))).await;
    let port = canary.address.port();
    let looked = Arc::new(AtomicUsize::new(0));
    for granted in [&[][..], &["example.org"], &["*.example.org"], &["127.0.0.2"]] {
        for url in [
            format!("http://127.0.0.1:{port}/"),
            format!("http://2130706433:{port}/"),
            format!("http://evil.test:{port}/?to=example.org"),
            format!("http://example.org.evil.test:{port}/"),
            format!("http://notexample.org:{port}/"),
        ] {
            let count = Arc::clone(&looked);
            let seen = resolver(move |_| {
                count.fetch_add(1, Ordering::SeqCst);
                vec!["127.0.0.1".parse().unwrap()]
            });
            let open = guard(&["127.0.0.0/8"], seen);
            let asked = call_to(hosts(granted), &http_get(), open, json!({"url": url})).await;
            let fault = asked.unwrap_err();
            assert_eq!(fault.code(), "host_not_granted", "{granted:?} {url}: {fault}");
            assert!(fault.to_string().contains("tools.hosts"), "{fault}");
            assert!(!fault.is_transient());
        }
    }
    assert_eq!((looked.load(Ordering::SeqCst), canary.visitors().await.unwrap()), (0, 0));
}

#[tokio::test]
async fn a_granted_host_is_reached_and_cannot_send_the_call_on_to_another() {
    let canary = TestServer::start(|_, _| ServerReply::json(&json!("reached"))).await;
    let beyond = format!("http://127.0.0.2:{}/secret", canary.address.port());
    let home = TestServer::start(move |heard, _| match heard.target.as_str() {
        "/away" => ServerReply::new(&format!("302 Found\nlocation: {beyond}"), b""),
        "/round" => ServerReply::new("302 Found\nlocation: /here", b""),
        _ => ServerReply::json(&json!("here")),
    })
    .await;
    let got = |path: &str, granted: &[&str]| {
        let open = guard(&["127.0.0.0/8"], resolver(|_| vec![]));
        let (hosts, asked) = (hosts(granted), json!({"url": home.url(path)}));
        async move { call_to(hosts, &http_get(), open, asked).await }
    };
    assert_eq!(got("/", &["127.0.0.1"]).await.unwrap()["body"], "here");
    assert_eq!(got("/round", &["127.0.0.1"]).await.unwrap()["body"], "here");
    let fault = got("/away", &["127.0.0.1"]).await.unwrap_err();
    assert_eq!(fault.code(), "host_not_granted", "{fault}");
    assert!(fault.to_string().contains("127.0.0.2"), "{fault}");
    assert_eq!(canary.visitors().await.unwrap(), 0);
    let fault = got("/", &[]).await.unwrap_err();
    assert_eq!(fault.code(), "host_not_granted", "nothing is granted by itself");
    assert_eq!(home.heard().len(), 4);
}
