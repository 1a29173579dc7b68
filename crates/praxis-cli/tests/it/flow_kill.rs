//! Flows under kill -9: wherever a commit is cut, the flow ends as if nothing had happened, and every
//! effect is made once.

use crate::goal_rig::{Rehearsal, script};
use crate::rig::{Rig, finish, json_lines};
use crate::strace;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;

/// Writes its step into the file that counts. It must not simply run again.
const TOOLS: &str = r#"
- id: put
  command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"from\": \"$PRAXIS_STEP\"}"']}
- id: fail
  risk: read
  retries: 0
  command: {argv: [sh, -c, 'exit 3']}
- id: order
  input_schema: {type: object, required: [days], properties: {days: {type: integer}}}
  command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"from\": \"$PRAXIS_STEP\"}"']}
"#;

const CHAIN: &str = "
flow: it
nodes:
  - {id: a, call: put}
  - {id: b, call: put, params: {after: \"{{a.outputs.from}}\"}}
  - {id: text, call: Convert, params: {text: \"{{a.outputs.from}} {{b.outputs.from}}\"}}
  - {id: c, call: put}
outputs: {said: \"{{text.outputs.text}}\", last: \"{{c.outputs.from}}\"}
";

const CHOICE: &str = "
flow: it
nodes:
  - {id: a, call: put}
  - id: how
    call: Choice
    branches: [{id: right, all: [{left: \"{{a.outputs.from}}\", is: equal, right: a}]}]
    otherwise: wrong
  - {id: on_right, call: put}
  - {id: on_wrong, call: put}
  - {id: end, call: put}
edges: [a -> how, how.right -> on_right -> end, how.wrong -> on_wrong -> end]
outputs: {way: \"{{how.outputs.branch_id}}\", last: \"{{end.outputs.from}}\"}
";

const LOOP: &str = "
flow: it
nodes:
  - id: each
    call: Loop
    over: [1, 2, 3]
    nodes:
      - {id: one, call: put, params: {n: \"{{item}}\"}}
    collect: \"{{one.outputs.from}}\"
outputs: {all: \"{{each.outputs.collected}}\"}
";

const NESTED: &str = "
flow: it
nodes:
  - id: sub
    call: SubFlow
    nodes:
      - id: outer
        call: Loop
        over: [1, 2]
        nodes:
          - id: inner
            call: Loop
            over: [a, b]
            nodes:
              - {id: one, call: put, params: {n: \"{{item}}\"}}
            collect: \"{{one.outputs.from}}\"
        collect: \"{{inner.outputs.collected}}\"
    outputs: {all: \"{{outer.outputs.collected}}\"}
outputs: {all: \"{{sub.outputs.all}}\"}
";

const QUESTIONS: &str = "
flow: it
nodes:
  - id: sub
    call: SubFlow
    nodes:
      - id: each
        call: Loop
        over: [1, 2]
        nodes:
          - {id: may, call: Approve, params: {message: \"{{item}}?\"}}
          - {id: one, call: order}
        collect: \"{{one.outputs.from}}\"
    outputs: {all: \"{{each.outputs.collected}}\"}
outputs: {all: \"{{sub.outputs.all}}\"}
";

const FAILURES: &str = "
flow: it
nodes:
  - {id: a, call: put}
  - {id: bad, call: fail}
  - {id: mend, call: put}
  - {id: worse, call: fail}
edges: [a -> bad, {from: bad, to: mend, when: failed}, mend -> worse]
on_error: {id: sorry, call: put}
after: [{id: end, call: put}]
";

const AGENT: &str = "
flow: it
nodes:
  - {id: a, call: put}
  - {id: agent, call: Agent, tools: [put], params: {task: Write it down}}
  - {id: told, call: LLM, params: {prompt: \"Tell of {{agent.outputs.text}}\"}}
  - {id: end, call: put}
outputs: {text: \"{{told.outputs.text}}\", calls: \"{{agent.outputs.calls}}\"}
";

/// A model that answers the same whenever it is asked the same.
fn model() -> String {
    let says = |words: &str, answer: Value| json!({"when": {"contains": [words]}, "reply": {"json": answer}});
    let put = json!({"tool": "put", "arguments": {}});
    let told = json!({"when": {"contains": ["Tell of"]}, "reply": {"text": "It is written."}});
    script(&[
        told,
        says("2. put: {", json!({"answer": "Written."})),
        says("Write it down", json!({"calls": [put, put]})),
    ])
}

const RUN: [&str; 7] =
    ["flow", "run", "it.yaml", "--tools", "tools.yaml", "--idempotency-key", "the one"];

/// What is the same however often Praxis was killed: the end, the result, and how often each effect was made.
#[derive(Debug, PartialEq)]
struct End {
    status: Value,
    result: Value,
    effects: BTreeMap<String, usize>,
}

/// A flow, and how it ends.
#[derive(Clone, Copy)]
struct Play {
    flow: &'static str,
    asks_a_model: bool,
    ends: &'static str,
}

impl Play {
    fn of(flow: &'static str) -> Self {
        Self { flow, asks_a_model: false, ends: "dev.praxis.task.succeeded.v1" }
    }

    fn stage(self) -> Stage {
        let stage = if self.asks_a_model {
            Stage::WithModel(Rehearsal::of(&model()))
        } else {
            Stage::Alone(Rig::with("{}", TOOLS))
        };
        std::fs::write(stage.path("it.yaml"), self.flow).unwrap();
        // A folder that has a database: only the journal's thread writes to its log.
        assert!(stage.ask(&["ps"]).is_some());
        stage
    }
}

/// Where a play is given.
enum Stage {
    Alone(Rig),
    WithModel(Rehearsal),
}

impl std::ops::Deref for Stage {
    type Target = Rig;

    fn deref(&self) -> &Rig {
        match self {
            Self::Alone(rig) => rig,
            Self::WithModel(model) => &model.rig,
        }
    }
}

/// The command that is killed.
#[derive(Clone, Copy, Debug)]
enum Killed {
    /// The one that runs the flow.
    Run,
    /// The one that answers its first question, and drives the flow on.
    Answer,
}

impl Killed {
    /// Comes to the command, and runs it below strace.
    fn run(self, rig: &Rig, traced: &[&str]) -> Output {
        let log = rig.data().join("praxis.db-wal").display().to_string();
        let always = ["-f", "-b", "execve", "-qq", "-e", "trace=pwrite64", "-P", &log];
        let before: Vec<String> = always.iter().chain(traced).map(ToString::to_string).collect();
        match self {
            Self::Run => finish(rig, &mut rig.praxis_under("strace", &before, &RUN)),
            Self::Answer => {
                finish(rig, &mut rig.praxis(&RUN));
                let open = rig.ask(&["inbox"]).unwrap();
                let (question, said) =
                    (&open[0]["question"]["id"], answer(rig, &open[0]["question"]));
                let words = ["answer", question.as_str().unwrap(), &said];
                finish(rig, &mut rig.praxis_under("strace", &before, &words))
            }
        }
    }

    /// Kills it at a write to the log of the database.
    fn kill(self, rig: &Rig, number: usize) -> bool {
        let inject = format!("inject=pwrite64:signal=SIGKILL:when={number}");
        self.run(rig, &["-o", "/dev/null", "-e", &inject]).status.signal().is_some()
    }

    /// How many writes one thread of it makes at most if nobody kills it. They are counted by thread.
    fn writes(self, play: Play) -> usize {
        let rig = play.stage();
        let noted = rig.path("writes").display().to_string();
        self.run(&rig, &["-o", &noted]);
        let mut threads: BTreeMap<String, usize> = BTreeMap::new();
        let seen = std::fs::read_to_string(noted).unwrap();
        for line in seen.lines().filter(|line| line.contains("pwrite64(")) {
            let thread = line.split(' ').next().unwrap_or_default();
            *threads.entry(thread.to_owned()).or_default() += 1;
        }
        threads.into_values().max().unwrap()
    }
}

/// Takes the flow up and answers what is asked until it is over.
fn see_through(rig: &Rig, place: &str) -> End {
    finish(rig, &mut rig.praxis(&RUN));
    for _ in 0..20 {
        let open = rig.ask(&["inbox"]).unwrap_or_default();
        let Some(first) = open.first() else { break };
        let said = answer(rig, &first["question"]);
        let id = first["question"]["id"].as_str().unwrap();
        let answered = finish(rig, &mut rig.praxis(&["answer", id, &said]));
        let refused = String::from_utf8_lossy(&answered.stderr).contains("error[");
        assert!(!refused, "{place}: {said}: {answered:?}");
    }
    let told = finish(rig, &mut rig.praxis(&["watch", "--last"]));
    let last = json_lines(&told.stdout).pop().unwrap_or_default();
    End {
        status: last["type"].clone(),
        result: last["data"]["result"].clone(),
        effects: rig.calls(),
    }
}

/// What a person says who looks whether a call in doubt was made.
fn answer(rig: &Rig, question: &Value) -> String {
    match question["about"].as_str().unwrap() {
        "approval" => "--approve".to_owned(),
        "param" => "days=3".to_owned(),
        "in_doubt" => {
            let step = question["step"].as_str().unwrap();
            let made = rig.calls().contains_key(step);
            let done = json!({"from": step});
            if made { format!("--done={done}") } else { "--not-done".to_owned() }
        }
        other => panic!("nobody asks about {other}"),
    }
}

/// Kills the flow at so many places that are spread over its writes.
fn survives(play: Play, killed: Killed, kills: usize) {
    if !strace::is_here() {
        return;
    }
    let straight = see_through(&play.stage(), "straight");
    assert_eq!(straight.status, json!(play.ends), "{straight:?}");
    assert!(straight.effects.values().all(|count| *count == 1), "{straight:?}");
    let writes = killed.writes(play);
    assert!(writes > kills, "{writes} writes");
    for kill in 0..kills {
        let number = 1 + kill * (writes - 1) / kills;
        let rig = play.stage();
        let place = format!("{killed:?} killed at write {number} of {writes}");
        assert!(killed.kill(&rig, number), "{place}: it lives");
        assert_eq!(see_through(&rig, &place), straight, "{place}");
    }
}

#[test]
fn a_chain_that_is_killed_at_any_write_ends_the_same_and_makes_each_effect_once() {
    survives(Play::of(CHAIN), Killed::Run, 10);
}

#[test]
fn a_choice_that_is_killed_at_any_write_takes_the_same_way_once() {
    survives(Play::of(CHOICE), Killed::Run, 10);
}

#[test]
fn a_loop_that_is_killed_at_any_write_goes_on_in_its_pass() {
    survives(Play::of(LOOP), Killed::Run, 10);
}

#[test]
fn loops_in_a_sub_flow_that_are_killed_at_any_write_go_on_in_both_passes() {
    survives(Play::of(NESTED), Killed::Run, 10);
}

#[test]
fn questions_in_a_loop_in_a_sub_flow_are_asked_once_however_the_flow_is_killed() {
    survives(Play::of(QUESTIONS), Killed::Run, 5);
}

#[test]
fn an_answer_in_a_loop_in_a_sub_flow_counts_once_however_whoever_gave_it_is_killed() {
    survives(Play::of(QUESTIONS), Killed::Answer, 7);
}

#[test]
fn a_failure_that_is_dealt_with_is_dealt_with_once_however_the_flow_is_killed() {
    survives(Play { ends: "dev.praxis.task.failed.v1", ..Play::of(FAILURES) }, Killed::Run, 8);
}

#[test]
fn an_agent_that_is_killed_at_any_write_goes_on_in_its_turn_and_makes_each_call_once() {
    survives(Play { asks_a_model: true, ..Play::of(AGENT) }, Killed::Run, 8);
}

#[test]
fn a_call_that_a_person_let_an_agent_make_is_made_once_however_the_answer_is_killed() {
    survives(Play { asks_a_model: true, ..Play::of(AGENT) }, Killed::Answer, 4);
}
