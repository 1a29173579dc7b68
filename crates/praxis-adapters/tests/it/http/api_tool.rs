//! The built-in `API`: every part of the request is given with the call.

use super::rig::{CANARY, World, built_in, guard, resolver, strict};
use praxis_adapters::http::{Guard, Hosts};
use praxis_core::call::risk::Risk;
use praxis_core::schema::Schema;
use praxis_engine::seams::FailedCall;
use praxis_testkit::server::{AfterReply, ServerReply, TestServer};
use serde_json::{Value, json};
use std::sync::Arc;

/// A guard that opens this machine.
fn open() -> Arc<Guard> {
    guard(&["127.0.0.1/32"], resolver(|_| vec![]))
}

/// Makes the call and checks both ends against the manifest.
async fn api(world: &World, arguments: Value) -> Result<Value, FailedCall> {
    let tool = built_in("API");
    let fits = |schema: &Value, value: &Value| Schema::compile(schema).unwrap().errors(value);
    assert_eq!(fits(&tool.input_schema, &arguments), vec![], "{arguments}");
    let output = world.call(&tool, arguments).await?;
    assert_eq!(fits(tool.output_schema.as_ref().unwrap(), &output), vec![]);
    Ok(output)
}

#[test]
fn it_writes_and_may_not_simply_run_again() {
    let tool = built_in("API");
    assert_eq!((tool.risk(), tool.idempotent), (Risk::Write, Some(false)));
}

// B-033
#[tokio::test]
async fn every_part_of_a_request_arrives_and_the_response_comes_back() {
    let server =
        TestServer::start(|_, _| ServerReply::new("201 Created\nx-a: b", b"{\"id\": 7}")).await;
    let asked = json!({
        "method": "POST", "url": format!("{}#top", server.url("/orders?a=b")), "query": {"n": [1, 2], "t": "{x} secret:KEY"},
        "headers": {"X-Trace": "7", "authorization": "Bearer of-a-step-before"}, "cookies": {"c": "1", "d": "2"},
        "body": {"text": "{not} a template", "n": null}, "expect_status": [200, 201], "timeout": "5s",
    });
    let output = api(&World::new(open()), asked).await.unwrap();
    assert_eq!((&output["http_code"], &output["result"]), (&json!(201), &json!({"id": 7})));
    assert_eq!(output["headers"]["x-a"], "b");
    let heard = server.heard().remove(0);
    assert_eq!(
        (heard.method.as_str(), heard.target.as_str()),
        ("POST", "/orders?a=b&n=1&n=2&t=%7Bx%7D+secret%3AKEY")
    );
    assert_eq!(heard.header("cookie"), Some("c=1; d=2"));
    assert_eq!(
        (heard.header("x-trace"), heard.header("authorization")),
        (Some("7"), Some("Bearer of-a-step-before"))
    );
    assert_eq!(heard.json(), json!({"text": "{not} a template", "n": null}));
    assert_eq!(heard.header("idempotency-key"), Some("task_1/a~1"));
    let form = json!({"method": "PUT", "url": server.url("/"), "form": {"a": "b c"}});
    api(&World::new(open()), form).await.unwrap();
    assert_eq!(server.heard()[1].body, b"a=b+c");
    let bare = json!({"url": server.url("/")});
    api(&World::new(open()), bare).await.unwrap();
    let heard = server.heard().remove(2);
    assert_eq!((heard.method.as_str(), heard.body.len()), ("GET", 0));
    let text = json!({"method": "POST", "url": server.url("/"), "body": "<a/>", "content_type": "text/xml"});
    api(&World::new(open()), text).await.unwrap();
    assert_eq!(server.heard()[3].body, b"<a/>");
}

/// Arguments beside the address that are not taken, and the place that is told.
fn unfit() -> Vec<(Value, &'static str)> {
    let header = |name: &str, value: &str| (json!({"headers": {name: value}}), "/headers");
    let cookie = |name: &str, value: &str| (json!({"cookies": {name: value}}), "/cookies");
    vec![
        header("x-a", "b\r\nx-injected: 1"),
        header("x-a", "b\nx-injected: 1"),
        header("x-a", "b\0"),
        header("x-a\r\nx-injected", "1"),
        header("x a", "1"),
        header("", "1"),
        header("Host", "evil.test"),
        header("content-length", "0"),
        header("Transfer-Encoding", "chunked"),
        header("connection", "upgrade"),
        header("Upgrade", "h2c"),
        header("TE", "trailers"),
        header("trailer", "x"),
        header("keep-alive", "1"),
        header("Proxy-Authorization", "x"),
        header("proxy-connection", "x"),
        header("expect", "100-continue"),
        header("authorization", "secret:TOKEN"),
        header("x-key", "key secret:KEY"),
        cookie("a", "b; c=d"),
        cookie("a", "b\r\nx-injected: 1"),
        cookie("a=b", "c"),
        cookie("", "c"),
        cookie("sid", "secret:KEY"),
        (json!({"method": "CONNECT"}), "/method"),
        (json!({"method": "trace"}), "/method"),
        (json!({"method": "GET / HTTP/1.1\r\nx: y"}), "/method"),
        (json!({"query": {"a": {"b": 1}}}), "/query"),
        (json!({"method": "POST", "form": {"a": [[1]]}}), "/form"),
        (json!({"method": "POST", "body": 1, "form": {}}), "/body"),
        (json!({"method": "POST", "body": 1, "files": {"f": "x"}}), "/body"),
        (json!({"method": "POST", "form": {}, "content_type": "text/csv"}), "/content_type"),
        (
            json!({"method": "POST", "body": "x", "content_type": "text/csv\r\nx: y"}),
            "/content_type",
        ),
        (json!({"method": "POST", "body": {}, "content_type": "text/csv"}), "/body"),
        (
            json!({"method": "POST", "form": {}, "headers": {"Content-Type": "text/csv"}}),
            "/headers",
        ),
        (json!({"expect_status": "good"}), "/expect_status"),
        (json!({"expect_status": [99]}), "/expect_status"),
        (json!({"timeout": 0}), "/timeout"),
        (json!({"timeout": "soon"}), "/timeout"),
        (json!({"auth": {"digest": "secret:KEY"}}), ""),
        (json!({"auth": {"bearer": "secret:KEY", "basic": {}}}), ""),
        (json!({"never_heard_of": 1}), ""),
    ]
}

#[tokio::test]
async fn what_would_break_the_request_or_leave_its_place_is_refused_before_anything_is_sent() {
    let server = TestServer::start(|_, _| ServerReply::json(&json!({}))).await;
    let world = World { written: Some(server.address.to_string()), ..World::new(strict()) };
    for (mut asked, at) in unfit() {
        asked["url"] = json!(server.url("/"));
        let failed = world.call(&built_in("API"), asked.clone()).await.unwrap_err();
        let praxis_core::fault::Fault::ParamsInvalid { errors } = &failed.fault else {
            panic!("{asked}: {}", failed.fault)
        };
        assert_eq!(errors[0].pointer, at, "{asked}: {}", failed.fault);
    }
    assert_eq!(server.visitors().await.unwrap(), 0);
    world.call(&built_in("API"), json!({"url": server.url("/")})).await.unwrap();
    assert_eq!(server.visitors().await.unwrap(), 1, "it could be reached");
}

// B-033
#[tokio::test]
async fn a_secret_goes_to_a_host_that_the_flow_names_and_to_no_other() {
    let server = TestServer::start(|_, _| ServerReply::json(&json!({}))).await;
    let ways = [
        json!({"bearer": "secret:KEY"}),
        json!({"basic": {"user": "a", "password": "secret:KEY"}}),
        json!({"api_key": {"in": "header", "name": "k", "value": "secret:KEY"}}),
        json!({"api_key": {"in": "query", "name": "k", "value": "secret:KEY"}}),
        json!({"api_key": {"in": "cookie", "name": "k", "value": "secret:KEY"}}),
    ];
    let port = server.address.port();
    let named = World { written: Some(format!("127.0.0.1:{port}")), ..World::new(strict()) };
    let others =
        ["127.0.0.1".to_owned(), format!("127.0.0.2:{port}"), format!("127.0.0.1:{}", port - 1)];
    let unnamed = others.map(|host| World { written: Some(host), ..World::new(open()) });
    for (auth, unnamed) in ways.iter().zip(unnamed.iter().cycle()) {
        let asked = json!({"url": server.url("/"), "auth": auth});
        let failed = api(unnamed, asked.clone()).await.unwrap_err();
        assert_eq!(failed.fault.code(), "call_refused", "{auth}");
        assert!(
            failed.fault.to_string().contains("only to hosts written in the flow"),
            "{}",
            failed.fault
        );
    }
    assert_eq!(server.visitors().await.unwrap(), 0);
    for auth in &ways {
        api(&named, json!({"url": server.url("/"), "auth": auth})).await.unwrap();
        let heard = server.heard().pop().unwrap();
        let basic = "YTpjYW5hcnktOWYyYjcxYzA0ZA==";
        assert!(
            format!("{heard:?}").contains(CANARY) || format!("{heard:?}").contains(basic),
            "{heard:?}"
        );
    }
    let plain = json!({"url": server.url("/"), "auth": {"bearer": CANARY}});
    let failed = api(&named, plain).await.unwrap_err();
    assert_eq!(failed.fault.code(), "call_refused", "what is no reference is no secret");
    assert_eq!(server.heard().len(), ways.len());
}

#[tokio::test]
async fn a_host_must_be_granted_or_written() {
    let server = TestServer::start(|_, _| ServerReply::json(&json!(1))).await;
    let asked = json!({"url": server.url("/")});
    let none = World { hosts: Hosts::default(), ..World::new(open()) };
    assert_eq!(api(&none, asked.clone()).await.unwrap_err().fault.code(), "host_not_granted");
    assert_eq!(server.visitors().await.unwrap(), 0);
    let written = World { written: Some(server.address.to_string()), ..none };
    api(&written, asked).await.unwrap();
    assert_eq!(server.heard().len(), 1);
    let port = server.address.port();
    for url in [format!("http://user@127.0.0.1:{port}/"), format!("http://:x@127.0.0.1:{port}/")] {
        let failed = api(&written, json!({"url": url})).await.unwrap_err();
        assert_eq!(failed.fault.code(), "call_refused", "{url}");
    }
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_call_ends_when_its_own_time_is_over_and_never_later_than_its_step() {
    for (timeout, most) in [(json!("100ms"), 10_000), (json!(0.1), 10_000), (json!("1h"), 100)] {
        let server = TestServer::start(|_, _| ServerReply::silence()).await;
        let world = World { timeout_ms: most, ..World::new(open()) };
        let asked = json!({"url": server.url("/"), "timeout": timeout});
        let fault = api(&world, asked).await.unwrap_err().fault;
        assert_eq!(fault.to_string(), "tool `API` did not answer within 100 ms", "{timeout}");
        server.until_left(1).await;
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_closes_its_connection_at_once() {
    let body = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{";
    for reply in [ServerReply::silence(), ServerReply::raw(body).then(AfterReply::Hold)] {
        let server = TestServer::start(move |_, _| reply.clone()).await;
        let world = World::new(open());
        let call = api(&world, json!({"method": "POST", "url": server.url("/"), "body": 1}));
        tokio::select! {
            ended = call => panic!("it ended: {ended:?}"),
            () = server.until_heard(1) => {}
        }
        server.until_left(1).await;
    }
}
