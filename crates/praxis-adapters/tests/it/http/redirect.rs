//! Redirects: followed with care, and what they do not take along.

use super::rig::{CANARY, Task, ask, call, guard, resolver, tool};
use praxis_core::fault::Fault;
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};

fn to(status: u16, place: &str) -> ServerReply {
    ServerReply::new(&format!("{status} Elsewhere\nlocation: {place}"), b"moved")
}

/// Answers `/CODE/rest` with a redirect to `/rest`, and anything else with what it heard.
async fn winding() -> TestServer {
    TestServer::start(|heard, _| {
        let rest = heard.target.trim_start_matches('/');
        match rest.split_once('/').map(|(code, rest)| (code.parse(), rest)) {
            Some((Ok(code), rest)) => to(code, &format!("/{rest}")),
            _ => ServerReply::json(&json!({"path": heard.target})),
        }
    })
    .await
}

#[tokio::test]
async fn redirects_of_a_read_are_followed_five_times_with_its_method_and_headers() {
    let server = winding().await;
    for status in [301, 302, 303, 307, 308] {
        for method in ["GET", "HEAD"] {
            let url = server.url(&format!("/{status}/end"));
            let headers = json!({"authorization": "secret:TOKEN"});
            let http = json!({"method": method, "url": url, "headers": headers});
            let output = ask(http, json!({})).await.unwrap();
            let body = if method == "GET" { json!({"path": "/end"}) } else { Value::Null };
            assert_eq!(output, body, "{status} {method}");
            let heard = server.heard().pop().unwrap();
            assert_eq!((heard.method.as_str(), heard.target.as_str()), (method, "/end"));
            assert_eq!(heard.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        }
    }
    let five = server.url(&format!("{}/end", "/302".repeat(5)));
    assert!(ask(json!({"url": five}), json!({})).await.is_ok());
    let before = server.heard().len();
    let six = server.url(&format!("{}/end", "/302".repeat(6)));
    let fault = ask(json!({"url": six}), json!({})).await.unwrap_err();
    assert!(matches!(&fault, Fault::ToolFailed { retryable: false, .. }), "{fault:?}");
    assert!(fault.to_string().contains("more than 5 redirects"), "{fault}");
    assert_eq!(server.heard().len() - before, 6);
}

#[tokio::test]
async fn a_redirect_in_a_circle_ends() {
    let server = TestServer::start(|_, _| to(302, "/")).await;
    assert_eq!(
        ask(json!({"url": server.url("/")}), json!({})).await.unwrap_err().code(),
        "tool_failed"
    );
    assert_eq!(server.heard().len(), 6);
}

#[tokio::test]
async fn what_is_no_redirect_or_points_nowhere_is_an_answer() {
    for reply in [
        ServerReply::new("302 Found", b""),
        to(304, "/x"),
        to(300, "/x"),
        to(305, "/x"),
        to(302, "http://[bad/"),
    ] {
        let server = TestServer::start(move |_, _| reply.clone()).await;
        let fault = ask(json!({"url": server.url("/")}), json!({})).await.unwrap_err();
        assert_eq!(fault.code(), "tool_failed", "{fault}");
        assert_eq!(server.heard().len(), 1, "{fault}");
    }
}

#[tokio::test]
async fn a_write_is_never_sent_again_by_a_redirect() {
    for status in [301, 302, 307, 308] {
        let server = winding().await;
        let http = json!({"method": "POST", "url": server.url(&format!("/{status}/end"))});
        let task = Task::run(http, json!({}), json!({"amount": 20})).await;
        assert_eq!(task.outcomes(), ["failed tool_failed"], "{status}");
        assert_eq!(server.heard().len(), 1, "{status}");
    }
    let server = winding().await;
    let http = json!({"method": "POST", "url": server.url("/303/end")});
    let task = Task::run(http, json!({}), json!({"amount": 20})).await;
    assert_eq!(task.outcomes(), ["ok"]);
    let heard = server.heard();
    let methods: Vec<&str> = heard.iter().map(|heard| heard.method.as_str()).collect();
    assert_eq!(methods, ["POST", "GET"]);
    assert!(heard[1].body.is_empty() && heard[1].header("idempotency-key").is_none());
    assert_eq!(heard[1].header("content-type"), None);
}

//
#[tokio::test]
async fn a_write_whose_result_cannot_be_read_is_in_doubt_and_not_sent_again() {
    let places =
        ["/429", "/404", "/503", "/303", "http://127.0.0.1:1/", "http://10.0.0.1/", "ftp://x/"];
    for place in places {
        let server = TestServer::start(move |heard, _| match heard.target.as_str() {
            "/" => to(303, place),
            "/303" => to(303, "/303"),
            other => ServerReply::new(&format!("{} Said", other.trim_start_matches('/')), b""),
        })
        .await;
        let task =
            Task::run(json!({"method": "POST", "url": server.url("/")}), json!({}), json!({}))
                .await;
        assert_eq!(task.outcomes(), ["in doubt tool_broke"], "{place}");
        let posts = server.heard().iter().filter(|heard| heard.method == "POST").count();
        assert_eq!(posts, 1, "{place}");
    }
}

#[tokio::test]
async fn headers_and_bodies_are_for_the_origin_of_the_manifest_only() {
    let other =
        TestServer::at("127.0.0.2:0".parse().unwrap(), |_, _| ServerReply::json(&json!({}))).await;
    let other = other.unwrap();
    let place = other.url("/x");
    let home = TestServer::start(move |_, _| to(307, &place)).await;
    let headers = json!({
        "authorization": "secret:TOKEN", "cookie": "secret:KEY", "x-key": "secret:KEY", "x-plain": "p",
    });
    let http = json!({"url": home.url("/"), "headers": headers, "body": {"b": 1}});
    let open = guard(&["127.0.0.2/32"], resolver(|_| vec![]));
    call(&tool(http), open, json!({})).await.unwrap();
    assert_eq!(home.heard()[0].header("x-key"), Some(CANARY));
    assert_eq!(home.heard()[0].json(), json!({"b": 1}));
    let heard = other.heard().remove(0);
    let names: Vec<&str> = heard.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["accept", "accept-encoding", "host"]);
    assert!(heard.body.is_empty());
    assert!(!format!("{heard:?}").contains(CANARY));
}

#[tokio::test]
async fn a_page_that_another_origin_sent_the_request_back_to_gets_no_secret() {
    let back = |heard: &ReceivedRequest| to(302, &heard.target.replace("/?", "http://"));
    let other = TestServer::at("127.0.0.2:0".parse().unwrap(), move |heard, _| back(heard)).await;
    let away = other.unwrap().url("/?");
    let home = TestServer::start(move |heard, _| match heard.target.as_str() {
        "/" => to(302, &format!("{away}{}/admin", heard.header("host").unwrap())),
        _ => ServerReply::json(&json!({})),
    })
    .await;
    let http = json!({"url": home.url("/"), "headers": {"authorization": "secret:TOKEN"}});
    let open = guard(&["127.0.0.0/8"], resolver(|_| vec![]));
    call(&tool(http), open, json!({})).await.unwrap();
    let heard = home.heard();
    assert_eq!((heard[0].target.as_str(), heard[1].target.as_str()), ("/", "/admin"));
    assert!(heard[0].header("authorization").is_some());
    assert_eq!(heard[1].header("authorization"), None);
}

#[tokio::test]
async fn a_user_name_in_a_redirect_is_refused_also_at_home() {
    let server = TestServer::start(|heard, _| {
        let host = heard.header("host").unwrap();
        to(302, &format!("http://root:toor@{host}/"))
    })
    .await;
    let fault = ask(json!({"url": server.url("/")}), json!({})).await.unwrap_err();
    assert_eq!(fault.code(), "call_refused", "{fault}");
    assert_eq!(server.heard().len(), 1);
}
