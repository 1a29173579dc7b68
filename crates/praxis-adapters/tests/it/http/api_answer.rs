//! What comes back, as the manifest wants it: the whole response, the statuses of success, the body of an error.

use super::rig::{World, ask, strict, tool};
use praxis_engine::seams::FailedCall;
use praxis_testkit::server::{ServerReply, TestServer};
use serde_json::{Value, json};

async fn answered(reply: ServerReply, part: Value) -> Result<Value, FailedCall> {
    let server = TestServer::start(move |_, _| reply.clone()).await;
    let mut http = part;
    http["url"] = json!(server.url("/"));
    World::new(strict()).call(&tool(http), json!({})).await
}

// B-033
#[tokio::test]
async fn a_response_has_its_status_its_headers_and_a_result() {
    let json = "201 Created\ncontent-type: application/json\nset-cookie: sid=1\nx-a: 1\nX-A: 2";
    let whole = json!({"output": "response"});
    let output = answered(ServerReply::new(json, b"{\"id\": 7}"), whole.clone()).await.unwrap();
    let headers = json!({
        "content-type": "application/json", "content-length": "9", "connection": "close", "x-a": "1, 2",
    });
    assert_eq!(output, json!({"http_code": 201, "headers": headers, "result": {"id": 7}}));
    let nothing = || ServerReply::raw("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    for (reply, result) in [
        (nothing(), json!({})),
        (ServerReply::new("200 OK", b""), json!({})),
        (ServerReply::new("200 OK", b" \n"), json!({})),
        (ServerReply::new("200 OK", b"words"), json!({"text": "words"})),
        (ServerReply::new("200 OK\ncontent-type: text/html", b"[1]"), json!([1])),
        (ServerReply::new("200 OK", b"null"), json!(null)),
        (ServerReply::new("200 OK", b"\xef\xbb\xbf{}"), json!({})),
    ] {
        let shown = format!("{reply:?}");
        assert_eq!(answered(reply, whole.clone()).await.unwrap()["result"], result, "{shown}");
    }
    let plain = answered(nothing(), json!({})).await.unwrap();
    assert_eq!(plain, json!(null), "a manifest that says nothing gets what it got before");
}

#[tokio::test]
async fn what_is_no_json_is_no_answer_where_json_is_expected() {
    let html = "200 OK\ncontent-type: text/html";
    for output in ["body", "response"] {
        let part = json!({"expect": "json", "output": output});
        for body in [&b"<html>"[..], b"{\"a\": 1", b"{\"a\": 1} 2", b"\xff\xfe", b"NaN"] {
            let failed = answered(ServerReply::new(html, body), part.clone()).await.unwrap_err();
            assert_eq!(failed.fault.code(), "output_invalid", "{body:?}");
            assert!(failed.fault.to_string().contains("but text/html"), "{}", failed.fault);
        }
        assert!(
            answered(ServerReply::new(html, b"[1]"), part.clone()).await.is_ok(),
            "a type is a hint"
        );
        assert!(answered(ServerReply::new(html, b""), part).await.is_ok());
    }
    let failed = answered(ServerReply::new("200 OK", b"\xff"), json!({"output": "response"}))
        .await
        .unwrap_err();
    assert_eq!(failed.fault.code(), "output_invalid", "no text at all");
}

// B-033
#[tokio::test]
async fn a_rule_says_which_statuses_are_a_success() {
    let rules = [
        (json!({"status": 404}), vec![404], vec![200, 403, 500]),
        (json!({"status": ["2xx", 409]}), vec![200, 299, 409], vec![404, 503]),
        (json!({"status": "200-202"}), vec![200, 201, 202], vec![203, 204]),
        (json!({"status": ["2xx", "3xx"]}), vec![200, 302, 308], vec![400]),
        (json!({"status": 500}), vec![500], vec![200, 501]),
    ];
    for (rule, good, bad) in rules {
        let part = json!({"success": rule, "output": "response"});
        let said = |status: u16| {
            ServerReply::new(&format!("{status} Said\nlocation: http://10.0.0.1/"), b"{\"a\": 1}")
        };
        for status in good {
            let output = answered(said(status), part.clone()).await.unwrap();
            assert_eq!(
                (&output["http_code"], &output["result"]),
                (&json!(status), &json!({"a": 1})),
                "{rule}"
            );
        }
        for status in bad {
            let failed = answered(said(status), part.clone()).await.unwrap_err();
            assert!(matches!(failed.fault.code(), "tool_failed" | "tool_broke"), "{rule} {status}");
            assert_eq!(failed.output.unwrap()["http_code"], json!(status), "{rule}");
        }
    }
}

#[tokio::test]
async fn a_rule_for_a_field_is_about_the_body_and_comes_after_the_status() {
    let rule = json!({"status": [200, 404], "field": "state", "equals": "ok"});
    for output in ["body", "response"] {
        let part = json!({"success": rule, "output": output});
        let said = |status: &str, state: &str| {
            ServerReply::new(status, format!(r#"{{"state": "{state}"}}"#).as_bytes())
        };
        for status in ["200 OK", "404 None"] {
            assert!(answered(said(status, "OK"), part.clone()).await.is_ok());
            let failed = answered(said(status, "bad"), part.clone()).await.unwrap_err();
            assert_eq!(failed.fault.code(), "tool_failed");
            assert!(failed.output.unwrap().to_string().contains(r#""state":"bad""#));
        }
        assert!(answered(said("201 Made", "ok"), part).await.is_err());
    }
}

// B-033
#[tokio::test]
async fn an_error_keeps_its_body_as_the_output_of_the_step() {
    for status in ["400 Bad", "404 Gone", "422 No", "429 Busy", "500 Broken", "503 Down"] {
        let code: u16 = status[..3].parse().unwrap();
        let problem = json!({"error": {"code": 7, "detail": "x".repeat(2000)}});
        let reply = || ServerReply::new(status, problem.to_string().as_bytes());
        let failed = answered(reply(), json!({})).await.unwrap_err();
        assert_eq!(failed.output, Some(problem.clone()), "{status}");
        let failed = answered(reply(), json!({"output": "response"})).await.unwrap_err();
        let output = failed.output.unwrap();
        assert_eq!((&output["http_code"], &output["result"]), (&json!(code), &problem), "{status}");
        assert!(failed.fault.to_string().len() < 500);
    }
    let of = |body: &'static [u8]| answered(ServerReply::new("400 Bad", body), json!({}));
    assert_eq!(of(b"").await.unwrap_err().output, None);
    assert_eq!(of(b"no such user").await.unwrap_err().output, Some(json!("no such user")));
    let long = ServerReply::new("400 Bad", &vec![b'x'; 1024 * 1024]);
    let kept = answered(long, json!({})).await.unwrap_err().output.unwrap();
    assert_eq!(kept.as_str().map(str::len), Some(16 * 1024));
}

#[tokio::test]
async fn an_error_that_is_cut_shows_no_half_of_a_secret() {
    let server = TestServer::start(|heard, _| {
        let key = heard.header("x-key").unwrap_or_default().to_owned();
        let body = format!("{}{key} and more", "x".repeat(16 * 1024 - 9));
        ServerReply::new("400 Bad", body.as_bytes())
    })
    .await;
    let http = json!({"url": server.url("/"), "headers": {"x-key": "secret:KEY"}});
    let failed = World::new(strict()).call(&tool(http), json!({})).await.unwrap_err();
    let kept = failed.output.unwrap();
    assert_eq!(kept, json!("x".repeat(16 * 1024 - 9)), "{}", &kept.to_string()[16_000..]);
}

#[tokio::test]
async fn a_packed_answer_is_unpacked_though_it_was_not_asked_for() {
    let heard = TestServer::start(|heard, _| {
        assert_eq!(heard.header("accept-encoding"), Some("identity"));
        ServerReply::new("200 OK\ncontent-encoding: GZip", &super::api_bodies::gzip(b"[1, 2]"))
    })
    .await;
    assert_eq!(ask(json!({"url": heard.url("/")}), json!({})).await.unwrap(), json!([1, 2]));
    let zlib =
        ServerReply::new("200 OK\ncontent-encoding: deflate", &super::api_bodies::zlib(b"[3]"));
    assert_eq!(answered(zlib, json!({})).await.unwrap(), json!([3]));
    let empty = ServerReply::new("200 OK\ncontent-encoding: gzip", b"");
    assert_eq!(answered(empty, json!({})).await.unwrap(), json!(null));
    let error = ServerReply::new(
        "400 Bad\ncontent-encoding: gzip",
        &super::api_bodies::gzip(b"{\"why\": 1}"),
    );
    assert_eq!(answered(error, json!({})).await.unwrap_err().output, Some(json!({"why": 1})));
}
