//! Tasks over fakes: what a call can do wrong, cancelling, deadlines, forks, retries.

use futures::FutureExt;
use praxis_core::ask::tokens::Estimate;
use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::fault::Fault;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::CallOutcome;
use praxis_core::journal::submission::EffectMode;
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::payload::Payload;
use praxis_core::replay::{ReplayError, ReplayInputs, ReplaySummary, replay};
use praxis_core::state::step::StepStatus;
use praxis_core::state::{State, TaskStatus};
use praxis_core::view::stream::views;
use praxis_engine::arrival::CommandError;
use praxis_engine::arrival::{CommandRefusal, TaskCommand};
use praxis_engine::fork::{ForkOrder, ForkPoint};
use praxis_engine::order::ClientOrder;
use praxis_engine::submit::SubmitError;
use praxis_engine::tools::ReadyTools;
use praxis_testkit::tools::{ScriptedTools, ToolScript, tool};
use praxis_testkit::world::EngineWorld;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn fault(tool: &str, retryable: bool) -> Fault {
    Fault::ToolFailed {
        tool: tool.into(),
        message: "no".to_owned(),
        message_zh: String::new(),
        retryable,
        retry_after_ms: None,
    }
}

/// `give` answers with its arguments, `hang` never does, `panic` panics, `pay` counts and is no read.
fn tools() -> ScriptedTools {
    let hang: ToolScript = Arc::new(|_| futures::future::pending().boxed());
    let panic: ToolScript = Arc::new(|_| async { panic!("the tool's own words") }.boxed());
    ScriptedTools::default()
        .answering(json!({"id": "give", "risk": "read"}), |call| Ok(call.arguments.clone()))
        .answering(json!({"id": "empty", "risk": "read"}), |_| Ok(Value::Null))
        .answering(json!({"id": "pay"}), |call| Ok(json!({"paid": call.key})))
        .answering(json!({"id": "refuse", "risk": "read"}), |_| Err(fault("refuse", false)))
        .answering(
            json!({"id": "flaky", "risk": "read", "retries": 2, "retry_delay": "1s"}),
            |call| {
                if call.attempt < 3 {
                    Err(fault("flaky", true))
                } else {
                    Ok(json!({"tries": call.attempt}))
                }
            },
        )
        .with(json!({"id": "hang", "risk": "read", "timeout": "30s", "retries": 0}), hang)
        .with(json!({"id": "panic", "risk": "read", "retries": 0}), panic)
}

fn one(tool: &str, parameters: Value) -> Value {
    json!({"steps": [{"step_id": "s", "tool": tool, "parameters": parameters}]})
}

fn step_fault(state: &State) -> Option<&Fault> {
    state.step("s").unwrap().fault.as_ref()
}

// A-049, A-099
#[tokio::test(start_paused = true)]
async fn a_step_is_resolved_started_called_and_synced_in_this_order() {
    let world = EngineWorld::new(tools());
    let accepted =
        world.submit(&one("give", json!({"x": "{{n}}"})), json!({"n": 7})).await.unwrap();
    let state = world.settle(&accepted.task).await;
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(state.context.runtime("x").map(|(_, step)| step), state.context.index_of("s"));
    let trace = world.trace(&accepted.task);
    let expected = "task_submitted\nsteps_planned\nplan_closed\nstep_started s #1\n\
                    step_finished s #1 succeeded\ntask_finished\n";
    assert_eq!(trace.replace("  complete", ""), expected);
    assert_eq!(world.tools.calls()[0].arguments, json!({"x": 7}));
}

// A-049
#[tokio::test(start_paused = true)]
async fn an_empty_output_is_a_success_that_syncs_nothing() {
    let world = EngineWorld::new(tools());
    let state = world.run(&one("empty", json!({})), json!({})).await;
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(state.context.all_metadata().keys().collect::<Vec<_>>(), ["session_id"]);
}

// A-001, A-091
#[tokio::test(start_paused = true)]
async fn a_session_id_is_added_unless_the_caller_gave_one() {
    let world = EngineWorld::new(tools());
    let plan = one("give", json!({"session": "{{session_id}}"}));
    let accepted = world.submit(&plan, json!({})).await.unwrap();
    world.settle(&accepted.task).await;
    world.run(&plan, json!({"session_id": "mine"})).await;
    let sessions: Vec<Value> =
        world.tools.calls().iter().map(|c| c.arguments["session"].clone()).collect();
    let own = accepted.task.as_str().replacen("task_", "session_", 1);
    assert_eq!(sessions, [json!(own), json!("mine")]);
}

// A-046, A-048, A-049
#[tokio::test(start_paused = true)]
async fn a_panic_and_a_hang_are_contained_and_other_branches_go_on() {
    let world = EngineWorld::new(tools());
    let plan = json!({"steps": [
        {"step_id": "p", "tool": "panic"}, {"step_id": "h", "tool": "hang"},
        {"step_id": "after_p", "tool": "give", "depends_on": ["p"]},
        {"step_id": "free", "tool": "give"},
    ]});
    let state = world.run(&plan, json!({})).await;
    let status = |id: &str| state.step(id).unwrap().status;
    assert_eq!(status("free"), StepStatus::Success);
    assert_eq!(status("after_p"), StepStatus::Skipped);
    assert!(matches!(&state.step("p").unwrap().fault,
        Some(Fault::Panicked { message, .. }) if message == "the tool's own words"));
    assert_eq!(
        state.step("h").unwrap().fault,
        Some(Fault::Timeout { tool: "hang".into(), after_ms: 30_000 })
    );
    assert_eq!(state.status(), TaskStatus::Failed);
}

// A-049, A-100
#[tokio::test(start_paused = true)]
async fn a_tool_that_is_not_there_is_refused_before_anything_is_written() {
    let world = EngineWorld::new(tools());
    let refused = world.submit(&one("giv", json!({})), json!({})).await.unwrap_err();
    let SubmitError::Refused(problems) = refused else { panic!("{refused}") };
    assert_eq!(
        problems[0].to_string(),
        "unknown_tool: step `s`: unknown tool `giv` (did you mean `give`?)"
    );
}

// A-059, A-063
#[tokio::test(start_paused = true)]
async fn a_transient_failure_is_retried_with_the_same_key_and_arguments_until_it_succeeds() {
    let world = EngineWorld::new(tools());
    let state = world.run(&one("flaky", json!({"a": 1})), json!({})).await;
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(state.counters.step_retry_count, 2);
    let calls = world.tools.calls();
    let same = |call: &praxis_engine::seams::Invocation| (call.key.clone(), call.arguments.clone());
    assert_eq!(calls.len(), 3);
    assert!(calls.iter().all(|call| same(call) == same(&calls[0])));
    assert!(calls[0].key.ends_with("/s~1"));
}

// A-059, A-063
#[tokio::test(start_paused = true)]
async fn a_hard_cap_on_retries_and_on_failures_in_a_row_stops_earlier_than_the_tool() {
    let mut world = EngineWorld::new(tools());
    world.options.max_step_retries = Some(1);
    let state = world.run(&one("flaky", json!({})), json!({})).await;
    assert_eq!((state.status(), state.step("s").unwrap().attempt), (TaskStatus::Failed, 2));
    let mut world = EngineWorld::new(tools());
    world.options.max_consecutive_failures = Some(1);
    world.options.parallel = false;
    let plan =
        json!({"steps": [{"step_id": "r", "tool": "refuse"}, {"step_id": "g", "tool": "give"}]});
    let state = world.run(&plan, json!({})).await;
    assert_eq!(state.step("g").unwrap().status, StepStatus::Cancelled);
}

// A-082
#[tokio::test(start_paused = true)]
async fn cancelling_interrupts_the_running_tool_and_a_finished_task_is_not_flipped() {
    let world = EngineWorld::new(tools());
    let task = world.submit(&one("hang", json!({})), json!({})).await.unwrap().task;
    let cancel = || TaskCommand::Cancel { reason: "enough".to_owned(), by: "test".to_owned() };
    world.engine.command(&task, cancel()).await.unwrap();
    let state = world.settle(&task).await;
    assert_eq!(state.status(), TaskStatus::Cancelled);
    assert_eq!(state.active_ms, 0, "nobody waited for the tool's own deadline");
    let again = world.engine.command(&task, cancel()).await.unwrap_err();
    assert_eq!(again, CommandError::Refused(CommandRefusal::TaskEnded(TaskStatus::Cancelled)));
    let events: Vec<Event> =
        world.journal.entries(&task).into_iter().map(|entry| entry.event).collect();
    let terminal =
        events.iter().filter(|event| matches!(event, Event::TaskFinished { .. })).count();
    assert_eq!(terminal, 1);
}

// A-083
#[tokio::test(start_paused = true)]
async fn a_task_that_uses_up_its_time_fails_during_a_tool_call() {
    let mut world = EngineWorld::new(tools());
    world.options.task_timeout_ms = 5_000;
    let state = world.run(&one("hang", json!({})), json!({})).await;
    assert_eq!(state.fault(), Some(&Fault::TaskTimeout { after_ms: 5_000 }));
}

// A-086, A-081
#[tokio::test(start_paused = true)]
async fn the_same_key_is_the_same_task_and_another_request_under_it_is_refused() {
    let world = EngineWorld::new(tools());
    let request = |n: u64| {
        let mut request = world.request(&one("give", json!({"n": n})), json!({})).unwrap();
        request.idempotency_key = Some("key".to_owned());
        request
    };
    let first = world.engine.submit(request(1)).await.unwrap();
    let again = futures::future::join_all((0..100).map(|_| world.engine.submit(request(1)))).await;
    assert!(again.iter().all(|a| a.as_ref().is_ok_and(|a| a.replayed && a.task == first.task)));
    let other = world.engine.submit(request(2)).await;
    assert_eq!(other, Err(SubmitError::KeyMismatch(first.task)));
}

// A-003
#[tokio::test(start_paused = true)]
async fn a_large_value_goes_from_step_to_step_through_a_blob_and_is_checked_when_it_arrives() {
    let wants_text = json!({"id": "length", "risk": "read",
        "input_schema": {"type": "object", "properties": {"t": {"type": "string"}}}});
    let tools = tools().answering(wants_text, |call| {
        Ok(json!({"length": call.arguments["t"].as_str().map(str::len)}))
    });
    let world = EngineWorld::new(tools);
    let big = "x".repeat(200_000);
    let plan = |field: &str| {
        json!({"steps": [
            {"step_id": "a", "tool": "give", "parameters": {"t": "{{big}}", "n": [1]}},
            {"step_id": "b", "tool": "length", "parameters": {"t": format!("{{{{a.outputs{field}}}}}")}},
        ]})
    };
    let state = world.run(&plan(".t"), json!({"big": big})).await;
    let output = &state.context.result(state.context.index_of("b").unwrap()).unwrap().output;
    assert_eq!(serde_json::to_value(output).unwrap(), json!({"json": {"length": 200_000}}));
    let state = world.run(&plan(""), json!({"big": big})).await;
    assert_eq!(state.step("b").unwrap().fault.as_ref().map(Fault::code), Some("params_invalid"));
}

#[tokio::test(start_paused = true)]
async fn a_fork_keeps_what_was_done_and_asks_before_it_changes_anything() {
    let world = EngineWorld::new(tools());
    let plan = json!({"steps": [
        {"step_id": "a", "tool": "give", "parameters": {"x": "{{n}}"}},
        {"step_id": "b", "tool": "pay", "parameters": {"amount": "{{a.outputs.x}}", "mode": "plain"}},
    ]});
    let task = world.submit(&plan, json!({"n": 1})).await.unwrap().task;
    world.settle(&task).await;
    let fork = |effects| ForkOrder {
        task: task.clone(),
        at: ForkPoint::Step(StepId::from("b")),
        set: Map::new(),
        overrides: BTreeMap::from([(
            "b".into(),
            BTreeMap::from([("/mode".to_owned(), json!("{{loud}}"))]),
        )]),
        effects,
        by: "test".to_owned(),
    };
    let ask = |effects| {
        let order = ClientOrder::Fork(Box::new(fork(effects)));
        async { world.engine.carry_out(order).await.unwrap().tasks[0].clone() }
    };
    let asked = ask(EffectMode::Ask).await;
    let state = world.settle(&asked).await;
    assert_eq!((state.status(), state.waits_for()), (TaskStatus::Waiting, Some("approval")));
    let simulated = ask(EffectMode::Simulate).await;
    assert_eq!(world.settle(&simulated).await.status(), TaskStatus::Completed);
    assert_eq!(
        (world.tools.calls_of("a"), world.tools.calls_of("b")),
        (1, 1),
        "nothing was called again"
    );
    let real = ask(EffectMode::Real).await;
    world.settle(&real).await;
    let paid = world.tools.calls().last().unwrap().clone();
    assert_eq!(paid.arguments, json!({"amount": 1, "mode": "{{loud}}"}), "a set value is data");
    assert_eq!(paid.key, format!("{real}/b~1"), "a fork has keys of its own");
}

#[tokio::test(start_paused = true)]
async fn a_stopped_task_with_a_step_in_doubt_can_be_taken_up_again() {
    let hang: ToolScript = Arc::new(|_| futures::future::pending().boxed());
    let world = EngineWorld::new(tools().with(json!({"id": "write"}), hang));
    let task = world.submit(&one("write", json!({})), json!({})).await.unwrap().task;
    let cancel = TaskCommand::Cancel { reason: "enough".to_owned(), by: "test".to_owned() };
    world.engine.command(&task, cancel).await.unwrap();
    assert_eq!(world.settle(&task).await.step("s").unwrap().status, StepStatus::InDoubt);
    let retry =
        ClientOrder::Retry { task: task.clone(), from: None, current: None, by: "test".to_owned() };
    world.engine.carry_out(retry).await.unwrap();
    let state = world.settle(&task).await;
    assert_eq!((state.status(), state.waits_for()), (TaskStatus::Waiting, Some("in_doubt")));
}

#[tokio::test(start_paused = true)]
async fn a_retry_with_current_tools_runs_what_failed_with_the_tool_as_it_is_now() {
    let broken = |_: &_| Err(Fault::refused(tool("t"), ("v1", "v1")));
    let world = EngineWorld::new(
        tools()
            .answering(json!({"id": "t", "risk": "read"}), broken)
            .answering(json!({"id": "better", "risk": "read"}), |_| Ok(json!({"version": 2}))),
    );
    let task = world.submit(&one("t", json!({})), json!({})).await.unwrap().task;
    assert_eq!(world.settle(&task).await.status(), TaskStatus::Failed);
    let mut now = Toolbox::clone(&world.tools.toolbox());
    let mut better = Tool::clone(&now[&tool("better")]);
    better.id = tool("t");
    now.insert(tool("t"), Arc::new(better));
    let retry =
        |current| ClientOrder::Retry { task: task.clone(), from: None, current, by: "x".into() };
    world.engine.carry_out(retry(None)).await.unwrap();
    assert_eq!(world.settle(&task).await.status(), TaskStatus::Failed, "the task keeps its tools");
    world.engine.carry_out(retry(Some(Arc::new(now)))).await.unwrap();
    let state = world.settle(&task).await;
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(world.tools.calls().last().unwrap().key, format!("{task}/s~2"), "a new effect");
}

// A-048
#[tokio::test(start_paused = true)]
async fn what_many_actions_gave_goes_to_a_blob_and_is_decided_alike_when_replayed() {
    let world = EngineWorld::new(tools());
    let action = |n: usize| {
        let parameters = json!({"text": "x".repeat(2500)});
        json!({"action_id": format!("g{n}"), "tool": "give", "parameters": parameters})
    };
    let plan = json!({"steps": [
        {"step_id": "g", "actions": (0..40).map(action).collect::<Vec<_>>()},
        {"step_id": "e", "tool": "give", "parameters": {"all": "{{g.output}}"}},
    ]});
    let task = world.submit(&plan, json!({})).await.unwrap().task;
    assert_eq!(world.settle(&task).await.status(), TaskStatus::Completed);
    let gathered = world.tools.calls().last().unwrap().arguments["all"].as_str().unwrap().len();
    assert!(gathered > 65_536, "{gathered}");
    let entries = world.journal.entries(&task);
    let is_stored = |entry: &Entry| {
        let Event::StepFinished { step, outcome, .. } = &entry.event else { return false };
        step.as_str() == "g" && matches!(outcome, CallOutcome::Succeeded(Payload::Blob(_)))
    };
    assert!(entries.iter().any(is_stored), "a value of {gathered} bytes is in an event");
    assert!(is_replayed(&world, &entries).await.is_ok());
}

/// A journal of everything: retries, questions, actions, failures, large values.
async fn eventful() -> (EngineWorld, TaskId) {
    let world = EngineWorld::new(tools());
    let plan = json!({"steps": [
        {"step_id": "a", "tool": "flaky"},
        {"step_id": "g", "actions": [
            {"action_id": "g1", "tool": "give", "parameters": {"x": "{{big}}"}},
            {"action_id": "g2", "tool": "refuse"},
        ]},
        {"step_id": "q", "tool": "give", "parameters": {"v": "{{nowhere}}"}, "depends_on": ["a"]},
        {"step_id": "e", "tool": "give", "parameters": {"t": "<{{g1.outputs.x}}>"}},
    ]});
    let task = world.submit(&plan, json!({"big": "y".repeat(100_000)})).await.unwrap().task;
    let state = world.settle(&task).await;
    let question = state.questions.keys().next().unwrap().clone();
    let values = BTreeMap::from([("/v".to_owned(), json!(1))]);
    let answer = praxis_core::journal::question::QuestionAnswer::Values { values };
    world
        .engine
        .command(&task, TaskCommand::Answer { question, answer, by: "test".to_owned() })
        .await
        .unwrap();
    world.settle(&task).await;
    (world, task)
}

#[tokio::test(start_paused = true)]
async fn a_recorded_task_is_decided_alike_when_it_is_replayed() {
    let (world, task) = eventful().await;
    let entries = world.journal.entries(&task);
    let same = is_replayed(&world, &entries).await.unwrap();
    assert_eq!(same.answers + same.decisions, entries.len());
    // A call that was started otherwise; actions that were gathered otherwise.
    let changes: [fn(&mut Event) -> bool; 2] = [
        |event| match event {
            Event::StepStarted { step, generation, .. } if step.as_str() == "q" => {
                *generation = 9;
                true
            }
            _ => false,
        },
        |event| match event {
            Event::StepFinished { step, outcome, .. } if step.as_str() == "g" => {
                *outcome = CallOutcome::Succeeded(Payload::json(json!("made up")));
                true
            }
            _ => false,
        },
    ];
    for change in changes {
        let mut other = entries.clone();
        let changed =
            other.iter_mut().find_map(|entry| change(&mut entry.event).then_some(entry.seq));
        let parted = is_replayed(&world, &other).await.unwrap_err();
        assert!(parted.to_string().contains("replay diverged"));
        let ReplayError::Diverged(parted) = parted else { panic!("{parted}") };
        assert_eq!(Some(parted.seq), changed);
    }
}

/// Decides a recorded task anew.
pub(crate) async fn is_replayed(
    world: &EngineWorld,
    entries: &[Entry],
) -> Result<ReplaySummary, ReplayError> {
    // As far as it goes: a record that was changed may not fold to its end.
    let mut state = State::default();
    let _ = entries.iter().try_for_each(|entry| state.apply(entry));
    let tools = ReadyTools::new(Arc::new(world.tools.clone()), Arc::new(world.blobs.clone()));
    let pinned = tools.load_pinned(state.contracts.values().map(AsRef::as_ref)).await.unwrap();
    let read = |id: &_| {
        let content = praxis_engine::seams::Blobs::get(&world.blobs, id).now_or_never()?.ok()?;
        serde_json::from_slice(&content).ok()
    };
    let library = state.goal_spec().map(|brief| Library::read(brief, read).unwrap());
    let tokens = Estimate::default();
    let ground = ReplayInputs {
        schemas: &pinned,
        library: library.as_ref(),
        tokens: &tokens,
        planner: &praxis_planner::LexicalPlanner,
    };
    replay(entries, &ground, read)
}

// A-098, A-101
#[tokio::test(start_paused = true)]
async fn every_event_of_the_stream_names_its_task_and_its_step() {
    let (world, task) = eventful().await;
    let mut state = State::default();
    let mut names = Vec::new();
    for entry in world.journal.entries(&task) {
        state.apply(&entry).unwrap();
        for event in views(&state, &entry) {
            let step = event.step.as_ref().map(|step| format!("/steps/{step}")).unwrap_or_default();
            assert_eq!(event.subject, format!("tasks/{task}{step}"));
            assert_eq!(event.sequence, entry.seq);
            names.push(event.name);
        }
    }
    for name in
        ["task.created", "plan.proposed", "step.retried", "question.answered", "task.failed"]
    {
        assert!(names.contains(&name), "{name}");
    }
}

// C-019
#[tokio::test(start_paused = true)]
async fn the_catalog_counts_results_by_tool_and_shows_no_contents() {
    let (world, task) = eventful().await;
    let state = State::replay(&world.journal.entries(&task)).unwrap();
    let catalog = praxis_core::dataflow::catalog::catalog(&state.context);
    assert_eq!(
        catalog["by_tool"],
        json!({"flaky": 1, "give": 3, "parallel_actions": 1, "refuse": 1})
    );
    assert_eq!(catalog["results"], 6);
    assert!(!catalog.to_string().contains("yyy"));
    let q =
        catalog["steps"].as_array().unwrap().iter().find(|step| step["step_id"] == "q").unwrap();
    assert_eq!(q["structure"], json!({"v": "number"}));
    assert_eq!(q["reference"], "{{q.output}}");
}

// C-018, C-020
#[tokio::test(start_paused = true)]
async fn data_is_extracted_by_path_and_a_wrong_path_gives_nothing() {
    let (world, task) = eventful().await;
    let state = State::replay(&world.journal.entries(&task)).unwrap();
    let blobs = praxis_core::dataflow::resolve::LoadedBlobs::new();
    let at =
        |path: &str| praxis_core::dataflow::catalog::extract_by_path(&state.context, &blobs, path);
    assert_eq!(at("q.outputs.v"), Some(json!(1)));
    assert_eq!(at("a.tries"), Some(json!(3)));
    for wrong in ["q.outputs.nope", "nobody.outputs.v", "", "a..b", "g1.outputs.x"] {
        assert_eq!(at(wrong), None, "{wrong}");
    }
    let found =
        praxis_core::dataflow::catalog::extract_relevant(&state.context, &blobs, &["q.v", "q.w"]);
    assert_eq!(found, BTreeMap::from([("q.v".to_owned(), json!(1))]));
}

// A-100
#[tokio::test(start_paused = true)]
async fn a_failure_has_a_code_words_in_both_languages_and_a_next_action() {
    let world = EngineWorld::new(tools());
    let state = world.run(&one("refuse", json!({})), json!({})).await;
    let fault = step_fault(&state).unwrap();
    assert_eq!(fault.code(), "tool_failed");
    assert_eq!(fault.message(Lang::En), "tool `refuse` failed: no");
    assert_eq!(fault.message(Lang::Zh), "工具 `refuse` 执行失败：no");
    assert!(!fault.next(Lang::En).is_empty() && !fault.next(Lang::Zh).is_empty());
}

// A-003
#[tokio::test(start_paused = true)]
async fn an_output_that_breaks_its_schema_is_kept_with_the_failed_step() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let tools = ScriptedTools::default()
        .answering(json!({"id": "odd", "risk": "read", "output_schema": schema}), |_| {
            Ok(json!({"n": "seven", "also": 1}))
        });
    let world = EngineWorld::new(tools);
    let state = world.run(&one("odd", json!({})), json!({})).await;
    assert_eq!(state.status(), TaskStatus::Failed);
    assert_eq!(step_fault(&state).unwrap().code(), "output_invalid");
    let result = state.context.result(state.context.index_of("s").unwrap()).unwrap();
    assert_eq!(result.output, Payload::json(json!({"n": "seven", "also": 1})));
    assert!(state.context.runtime("also").is_none(), "it is not synced");
}
