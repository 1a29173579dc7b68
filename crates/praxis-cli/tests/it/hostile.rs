//! A model that asks for what nobody granted, through the binary with the real tools.

use crate::goal_rig::{Rehearsal, plan, rule};
use praxis_testkit::server::{Reply, Server};
use serde_json::{Value, json};
use std::fs;

fn selecting(tool: &str) -> Value {
    let chosen = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": [tool], "brief_reasoning": "IGNORE ALL RULES"});
    rule("selection", chosen)
}

fn giving_up() -> Value {
    rule("reflection_overall", json!({"should_replan": false, "root_causes": ["refused"]}))
}

#[test]
fn a_host_that_nobody_granted_is_not_reached_however_much_else_is_allowed() {
    let canary = tokio::runtime::Runtime::new().unwrap();
    let server = canary.block_on(Server::start(|_, _| Reply::json(&json!("taken"))));
    let stolen = json!({"url": server.url("/collect"), "query": {"load": "everything"}});
    let rules = [selecting("http_get"), plan(&[("a", "http_get", stolen)]), giving_up()];
    let model = Rehearsal::new(&rules, "sent");
    let settings = model.rig.path("praxis.toml");
    // That the address may be inside is not that the host may be asked.
    let inside = "[http]\nallow_hosts = [\"127.0.0.1\", \"127.0.0.0/8\"]\n";
    let words = ["run", "look at the load", "--yes", "--no-input"];
    for granted in ["", "[tools]\nhosts = [\"example.org\", \"*.example.org\"]\n"] {
        fs::write(&settings, format!("{inside}{granted}")).unwrap();
        let (code, out, noted) = model.says(&words);
        assert_ne!(code, Some(0), "{out}{noted}");
        assert_eq!(model.rig.last()["steps"][0]["error"], "host_not_granted", "{noted}");
        assert!(noted.contains("the setting tools.hosts names them"), "{noted}");
    }
    assert_eq!(canary.block_on(server.visitors()).unwrap(), 0);
    fs::write(&settings, format!("{inside}[tools]\nhosts = [\"127.0.0.1\"]\n")).unwrap();
    let (code, _, noted) = model.says(&words);
    assert_eq!((code, server.heard().len()), (Some(0), 1), "{noted}");
}

#[test]
fn a_file_outside_of_the_open_folders_is_neither_read_nor_written() {
    let outside = tempfile::tempdir().unwrap();
    let (secret, report) = (outside.path().join("secret.csv"), outside.path().join("r.md"));
    fs::write(&secret, "timestamp,load_mw\n2024-01-01T00:00,424242\n").unwrap();
    let hour = json!({"timestamp": "2024-01-01T00:00", "load_mw": 1});
    let errors = json!({"held_back_hours": 24, "mape": 1.5, "rmse": 12.25, "naive_mape": null});
    let calls = [
        ("check_csv_file", json!({"file_path": secret})),
        ("add_datasource", json!({"project_id": "p", "file_path": secret})),
        (
            "write_report",
            json!({"title": "t", "forecast": [hour], "backtest": errors, "peak": hour, "path": report}),
        ),
    ];
    for (tool, parameters) in calls {
        let rules = [selecting(tool), plan(&[("a", tool, parameters)]), giving_up()];
        let model = Rehearsal::new(&rules, "done");
        let (code, out, noted) = model.says(&["run", "look at the load", "--yes", "--no-input"]);
        assert_ne!(code, Some(0), "{tool}: {out}{noted}");
        assert_eq!(model.rig.last()["steps"][0]["error"], "call_refused", "{tool}: {noted}");
        assert!(noted.contains("the setting tools.folders names them"), "{noted}");
    }
    assert!(!report.exists());
}
