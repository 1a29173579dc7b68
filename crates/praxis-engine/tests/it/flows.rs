//! Flows as data: run straight, crashed after every event, cancelled after every event.

use crate::crashes::crash_everywhere;
use crate::scenario::{Scenario, flows};
use crate::simulate::{Run, undisturbed, world};
use futures::StreamExt;
use praxis_core::call::chunk::OutputChunk;
use praxis_core::fault::Fault;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use praxis_core::journal::event::Event;
use praxis_core::journal::question::QuestionSubject;
use praxis_core::lang::Lang;
use praxis_core::payload::{Payload, PayloadValue};
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{Phase, State, TaskStatus};
use praxis_engine::engine::LiveTextSource;
use praxis_engine::order::ClientOrder;
use praxis_engine::submit::PlanRequest;
use praxis_testkit::tools::{ScriptedTools, StreamingScript, tool};
use praxis_testkit::world::{BEGINNING, EngineWorld};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn state(run: &Run) -> State {
    State::replay(&run.entries).unwrap()
}

fn ids(state: &State, status: StepStatus) -> Vec<&Step> {
    state.steps.iter().filter(|step| step.status == status).collect()
}

fn json_of(payload: &Payload) -> Value {
    match payload {
        Payload::Json(value) => (**value).clone(),
        Payload::Blob(stored) => json!({"blob": stored.bytes}),
    }
}

/// What a scenario says of the end, as it is.
fn told(state: &State, expected: &Value) -> Value {
    let mut told = Map::new();
    told.insert("status".to_owned(), json!(state.status()));
    let result = |id: &str| state.context.result(state.context.index_of(id)?);
    let field = |key: &str| expected.get(key);
    if field("result").is_some() {
        let outputs = state.result_of.first().and_then(|id| result(id.as_str()));
        told.insert("result".to_owned(), outputs.map_or(Value::Null, |it| json_of(&it.output)));
    }
    if field("asked").is_some() {
        told.insert("asked".to_owned(), json!(state.questions_asked));
    }
    if field("fault").is_some() {
        told.insert("fault".to_owned(), json!(state.fault().map(Fault::code)));
    }
    let failed = ids(state, StepStatus::Error);
    let failed = failed
        .iter()
        .map(|step| (step.plan.id.to_string(), json!(step.fault.as_ref().map(Fault::code))));
    let failed: Map<String, Value> = failed.collect();
    if field("failed").is_some() || !failed.is_empty() {
        told.insert("failed".to_owned(), Value::Object(failed));
    }
    if field("skipped").is_some() {
        let skipped = ids(state, StepStatus::Skipped);
        told.insert("skipped".to_owned(), skipped.iter().map(|step| json!(step.plan.id)).collect());
    }
    if let Some(Value::Object(wanted)) = field("got") {
        let got = |id: &String| (id.clone(), json_of(&result(id).unwrap().output)["got"].clone());
        told.insert("got".to_owned(), Value::Object(wanted.keys().map(got).collect()));
    }
    Value::Object(told)
}

/// What is not as its file says.
fn difference(scenario: &Scenario, run: &Run) -> Option<String> {
    let state = state(run);
    let (told, expected) = (told(&state, scenario.expected()), scenario.expected());
    if told != *expected {
        return Some(format!("{}:\n  {told}\n  {expected}", scenario.name));
    }
    let left = state.steps.inner().count();
    let is_left = state.status() == TaskStatus::Completed && left > 0;
    is_left.then(|| format!("{}: {left} steps are left inside", scenario.name))
}

#[tokio::test(start_paused = true)]
async fn every_flow_ends_as_it_is_written() {
    let scenarios = flows();
    assert!(scenarios.len() >= 30);
    let mut differences = Vec::new();
    for scenario in scenarios {
        differences.extend(difference(&scenario, &undisturbed(&scenario).await));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn every_flow_ends_the_same_after_a_crash_at_any_event() {
    let mut crashes = 0;
    for scenario in flows() {
        let run = undisturbed(&scenario).await;
        crashes += crash_everywhere(&run, run.opened_at()).await;
    }
    println!("{crashes} crashes");
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_is_cancelled_at_any_event_ends_once_and_leaves_nothing_running() {
    let mut cancelled = 0;
    for scenario in flows() {
        let run = undisturbed(&scenario).await;
        for seq in run.opened_at()..run.entries.len() as u64 {
            let before = State::replay(&run.entries[..usize::try_from(seq).unwrap()]).unwrap();
            let again = run.cancelled_after(seq).await;
            let state = state(&again);
            let place = format!("{} after {seq}", scenario.name);
            if matches!(before.phase, Phase::Stopping(_)) {
                // It was ending by itself.
                continue;
            }
            assert_eq!(state.status(), TaskStatus::Cancelled, "{place}");
            let ends =
                again.entries.iter().filter(|e| matches!(e.event, Event::TaskFinished { .. }));
            assert_eq!(ends.count(), 1, "{place}");
            let open = |status: StepStatus| !status.is_final() && status != StepStatus::InDoubt;
            let open = state.steps.everywhere().find(|(_, step)| open(step.status));
            assert!(open.is_none(), "{place}: {:?}", open.map(|(_, step)| &step.plan.id));
            let done = |step: &&Step| step.status == StepStatus::Success;
            for step in before.steps.iter().filter(done) {
                assert!(state.step(step.plan.id.as_str()).is_some_and(|it| done(&it)), "{place}");
            }
            cancelled += 1;
        }
    }
    println!("{cancelled} cancelled");
}

/// How large the state is when a pass of the loop `each` begins, by the number of the pass.
fn sizes(run: &Run) -> Vec<usize> {
    let mut state = State::default();
    let mut sizes = Vec::new();
    for entry in &run.entries {
        state.apply(entry).unwrap();
        if matches!(entry.event, Event::PassStarted { .. }) {
            sizes.push(serde_json::to_string(&state).unwrap().len());
        }
    }
    sizes
}

#[tokio::test(start_paused = true)]
async fn what_a_loop_holds_does_not_grow_with_its_passes() {
    let written = json!({
        "tools": [{"id": "look", "risk": "read"}, {"id": "bad", "risk": "read"}],
        "world": {"bad": {"answers": ["failed"]}},
        "flow": {"flow": "long", "nodes": [{
            "id": "each", "call": "Loop", "max": 900, "on_failure": "continue", "variables": {"n": 0},
            "nodes": [
                {"id": "sub", "call": "SubFlow", "nodes": [{"id": "a", "call": "look"}]},
                {"id": "b", "call": "bad"},
            ],
            "set": {"n": "{{index}}"},
        }]},
    });
    let run = undisturbed(&Scenario::of("long", written)).await;
    let sizes = sizes(&run);
    assert_eq!(sizes.len(), 900 * 2);
    // Numbers of three digits, on both sides.
    let (early, late) = (&sizes[300..400], &sizes[1600..1700]);
    let most = |part: &[usize]| part.iter().max().copied().unwrap();
    assert!(most(late) <= most(early) + 64, "{} bytes became {}", most(early), most(late));
}

/// A flow of one loop whose second pass fails until `mended` is set.
fn failing_once(mended: &Arc<AtomicBool>) -> (EngineWorld, Bundle) {
    let mended = Arc::clone(mended);
    let tools = ScriptedTools::default()
        .answering(json!({"id": "put"}), |call| Ok(json!({"put": call.arguments})))
        .answering(json!({"id": "check", "risk": "read"}), move |call| {
            if call.arguments["n"] == 2 && !mended.load(Ordering::SeqCst) {
                let message = "not yet".to_owned();
                let tool = tool("check");
                return Err(Fault::ToolFailed {
                    tool,
                    message,
                    message_zh: String::new(),
                    retryable: false,
                    retry_after_ms: None,
                });
            }
            Ok(json!({}))
        });
    let mut findings = FlowProblems::default();
    let flow = json!({"flow": "again", "nodes": [
        {"id": "first", "call": "put"},
        {"id": "each", "call": "Loop", "max": 3, "nodes": [
            {"id": "a", "call": "put", "params": {"n": "{{index}}"}},
            {"id": "sub", "call": "SubFlow", "params": {"n": "{{index}}"}, "nodes": [
                {"id": "b", "call": "check", "params": {"n": "{{n}}"}},
                {"id": "c", "call": "put", "params": {"n": "{{n}}"}},
            ]},
        ], "collect": "{{index}}"},
        {"id": "last", "call": "put"},
    ]});
    let flow = read(&flow, &mut findings);
    assert_eq!(findings.problems, []);
    (EngineWorld::new(tools), Bundle { flow, ..Bundle::default() })
}

#[tokio::test(start_paused = true)]
async fn what_is_done_anew_takes_along_what_edges_lead_to() {
    let mended = Arc::default();
    let (world, bundle) = failing_once(&mended);
    let task = world.engine.submit(world.flow_request(bundle, json!({}))).await.unwrap().task;
    assert_eq!(world.settle(&task).await.status(), TaskStatus::Failed);
    mended.store(true, Ordering::SeqCst);
    let (from, by) = (Some("first".into()), "lin".to_owned());
    world
        .engine
        .carry_out(ClientOrder::Retry { task: task.clone(), from, current: None, by })
        .await
        .unwrap();
    let done = world.settle(&task).await;
    assert_eq!(done.status(), TaskStatus::Completed, "{}", world.trace(&task));
    let entries = world.journal.entries(&task);
    let reopened =
        entries.iter().rposition(|e| matches!(e.event, Event::TaskReopened { .. })).unwrap();
    let started: Vec<String> = entries[reopened..]
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::StepStarted { step, .. } => Some(step.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(started.first().map(String::as_str), Some("first"));
    assert_eq!(started.get(1).map(String::as_str), Some("each"), "only after the step before it");
    assert_eq!(started.last().map(String::as_str), Some("last"));
    assert_eq!(started.iter().filter(|id| id.starts_with("each~2[")).count(), 12);
}

#[tokio::test(start_paused = true)]
async fn a_failed_loop_is_taken_up_in_the_pass_where_it_stood_and_nothing_is_done_twice() {
    let mended = Arc::default();
    let (world, bundle) = failing_once(&mended);
    let task = world.engine.submit(world.flow_request(bundle, json!({}))).await.unwrap().task;
    let failed = world.settle(&task).await;
    assert_eq!(failed.status(), TaskStatus::Failed);
    assert_eq!(failed.frames.len(), 2, "what stands inside is kept");
    mended.store(true, Ordering::SeqCst);
    let by = "lin".to_owned();
    world
        .engine
        .carry_out(ClientOrder::Retry { task: task.clone(), from: None, current: None, by })
        .await
        .unwrap();
    let done = world.settle(&task).await;
    assert_eq!(done.status(), TaskStatus::Completed, "{}", world.trace(&task));
    let calls = world.tools.calls();
    let puts: Vec<&str> = calls
        .iter()
        .filter(|call| call.arguments.get("n").is_some())
        .map(|call| call.step.as_str())
        .collect();
    let steps = [
        "each[1]/a",
        "each[1]/sub/b",
        "each[1]/sub/c",
        "each[2]/a",
        "each[2]/sub/b",
        "each[2]/sub/b",
        "each[2]/sub/c",
        "each[3]/a",
        "each[3]/sub/b",
        "each[3]/sub/c",
    ];
    assert_eq!(puts, steps);
    let keys: Vec<&str> = calls
        .iter()
        .filter(|c| c.step.as_str() == "each[2]/sub/b")
        .map(|c| c.key.as_str())
        .collect();
    assert_eq!(keys[0], keys[1], "another try of the same wish");
    let gave =
        |field: &str| done.context.result(done.context.index_of("each")?)?.output.field(field);
    assert_eq!(
        gave("collected"),
        Some(PayloadValue::Value(&json!([1, 2, 3]))),
        "each pass ends once"
    );
    assert_eq!(gave("failed_count"), None, "and none of them has failed");
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_is_done_anew_has_steps_and_keys_of_its_own() {
    let mended = Arc::default();
    let (world, bundle) = failing_once(&mended);
    let task = world.engine.submit(world.flow_request(bundle, json!({}))).await.unwrap().task;
    assert_eq!(world.settle(&task).await.status(), TaskStatus::Failed);
    mended.store(true, Ordering::SeqCst);
    let (from, by) = (Some("each".into()), "lin".to_owned());
    world
        .engine
        .carry_out(ClientOrder::Retry { task: task.clone(), from, current: None, by })
        .await
        .unwrap();
    let done = world.settle(&task).await;
    assert_eq!(done.status(), TaskStatus::Completed, "{}", world.trace(&task));
    let anew =
        world.tools.calls().iter().filter(|call| call.step.as_str().starts_with("each~2[")).count();
    assert_eq!(anew, 9);
}

fn place(run: &Run, what: impl Fn(&Event) -> bool) -> Option<usize> {
    run.entries.iter().position(|entry| what(&entry.event))
}

fn named(name: &str) -> Scenario {
    flows().into_iter().find(|scenario| scenario.name == name).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_step_that_needs_a_value_starts_after_the_answer_and_others_go_on_meanwhile() {
    let run = undisturbed(&named("slot_asked")).await;
    let started = |id: &'static str| move |event: &Event| matches!(event, Event::StepStarted { step, .. } if step.as_str() == id);
    let finished = |event: &Event| matches!(event, Event::StepFinished { step, .. } if step.as_str() == "beside");
    let answered = place(&run, |event| matches!(event, Event::QuestionAnswered { .. })).unwrap();
    assert!(place(&run, finished).unwrap() < answered, "what stands beside it has ended");
    assert!(place(&run, started("b")).unwrap() > answered, "it starts only with a complete input");
    let state = State::replay(&run.entries[..answered]).unwrap();
    assert_eq!(state.step("b").unwrap().status, StepStatus::Param);
}

#[tokio::test(start_paused = true)]
async fn where_nothing_is_missing_nothing_is_filled_and_the_input_is_as_written() {
    let run = undisturbed(&named("known_and_own_parameters")).await;
    assert_eq!(place(&run, |event| matches!(event, Event::SlotsFilled { .. })), None);
}

#[tokio::test(start_paused = true)]
async fn what_was_filled_in_says_where_it_was_found_and_how_sure_that_is() {
    let run = undisturbed(&named("slot_from_context")).await;
    let filled = run.entries.iter().find_map(|entry| match &entry.event {
        Event::SlotsFilled { values, .. } => Some(serde_json::to_value(values).unwrap()),
        _ => None,
    });
    let filled = filled.unwrap();
    assert_eq!(filled["/city"]["source"], json!({"from": "metadata", "name": "city"}));
    assert_eq!(filled["/count"]["source"], json!({"from": "variable", "name": "count"}));
    assert_eq!(filled["/unit"]["source"], json!({"from": "default"}));
    assert_eq!(filled["/count"]["value"], 7, "as the number that the schema wants");
    assert!(filled.as_object().unwrap().values().all(|slot| slot["confidence"].as_u64() > Some(0)));
    assert!(filled.get("/note").is_none(), "what may be left out is not asked for");
}

#[tokio::test(start_paused = true)]
async fn a_node_says_for_itself_whether_its_text_is_for_the_user() {
    let pieces: StreamingScript =
        Arc::new(|_| futures::stream::iter([Ok(OutputChunk::Text("hello".to_owned()))]).boxed());
    let tools = ScriptedTools::default()
        .speaking(json!({"id": "say", "risk": "read"}), Arc::clone(&pieces))
        .speaking(json!({"id": "shout", "risk": "read", "to_user": true}), pieces);
    let world = EngineWorld::new(tools);
    let mut said = world.engine.listen();
    let mut findings = FlowProblems::default();
    let flow = json!({"flow": "words", "nodes": [
        {"id": "a", "call": "say"}, {"id": "b", "call": "say", "to_user": true},
        {"id": "c", "call": "shout"}, {"id": "d", "call": "shout", "to_user": false},
    ]});
    let bundle = Bundle { flow: read(&flow, &mut findings), ..Bundle::default() };
    let task = world.engine.submit(world.flow_request(bundle, json!({}))).await.unwrap().task;
    world.settle(&task).await;
    let mut told = Vec::new();
    while let Ok(spoken) = said.try_recv() {
        let LiveTextSource::Step { step, .. } = &spoken.by else { panic!("{spoken:?}") };
        told.push(step.to_string());
    }
    assert_eq!(told, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_model_costs_is_set_aside_before_and_settled_after_and_a_lost_call_counts_whole() {
    let run = undisturbed(&named("llm_text")).await;
    let whole = state(&run);
    assert_eq!(whole.ledger.model_calls, 2);
    assert_eq!(whole.ledger.reserved, 0);
    let usage = run.entries.iter().filter_map(|entry| match &entry.event {
        Event::StepFinished { usage, .. } => *usage,
        _ => None,
    });
    let spent: u64 = usage.map(|usage| usage.prompt + usage.completion).sum();
    assert_eq!(whole.ledger.usage.prompt + whole.ledger.usage.completion, spent);
    let started =
        place(&run, |event| matches!(event, Event::StepStarted { reserved: Some(_), .. }));
    let seq = run.entries[started.unwrap()].seq;
    let during = State::replay(run.entries.iter().filter(|entry| entry.seq <= seq)).unwrap();
    assert!(during.ledger.reserved >= 500, "{}", during.ledger.reserved);
    let again = state(&run.crashed_after(seq, crate::ledger::InFlight::Unsent).await);
    assert_eq!(again.ledger.reserved, 0);
    let counted = again.ledger.usage.prompt + again.ledger.usage.completion;
    assert!(counted >= spent + 500, "the call that was lost counts as all of what was set aside");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_taken_up_again_has_its_turns_again_and_repeats_no_call() {
    let scenario = Scenario::of(
        "again",
        json!({
            "tools": [{"id": "put"}],
            "world": {"put": {"answers": ["failed"]}},
            "model": {
                "Do it": "{\"calls\": [{\"tool\": \"put\", \"arguments\": {}}]}",
                "last turn": "{\"calls\": [{\"tool\": \"put\", \"arguments\": {}}]}",
                "That cannot be used": "{\"answer\": \"At last.\"}",
            },
            "flow": {"flow": "again", "nodes": [
                {"id": "a", "call": "Agent", "tools": ["put"], "max": 2, "approve": "allow", "params": {"task": "Do it"}},
            ]},
        }),
    );
    let (ledger, journal, blobs) = Default::default();
    let world = world(&scenario, (&ledger, &journal, &blobs), BEGINNING);
    let request = world.flow_request(scenario.flow().unwrap(), json!({}));
    let request = PlanRequest { step_model: scenario.step_model(), ..request };
    let task = world.engine.submit(request).await.unwrap().task;
    let failed = world.settle(&task).await;
    let fault = failed.step("a").and_then(|step| step.fault.clone());
    assert_eq!(fault.map(|fault| fault.code()), Some("agent_out_of_turns"));
    let (from, by) = (None, "lin".to_owned());
    let retry = ClientOrder::Retry { task: task.clone(), from, current: None, by };
    world.engine.carry_out(retry).await.unwrap();
    let done = world.settle(&task).await;
    assert_eq!(done.status(), TaskStatus::Completed, "{}", world.trace(&task));
    assert_eq!(world.tools.calls_of("a[1]/call_1"), 1, "{}", world.trace(&task));
}

// B-018
#[tokio::test(start_paused = true)]
async fn a_tool_that_complains_of_a_parameter_has_that_one_asked_for_in_its_own_words() {
    let complains = |scenario: &Scenario| scenario.name == "tool_complains_of_a_parameter";
    let scenario = flows().into_iter().find(complains).unwrap();
    let run = undisturbed(&scenario).await;
    let asked = run.entries.iter().find_map(|entry| match &entry.event {
        Event::QuestionAsked { question } => Some(&question.about),
        _ => None,
    });
    let Some(QuestionSubject::Param { fault, fields, .. }) = asked else { panic!("{asked:?}") };
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["/city"], "days was not complained of");
    assert!(fault.message(Lang::En).contains("unknown value for 'city'"), "{fault:?}");
}
