//! `praxis model list` and `report` on how endpoints fare: what another process left on their cards.

use crate::rig::Rig;
use praxis_testkit::server::{ServerReply, TestServer};
use serde_json::{Value, json};

/// A model with limits at an endpoint that denies everybody.
fn denied() -> (tokio::runtime::Runtime, TestServer, Rig, String) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(TestServer::start(|_, _| {
        ServerReply::new("401 Unauthorized", b"{\"error\":{\"message\":\"no\"}}")
    }));
    let rig = Rig::empty();
    let url = server.url("/v1");
    let text = format!(
        "[models.m]\nmodel = 'x'\nbase_url = '{url}'\n\
         limits = {{requests_per_minute = 60, in_flight = 4}}\n"
    );
    std::fs::write(rig.path("models.toml"), text).unwrap();
    (runtime, server, rig, url)
}

fn card(rig: &Rig) -> std::path::PathBuf {
    let mut cards = std::fs::read_dir(rig.data().join("cards")).unwrap();
    cards.next().unwrap().unwrap().path()
}

#[test]
fn what_came_of_the_last_request_is_told_by_whoever_looks_later() {
    let (_runtime, _server, rig, url) = denied();
    let (_, told, _) = rig.says(&["model", "list"]);
    assert!(told.contains("limits: 60 requests per minute, 4 concurrent requests"), "{told}");
    assert!(!told.contains("last"), "nobody asked it yet: {told}");
    assert_eq!(rig.says(&["model", "probe", "m"]).0, Some(7));
    let listed = rig.ask(&["model", "list"]).unwrap();
    let last = &listed[0]["endpoints"][0]["last"];
    assert_eq!((&last["fault"], &last["failures"]), (&json!("model_denied"), &json!(1)), "{last}");
    let at = last["at"].as_u64().unwrap();
    assert!(at > 1_700_000_000_000, "{last}");
    for command in ["list", "report"] {
        let (_, told, _) = rig.says(&["model", command]);
        assert!(told.contains(&format!("{url}: last request failed at 2")), "{command}: {told}");
        assert!(told.contains("model_denied") && !told.contains("in a row"), "{told}");
    }
}

#[test]
fn an_endpoint_that_rests_is_told_with_its_failures_in_a_row_and_until_when() {
    let (_runtime, _server, rig, url) = denied();
    assert_eq!(rig.says(&["model", "probe", "m"]).0, Some(7));
    let keep = |last: Value| {
        let known = json!({"base_url": url, "model": "x", "last": last});
        std::fs::write(card(&rig), known.to_string()).unwrap();
    };
    keep(json!({"at": 1_800_000_000_000_u64, "fault": "model_rate_limited", "failures": 3,
                "rests_until": 1_800_000_007_000_u64}));
    let (_, told, _) = rig.says(&["model", "list"]);
    let words = "last request failed at 2027-01-15T08:00:00.000Z: model_rate_limited, \
                 3 failures in a row; the endpoint asked to wait until 2027-01-15T08:00:07.000Z";
    assert!(told.contains(words), "{told}");
    let (_, told, _) = rig.says(&["--lang", "zh", "model", "report"]);
    for words in
        ["限额：每分钟 60 次请求，并发 4 个请求", "model_rate_limited，连续失败 3 次", "前不再请求"]
    {
        assert!(told.contains(words), "{words} in {told}");
    }
    let reported = rig.ask(&["model", "report"]).unwrap();
    assert_eq!(reported[0]["endpoints"][0]["last"]["rests_until"], 1_800_000_007_000_u64);
    assert_eq!(reported[0]["limits"], json!({"requests_per_minute": 60, "in_flight": 4}));
    keep(json!({"at": 1_800_000_000_000_u64}));
    let (_, told, _) = rig.says(&["--lang", "zh", "model", "list"]);
    assert!(told.contains("最近一次请求于 2027-01-15T08:00:00.000Z 得到回答"), "{told}");
}
