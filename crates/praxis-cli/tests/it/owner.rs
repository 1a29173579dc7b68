//! One owner for each data folder: other processes send it their orders, and one takes over if it dies.

use crate::rig::{Rig, json_lines, within};
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::Duration;

const PLAN: &str = "
plan_description: wait, then ask
steps:
  - {step_id: wait, tool: gate}
  - {step_id: ask, tool: echo, depends_on: [wait], parameters: {v: '{{nowhere}}'}}
";

/// Goes on when the file `open` is there; may run again.
const TOOLS: &str = "
- id: gate
  idempotent: true
  command: {argv: [sh, -c, 'echo gate >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; echo {}']}
";

const PATIENCE: Duration = Duration::from_secs(20);

fn start(rig: &Rig, words: &[&str]) -> Child {
    rig.praxis(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(rig: &Rig) -> Child {
    start(rig, &["run", "plan.yaml", "--tools", "tools.yaml"])
}

fn tasks(rig: &Rig) -> Vec<Value> {
    rig.ask(&["ps"]).unwrap_or_default()
}

fn status(rig: &Rig, index: usize) -> Option<String> {
    Some(tasks(rig).get(index)?["status"].as_str()?.to_owned())
}

fn open_gate(rig: &Rig) {
    std::fs::write(rig.path("open"), "").unwrap();
}

fn question(rig: &Rig) -> String {
    let inbox = rig.ask(&["inbox"]).unwrap();
    inbox[0]["question"]["id"].as_str().unwrap().to_owned()
}

//
#[test]
fn two_runs_share_one_owner_and_a_third_process_answers_and_cancels() {
    let rig = Rig::with(PLAN, TOOLS);
    let first = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    let second = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&2)));
    let newest = tasks(&rig)[0]["task"].as_str().unwrap().to_owned();
    let cancelled = rig.praxis(&["cancel", &newest, "--reason", "enough"]).output().unwrap();
    assert!(cancelled.status.success());
    assert_eq!(second.wait_with_output().unwrap().status.code(), Some(5));
    open_gate(&rig);
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(3), "it asks and leaves");
    let answered = rig.praxis(&["answer", &question(&rig), "v=7"]).output().unwrap();
    assert_eq!(answered.status.code(), Some(0));
    assert_eq!(status(&rig, 1).as_deref(), Some("completed"));
    let events = json_lines(&answered.stdout);
    let last = events.last().unwrap();
    assert_eq!(last["data"]["result"]["ask"], serde_json::json!({"v": 7}));
}

#[test]
fn a_second_answer_is_told_that_the_first_one_counts() {
    let rig = Rig::with(PLAN, TOOLS);
    open_gate(&rig);
    assert_eq!(run(&rig).wait_with_output().unwrap().status.code(), Some(3));
    let id = question(&rig);
    assert!(rig.praxis(&["answer", &id, "v=1"]).output().unwrap().status.success());
    let second = rig.praxis(&["answer", &id, "v=2"]).output().unwrap();
    assert_eq!(second.status.code(), Some(6));
    assert!(String::from_utf8_lossy(&second.stderr).contains("it may have been answered already"));
}

#[test]
fn when_the_owner_is_killed_a_process_that_waits_takes_over() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut owner = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    let waiting = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&2)));
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&4)), "both calls are made again");
    open_gate(&rig);
    assert_eq!(waiting.wait_with_output().unwrap().status.code(), Some(3));
    assert_eq!(status(&rig, 0).as_deref(), Some("waiting"));
    assert_eq!(status(&rig, 1).as_deref(), Some("waiting"), "the dead owner's task went on too");
}

#[test]
fn tasks_that_nobody_drives_are_told_apart_from_those_that_run() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut owner = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    let said = || {
        let told = rig.praxis(&["ps"]).output().unwrap();
        String::from_utf8_lossy(&told.stderr).contains("praxis resume")
    };
    assert!(!said());
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert!(said());
}

//
#[test]
fn a_hundred_starts_with_one_key_are_one_task() {
    let rig = Rig::with(PLAN, TOOLS);
    open_gate(&rig);
    let words = ["run", "plan.yaml", "--tools", "tools.yaml", "--idempotency-key", "one"];
    let starts: Vec<Child> = (0..100).map(|_| start(&rig, &words)).collect();
    for start in starts {
        let ended = start.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(3), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(tasks(&rig).len(), 1);
    assert_eq!(rig.calls().get("gate"), Some(&1));
}

#[test]
fn a_detached_task_runs_in_the_background_and_its_owner_leaves_when_all_is_done() {
    let rig = Rig::with(PLAN, TOOLS);
    let words = ["run", "plan.yaml", "--tools", "tools.yaml", "--detach"];
    let detached = rig.praxis(&words).output().unwrap();
    assert!(detached.status.success());
    let task = String::from_utf8(detached.stdout).unwrap().trim().to_owned();
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    assert_eq!(tasks(&rig)[0]["task"].as_str(), Some(task.as_str()));
    open_gate(&rig);
    assert!(within(PATIENCE, || status(&rig, 0).as_deref() == Some("waiting")));
    assert!(within(PATIENCE, || !rig.data().join("control.sock").exists()), "the owner left");
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_task() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut run = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    drop(run.stdout.take());
    drop(run.stderr.take());
    open_gate(&rig);
    assert_eq!(run.wait().unwrap().code(), Some(3));
}

#[test]
fn the_data_folder_and_the_socket_are_for_nobody_else() {
    use std::os::unix::fs::PermissionsExt;
    let rig = Rig::with(PLAN, TOOLS);
    let mut run = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    let mode =
        |name: &str| std::fs::metadata(rig.data().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("control.sock")), (0o700, 0o600));
    run.kill().unwrap();
    run.wait().unwrap();
}

//
#[test]
fn a_task_that_is_cancelled_after_a_crash_makes_no_call_again() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut owner = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    owner.kill().unwrap();
    owner.wait().unwrap();
    let cancelled = rig.praxis(&["cancel", "--last"]).output().unwrap();
    assert!(cancelled.status.success(), "{}", String::from_utf8_lossy(&cancelled.stderr));
    assert_eq!(status(&rig, 0).as_deref(), Some("cancelled"));
    // The journal, for a program that is killed at once may not come to say that it was called.
    let journal = rig.praxis(&["export", "--last", "--jsonl"]).output().unwrap();
    let journal = String::from_utf8_lossy(&journal.stdout).into_owned();
    let started = journal.matches("step_started").count();
    assert_eq!(started, 1, "it was lost, and nobody wants it any more: {journal}");
    assert_eq!(rig.calls().get("gate"), Some(&1));
}

#[test]
fn resume_says_what_it_took_up_and_that_nothing_is_left() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut owner = run(&rig);
    assert!(within(PATIENCE, || rig.calls().get("gate") == Some(&1)));
    owner.kill().unwrap();
    owner.wait().unwrap();
    open_gate(&rig);
    let said = |output: std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let resumed = said(rig.praxis(&["resume"]).output().unwrap());
    assert!(resumed.contains("recovered 1 task: task_"), "{resumed}");
    let again = said(rig.praxis(&["resume"]).output().unwrap());
    assert!(again.contains("no tasks to resume"), "{again}");
}
