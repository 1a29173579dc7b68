//! A task that a later Praxis wrote to: shown as far as it can be read, changed by nobody.

use crate::rig::Rig;
use praxis_core::journal::chain::{ChainLink, link};
use rusqlite::Connection;
use serde_json::Value;

/// A task that waits for an answer, with one more event, as a later version would write it.
fn written_to(body: &str) -> (Rig, String) {
    let plan =
        r#"{plan_description: ask, steps: [{step_id: a, tool: look, parameters: {x: "{{y}}"}}]}"#;
    let tools = "{id: look, risk: read, command: {argv: [sh, -c, 'echo a >> CALLS; echo 1']}}";
    let rig = Rig::with(plan, tools);
    assert_eq!(rig.run().status.code(), Some(3));
    let question = rig.last()["questions"].as_object().unwrap().keys().next().unwrap().clone();
    let database = Connection::open(rig.data().join("praxis.db")).unwrap();
    let last = "select position, task, seq, at, link from events order by position desc limit 1";
    let (position, task, seq, at, before): (i64, i64, i64, i64, Vec<u8>) = database
        .query_row(last, [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?)))
        .unwrap();
    let before = ChainLink::try_from(before.as_slice()).unwrap();
    let next = link(&before, seq.unsigned_abs() + 1, at.unsigned_abs(), body.as_bytes());
    let row = (position + 1, task, seq + 1, at, body, next.to_vec());
    database.execute("insert into events values (?1, ?2, ?3, ?4, ?5, ?6)", row).unwrap();
    database.execute("update tasks set seq = seq + 1", []).unwrap();
    (rig, question)
}

fn assert_read_only(body: &str, words: &str) {
    let (rig, question) = written_to(body);
    for command in [
        vec!["answer", &question, "x=1"],
        vec!["cancel", "--last"],
        vec!["show", "--last"],
        vec!["replay", "--last"],
    ] {
        let output = rig.praxis(&command).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{command:?}: {said}");
        assert!(said.contains("unknown_event") && said.contains(words), "{command:?}: {said}");
    }
    assert!(rig.calls().is_empty());
    let shown = rig.praxis(&["show", "--last"]).output().unwrap();
    let first =
        String::from_utf8_lossy(&shown.stdout).lines().next().unwrap_or_default().to_owned();
    let shown: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(shown["status"], "waiting", "{shown}");
}

#[test]
fn a_task_with_an_event_of_an_unknown_kind_is_shown_and_not_changed() {
    assert_read_only(r#"{"kind":"step_dreamt","step":"a"}"#, "unknown event kind `step_dreamt`");
}

#[test]
fn a_task_with_an_event_of_a_newer_version_is_shown_and_not_changed() {
    assert_read_only(r#"{"v":2,"kind":"woken","by":"later"}"#, "`woken` has version 2");
}
