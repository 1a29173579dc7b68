use super::*;
use serde_json::json;

fn found(fields: Value) -> Vec<(HttpFlaw, String)> {
    let mut written = json!({"url": "https://api.test/"});
    written.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    flaws(&serde_json::from_value(written).unwrap())
}

#[test]
fn a_request_that_makes_sense_has_no_flaw() {
    let whole = json!({
        "method": "POST", "query": {"a": "{a}", "b": [1, "{b}", true]}, "headers": {"x-a": "b", "authorization": "secret:T"},
        "cookies": {"sid": "secret:SID"}, "content_type": "application/vnd.api+json; charset=utf-8", "body": {"n": 1},
        "auth": {"api_key": {"in": "query", "name": "key", "value": "secret:KEY"}},
        "success": {"status": ["2xx", 404], "field": "ok", "equals": true}, "expect": "json", "output": "response",
    });
    assert_eq!(found(whole), vec![]);
    let files = json!({
        "method": "POST",
        "multipart": {"fields": {"n": "{n}"}, "files": {"f": {"path": "{p}", "filename": "a.csv", "content_type": "text/csv"}}},
        "auth": {"basic": {"user": "me", "password": "secret:P"}},
    });
    assert_eq!(found(files), vec![]);
}

/// What is written, the flaw and its place.
#[expect(clippy::too_many_lines, reason = "a list")]
fn flawed() -> Vec<(Value, HttpFlaw, &'static str)> {
    let name = |name: &str| HttpFlaw::Name(name.to_owned());
    let twice = |name: &str| HttpFlaw::Twice(name.to_owned());
    let value = |name: &str| HttpFlaw::Value(name.to_owned());
    let key = |place: &str, name: &str, value: &str| json!({"api_key": {"in": place, "name": name, "value": value}});
    let basic = |user: &str, password: &str| json!({"basic": {"user": user, "password": password}});
    vec![
        (json!({"headers": {"a b": "c"}}), name("a b"), "headers"),
        (json!({"headers": {"": "c"}}), name(""), "headers"),
        (json!({"headers": {"a": "b\r\nc: d"}}), value("a"), "headers"),
        (json!({"headers": {"Host": "evil"}}), HttpFlaw::Ours("host".to_owned()), "headers"),
        (
            json!({"headers": {"Transfer-Encoding": "chunked"}}),
            HttpFlaw::Ours("transfer-encoding".to_owned()),
            "headers",
        ),
        (json!({"cookies": {"a=b": "c"}}), name("a=b"), "cookies"),
        (json!({"cookies": {"a": "b; c=d"}}), value("a"), "cookies"),
        (json!({"cookies": {"a": "b"}, "headers": {"Cookie": "c=d"}}), twice("cookie"), "cookies"),
        (json!({"query": {"": 1}}), name(""), "query"),
        (json!({"query": {"a": {"b": 1}}}), HttpFlaw::Pair("a".to_owned()), "query"),
        (json!({"query": {"a": [[1]]}}), HttpFlaw::Pair("a".to_owned()), "query"),
        (json!({"query": {"a": "secret:KEY"}}), HttpFlaw::SecretHere, "query"),
        (json!({"query": {"a": ["x", "secret:KEY"]}}), HttpFlaw::SecretHere, "query"),
        (json!({"auth": {"bearer": "abc"}}), HttpFlaw::NoReference, "auth"),
        (json!({"auth": {"bearer": "Bearer secret:KEY"}}), HttpFlaw::NoReference, "auth"),
        (json!({"auth": {"bearer": "secret:"}}), HttpFlaw::NoReference, "auth"),
        (json!({"auth": basic("me", "hunter2")}), HttpFlaw::NoReference, "auth"),
        (json!({"auth": basic("me:you", "secret:P")}), value("user"), "auth.basic"),
        (json!({"auth": key("header", "x-key", "abc")}), HttpFlaw::NoReference, "auth"),
        (
            json!({"auth": key("header", "host", "secret:K")}),
            HttpFlaw::Ours("host".to_owned()),
            "auth.api_key",
        ),
        (json!({"auth": key("query", "", "secret:K")}), name(""), "auth.api_key"),
        (
            json!({"auth": key("query", "k", "secret:K"), "query": {"k": 1}}),
            twice("k"),
            "auth.api_key",
        ),
        (
            json!({"auth": key("cookie", "k", "secret:K"), "cookies": {"k": "v"}}),
            twice("k"),
            "auth.api_key",
        ),
        (
            json!({"auth": {"bearer": "secret:K"}, "headers": {"Authorization": "x"}}),
            twice("authorization"),
            "auth",
        ),
        (json!({"method": "POST", "body": 1, "form": {"a": 1}}), HttpFlaw::Bodies, "form"),
        (json!({"form": {"a": 1}}), HttpFlaw::Bodies, "form"),
        (
            json!({"method": "head", "multipart": {"fields": {"a": 1}}}),
            HttpFlaw::Bodies,
            "multipart",
        ),
        (json!({"method": "POST", "multipart": {}}), HttpFlaw::NothingSent, "multipart"),
        (
            json!({"method": "POST", "form": {"a": 1}, "content_type": "text/csv"}),
            HttpFlaw::KindOfBody,
            "content_type",
        ),
        (
            json!({"body": "a", "content_type": "csv"}),
            HttpFlaw::NoKind("csv".to_owned()),
            "content_type",
        ),
        (
            json!({"body": "a", "content_type": "text/csv\r\nx: y"}),
            HttpFlaw::NoKind("text/csv\r\nx: y".to_owned()),
            "content_type",
        ),
        (
            json!({"method": "POST", "form": {"a": 1}, "headers": {"Content-Type": "text/csv"}}),
            twice("content-type"),
            "headers",
        ),
        (json!({"success": {}}), HttpFlaw::NoRule, "success"),
        (json!({"success": {"field": "a"}}), HttpFlaw::NoRule, "success"),
        (json!({"success": {"status": 200, "equals": 1}}), HttpFlaw::NoRule, "success"),
        (
            json!({"success": {"status": "good"}}),
            HttpFlaw::NoStatus("good".to_owned()),
            "success.status",
        ),
    ]
}

#[test]
fn every_flaw_is_found_at_its_place() {
    for (written, flaw, at) in flawed() {
        assert_eq!(found(written.clone()), vec![(flaw, at.to_owned())], "{written}");
    }
}

#[test]
fn a_flaw_tells_the_same_in_both_languages() {
    let quoted = |text: &str| {
        let mut parts: Vec<String> =
            text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        parts.sort();
        parts
    };
    for (_, flaw, _) in flawed() {
        let words = flaw.words();
        assert_eq!(quoted(&words.en), quoted(&words.zh), "{words:?}");
        assert!(words.zh.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{words:?}");
    }
}

#[test]
fn a_field_that_nobody_knows_is_refused() {
    for written in [
        json!({"url": "http://a/", "querry": {}}),
        json!({"url": "http://a/", "auth": {"bearer": "secret:K", "basic": {"user": "a", "password": "secret:P"}}}),
        json!({"url": "http://a/", "auth": {"digest": "secret:K"}}),
        json!({"url": "http://a/", "auth": {"api_key": {"in": "body", "name": "a", "value": "secret:K"}}}),
        json!({"url": "http://a/", "multipart": {"files": {"f": {"path": "{p}", "mode": 1}}}}),
        json!({"url": "http://a/", "success": {"code": 200}}),
        json!({"url": "http://a/", "output": "all"}),
        json!({"url": "http://a/", "expect": "text"}),
    ] {
        assert!(serde_json::from_value::<HttpTransport>(written.clone()).is_err(), "{written}");
    }
}
