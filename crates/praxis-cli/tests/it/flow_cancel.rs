//! Flows that are cancelled wherever they are: programs are gone within a second, what was done is kept,
//! and the last events are told once.

use crate::goal_rig::name_model;
use crate::goal_stop::{Seen, endpoint};
use crate::orphans::marked;
use crate::rig::{PATIENCE, Rig, finish, json_lines, statuses, within};
use serde_json::Value;
use std::fs::File;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How long a program may live after its task was cancelled. On a machine that is busy with other tests
/// one of several cancellations may take longer, but not most of them.
const SOON: Duration = Duration::from_secs(1);

/// `put` counts and is done; `slow` counts, says a word and does not end, unless it is told `n: 1`.
const TOOLS: &str = r#"
- id: put
  command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{}"'], env: {MARK: "HERE"}}
- id: slow
  risk: read
  to_user: true
  command:
    argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; grep -q "\"n\":1" && exit 0; echo word; (sleep 60 &) ; sleep 60']
    env: {MARK: "HERE"}
- id: order
  input_schema: {type: object, required: [days], properties: {days: {type: integer}}}
  command: {argv: [cat]}
"#;

/// What is cancelled: the flow, the step whose program has begun by then, and the steps that are done by then.
struct Case {
    name: &'static str,
    flow: &'static str,
    begun: &'static str,
    kept: &'static [&'static str],
}

const CASES: [Case; 4] = [
    Case {
        name: "in slot filling, with another step under way",
        flow: "
flow: it
start: [first]
nodes: [{id: first, call: put}, {id: ask, call: order}, {id: beside, call: slow}]
edges: [first -> ask, first -> beside]
",
        begun: "beside",
        kept: &["first"],
    },
    Case {
        name: "while a program speaks",
        flow: "
flow: it
nodes: [{id: first, call: put}, {id: talk, call: slow}, {id: last, call: put}]
",
        begun: "talk",
        kept: &["first"],
    },
    Case {
        name: "in the second pass of a loop in a sub-flow",
        flow: "
flow: it
nodes:
  - {id: first, call: put}
  - id: sub
    call: SubFlow
    nodes:
      - id: each
        call: Loop
        over: [1, 2, 3]
        nodes:
          - {id: note, call: put}
          - {id: work, call: slow, params: {n: \"{{item}}\"}}
",
        begun: "sub/each[2]/work",
        kept: &["first", "sub/each[2]/note"],
    },
    Case {
        name: "between branches that meet",
        flow: "
flow: it
start: [first]
nodes:
  - {id: first, call: put}
  - {id: left, call: put}
  - {id: right, call: slow}
  - {id: nap, call: Wait, params: {for: 60s}}
  - {id: end, call: put}
edges: [first -> left -> end, first -> right -> end, first -> nap -> end]
",
        begun: "right",
        kept: &["first", "left"],
    },
];

/// How somebody stops it.
#[derive(Clone, Copy, Debug)]
enum By {
    Interrupt,
    Command,
}

const RUN: [&str; 5] = ["flow", "run", "it.yaml", "--tools", "tools.yaml"];

fn rig(flow: &str) -> Rig {
    let rig = Rig::with("{}", TOOLS);
    std::fs::write(rig.path("it.yaml"), flow).unwrap();
    rig
}

/// A flow that runs, with its events in the file `told`.
fn begin(rig: &Rig) -> Child {
    let told = File::create(rig.path("told")).unwrap();
    let noted = File::create(rig.path("noted")).unwrap();
    rig.praxis(&RUN).stdout(told).stderr(noted).spawn().unwrap()
}

impl By {
    fn stop(self, rig: &Rig, run: &Child) {
        match self {
            Self::Interrupt => {
                let sent = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
                assert!(sent.unwrap().success());
            }
            Self::Command => {
                let words = ["cancel", "--last", "--reason", "enough"];
                let output = finish(rig, &mut rig.praxis(&words));
                assert_eq!(output.status.code(), Some(0), "{output:?}");
            }
        }
    }
}

fn seed_events(rig: &Rig) -> Vec<Value> {
    json_lines(rig.says(&["watch", "--last", "--format", "seed"]).1.as_bytes())
}

/// One end, told once, under every name.
fn assert_ended_once(rig: &Rig, place: &str) {
    let events = seed_events(rig);
    let count = |name: &str| events.iter().filter(|event| event["event_type"] == name).count();
    for name in ["flow.cancel", "executor.stop", "done", "TASK_RESULT", "TASK_FAILED"] {
        assert_eq!(count(name), 1, "{place}: {name}");
    }
    for name in ["flow.success", "flow.failed", "TASK_COMPLETED"] {
        assert_eq!(count(name), 0, "{place}: {name}");
    }
    assert_eq!(events.last().unwrap()["event_type"], "done", "{place}");
    let mut ended = std::collections::BTreeSet::new();
    for event in events.iter().filter(|event| event["event_type"] == "step.end") {
        let step = event["flow"]["stepId"].as_str().unwrap();
        assert!(ended.insert(step.to_owned()), "{place}: {step} ended twice");
    }
}

/// Whether the flow is where it is to be cancelled.
fn is_there(rig: &Rig, case: &Case) -> bool {
    let told = json_lines(&std::fs::read(rig.path("told")).unwrap());
    let is_done = |step: &&str| {
        let end = format!("/steps/{step}");
        told.iter().any(|event| {
            event["type"] == "dev.praxis.step.succeeded.v1"
                && event["subject"].as_str().is_some_and(|subject| subject.ends_with(&end))
        })
    };
    rig.calls().contains_key(case.begun) && case.kept.iter().all(is_done)
}

/// Cancels a flow and looks at what is left; says how long its programs lived.
#[expect(clippy::disallowed_methods, reason = "how long a real process lives takes a clock")]
fn cancelled(case: &Case, by: By) -> Duration {
    let place = format!("{}, by {by:?}", case.name);
    let rig = rig(case.flow);
    let mut run = begin(&rig);
    assert!(within(PATIENCE, || is_there(&rig, case)), "{place}: it does not begin");
    assert!(!marked(&rig).is_empty(), "{place}");
    let since = Instant::now();
    by.stop(&rig, &run);
    assert!(within(PATIENCE, || marked(&rig).is_empty()), "{place}: {:?}", marked(&rig));
    let lived = since.elapsed();
    assert!(within(PATIENCE, || run.try_wait().unwrap().is_some()), "{place}: it does not end");
    assert_eq!(run.wait().unwrap().code(), Some(5), "{place}");
    let told = json_lines(&std::fs::read(rig.path("told")).unwrap());
    let ends = told.iter().filter(|event| event["type"] == "dev.praxis.task.cancelled.v1").count();
    assert_eq!(ends, 1, "{place}");
    let shown = rig.last();
    assert_eq!(shown["status"], "cancelled", "{place}");
    assert_eq!(shown["questions"].as_object().map(serde_json::Map::len), Some(0), "{place}");
    let is_open =
        |status: &String| ["RUNNING", "INIT", "WAITING", "PARAM"].contains(&status.as_str());
    let statuses = statuses(&shown);
    assert!(!statuses.values().any(is_open), "{place}: {statuses:?}");
    for step in case.kept {
        assert_eq!(rig.calls().get(*step), Some(&1), "{place}: {step}");
        let kept = statuses.get(*step).is_none_or(|status| status == "SUCCESS");
        assert!(kept, "{place}: {step} in {statuses:?}");
    }
    assert_ended_once(&rig, &place);
    // Nothing more comes, and what was done is not done again by whoever takes it up.
    let calls = rig.calls();
    assert_eq!(rig.says(&["cancel", "--last"]).0, Some(2), "{place}: it is over");
    assert_eq!(rig.calls(), calls, "{place}");
    lived
}

fn all_cancelled(by: By) {
    let mut lived = CASES.each_ref().map(|case| cancelled(case, by));
    lived.sort();
    assert!(lived[CASES.len() / 2] <= SOON, "{lived:?}");
}

// B-047
#[test]
fn an_interrupt_anywhere_in_a_flow_ends_its_programs_and_keeps_what_was_done() {
    all_cancelled(By::Interrupt);
}

// B-047
#[test]
fn a_flow_that_is_cancelled_from_elsewhere_ends_its_programs_and_keeps_what_was_done() {
    all_cancelled(By::Command);
}

// B-047
#[test]
fn a_flow_that_nobody_drives_and_that_waits_for_values_can_be_cancelled() {
    let rig = rig("
flow: it
nodes: [{id: first, call: put}, {id: ask, call: order}]
");
    assert_eq!(finish(&rig, &mut rig.praxis(&RUN)).status.code(), Some(3));
    assert_eq!(finish(&rig, &mut rig.praxis(&["cancel", "--last"])).status.code(), Some(0));
    assert_eq!(rig.ask(&["inbox"]).unwrap(), Vec::<Value>::new());
    assert_eq!(statuses(&rig.last())["ask"], "CANCELLED");
    assert_ended_once(&rig, "waits");
    let events = seed_events(&rig);
    let of_ask = events.iter().filter(|event| event["flow"]["stepId"] == "ask");
    let names: Vec<&str> = of_ask.map(|event| event["event_type"].as_str().unwrap()).collect();
    let filling = ["STEP_INPUT", "STEP_OUTPUT"];
    let end = ["step.waiting_for_param", "step.cancel", "step.end"];
    assert_eq!(names, [&["step.init"][..], &filling, &end].concat());
}

// B-047
#[test]
fn an_interrupt_while_a_model_speaks_in_a_flow_closes_the_connection_and_keeps_what_was_done() {
    let rig = rig("
flow: it
nodes: [{id: first, call: put}, {id: say, call: LLM, params: {prompt: speak}, to_user: true}]
");
    let (url, told) = endpoint();
    name_model(&rig, &url);
    let mut run = begin(&rig);
    assert_eq!(told.recv_timeout(PATIENCE), Ok(Seen::Asked));
    By::Interrupt.stop(&rig, &run);
    assert_eq!(told.recv_timeout(PATIENCE), Ok(Seen::Left));
    assert!(within(PATIENCE, || run.try_wait().unwrap().is_some()));
    assert_eq!(run.wait().unwrap().code(), Some(5));
    let statuses = statuses(&rig.last());
    assert_eq!((&*statuses["first"], &*statuses["say"]), ("SUCCESS", "CANCELLED"));
    assert_ended_once(&rig, "mid-stream");
}
