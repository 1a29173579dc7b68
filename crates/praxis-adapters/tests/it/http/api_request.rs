//! What a request says besides its address and its JSON: query, cookies, who asks, forms.

use super::rig::{CANARY, Task, World, ask, guard, resolver, tool};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};

async fn echo() -> TestServer {
    TestServer::start(|_, _| ServerReply::json(&json!({"ok": true}))).await
}

/// The request that a manifest makes of its arguments.
async fn sent(mut http: Value, arguments: Value) -> ReceivedRequest {
    let server = echo().await;
    http["url"] = json!(server.url("/u"));
    ask(http, arguments).await.unwrap();
    server.heard().remove(0)
}

// B-033
#[tokio::test]
async fn a_query_is_filled_encoded_and_left_out_where_an_argument_is_missing() {
    let query = json!({
        "city": "{city}", "note": "from {city} to {gone}", "state": "{states}", "n": 1.5, "all": true,
        "fixed": ["a", "b&c"], "none": "{none}",
    });
    let arguments = json!({"city": "杭州 &x=1#", "states": ["open", null, 7], "none": null});
    let heard = sent(json!({ "query": query }), arguments).await;
    let expected = "/u?all=true&city=%E6%9D%AD%E5%B7%9E+%26x%3D1%23&fixed=a&fixed=b%26c&n=1.5&state=open&state=7";
    assert_eq!(heard.target, expected);
    let bare = sent(json!({"query": {"a": "{gone}"}}), json!({})).await;
    assert_eq!(bare.target, "/u", "no pair, no question mark");
    let server = echo().await;
    let http = json!({"url": server.url("/?a=b"), "query": {"c": "{c}"}});
    ask(http.clone(), json!({"c": "d"})).await.unwrap();
    assert_eq!(server.heard()[0].target, "/?a=b&c=d");
    let fault = ask(http, json!({"c": {"d": 1}})).await.unwrap_err();
    assert_eq!(fault.code(), "call_refused");
    assert_eq!(server.heard().len(), 1);
}

// B-033
#[tokio::test]
async fn each_way_to_say_who_asks_arrives_where_it_belongs() {
    let key = |place: &str| json!({"auth": {"api_key": {"in": place, "name": "k", "value": "secret:KEY"}}});
    let bearer = sent(json!({"auth": {"bearer": "secret:KEY"}}), json!({})).await;
    assert_eq!(bearer.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
    let basic = json!({"auth": {"basic": {"user": "Aladdin", "password": "secret:KEY"}}});
    let basic = sent(basic, json!({})).await;
    assert_eq!(basic.header("authorization"), Some("Basic QWxhZGRpbjpjYW5hcnktOWYyYjcxYzA0ZA=="));
    assert_eq!(sent(key("header"), json!({})).await.header("k"), Some(CANARY));
    assert_eq!(sent(key("query"), json!({})).await.target, format!("/u?k={CANARY}"));
    let mut both = key("cookie");
    both["cookies"] = json!({"a": "b", "sid": "secret:KEY"});
    let cookies = sent(both, json!({})).await;
    assert_eq!(cookies.header("cookie"), Some(format!("a=b; sid={CANARY}; k={CANARY}").as_str()));
}

#[tokio::test]
async fn a_secret_of_any_kind_is_found_again_in_what_comes_back() {
    let ways = [
        json!({"auth": {"basic": {"user": "Aladdin", "password": "secret:KEY"}}}),
        json!({"auth": {"bearer": "secret:KEY"}}),
        json!({"auth": {"api_key": {"in": "query", "name": "k", "value": "secret:KEY"}}}),
        json!({"cookies": {"sid": "secret:KEY"}}),
    ];
    for (number, mut http) in ways.into_iter().enumerate() {
        for (status, output) in
            [("200 OK", "response"), ("403 Forbidden", "response"), ("200 OK", "body")]
        {
            let server = TestServer::start(move |heard, _| {
                let said = json!({"target": heard.target, "headers": heard.headers});
                let back = format!("{status}\nx-back: {:?}", heard.headers).replace('"', "");
                ServerReply::new(&back, said.to_string().as_bytes())
            })
            .await;
            http["url"] = json!(server.url("/"));
            http["output"] = json!(output);
            let task = Task::run(http.clone(), json!({}), json!({})).await;
            let record = task.record();
            assert!(record.contains("[secret:KEY]"), "{number} {status}: {record}");
            assert!(
                !record.contains(CANARY) && !record.contains("QWxhZGRpbjpj"),
                "{number} {status}: {record}"
            );
        }
    }
}

#[tokio::test]
async fn a_secret_that_would_break_its_line_is_not_sent_and_not_told() {
    let server = echo().await;
    for part in [
        json!({"auth": {"bearer": "secret:BROKEN"}}),
        json!({"auth": {"api_key": {"in": "header", "name": "k", "value": "secret:BROKEN"}}}),
        json!({"auth": {"api_key": {"in": "cookie", "name": "k", "value": "secret:BROKEN"}}}),
        json!({"cookies": {"sid": "secret:BROKEN"}}),
        json!({"auth": {"basic": {"user": "a", "password": "secret:GONE"}}}),
    ] {
        let mut http = part;
        http["url"] = json!(server.url("/"));
        let fault = ask(http.clone(), json!({})).await.unwrap_err();
        assert_eq!(fault.code(), "call_refused", "{http}");
        assert!(!format!("{fault:?}").contains(CANARY), "{fault:?}");
    }
    assert_eq!(server.visitors().await.unwrap(), 0);
}

// B-033
#[tokio::test]
async fn a_body_is_json_a_form_or_a_text_of_its_kind() {
    let form = json!({"method": "POST", "form": {"a": "{a}", "b": "{list}", "c": "{gone}"}});
    let heard = sent(form, json!({"a": "x&y=1\r\n", "list": [1, 2]})).await;
    assert_eq!(heard.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(String::from_utf8(heard.body).unwrap(), "a=x%26y%3D1%0D%0A&b=1&b=2");
    let text =
        json!({"method": "PUT", "content_type": "text/csv; charset=utf-8", "body": "a,b\n{n},2\n"});
    let heard = sent(text.clone(), json!({"n": 1})).await;
    assert_eq!(heard.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(heard.body, b"a,b\n1,2\n");
    let patch = json!({"method": "PATCH", "content_type": "application/json-patch+json", "body": [{"op": "{op}"}]});
    let heard = sent(patch, json!({"op": "remove"})).await;
    assert_eq!(heard.header("content-type"), Some("application/json-patch+json"));
    assert_eq!(heard.json(), json!([{"op": "remove"}]));
    let server = echo().await;
    let alone =
        json!({"method": "PUT", "url": server.url("/"), "content_type": "text/csv", "body": "{n}"});
    assert_eq!(ask(alone, json!({"n": 1})).await.unwrap_err().code(), "call_refused");
    assert_eq!(server.visitors().await.unwrap(), 0);
}

#[tokio::test]
async fn nothing_of_who_asks_follows_a_redirect_to_another_origin() {
    let other =
        TestServer::at("127.0.0.2:0".parse().unwrap(), |_, _| ServerReply::json(&json!({}))).await;
    let other = other.unwrap();
    for part in [
        json!({"auth": {"bearer": "secret:KEY"}}),
        json!({"auth": {"basic": {"user": "a", "password": "secret:KEY"}}}),
        json!({"auth": {"api_key": {"in": "header", "name": "k", "value": "secret:KEY"}}}),
        json!({"auth": {"api_key": {"in": "query", "name": "k", "value": "secret:KEY"}}}),
        json!({"auth": {"api_key": {"in": "cookie", "name": "k", "value": "secret:KEY"}}}),
        json!({"cookies": {"sid": "secret:KEY"}}),
    ] {
        let place = other.url("/x");
        let home = TestServer::start(move |_, _| {
            ServerReply::new(&format!("302 Found\nlocation: {place}"), b"")
        })
        .await;
        let mut http = part;
        http["url"] = json!(home.url("/"));
        let open = guard(&["127.0.0.2/32"], resolver(|_| vec![]));
        World::new(open).call(&tool(http), json!({})).await.unwrap();
        assert_eq!(home.heard().len(), 1);
    }
    for heard in other.heard() {
        let names: Vec<&str> = heard.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            (heard.target.as_str(), names),
            ("/x", vec!["accept", "accept-encoding", "host"])
        );
    }
    assert_eq!(other.heard().len(), 6);
}
