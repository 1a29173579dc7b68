//! The events of the seed documents: what stands before what, in every course that a goal can take.

use crate::goal_rig::{Pursued, Pursuit, all, named};
use crate::scenario::{Scenario, flows};
use crate::simulate::undisturbed;
use praxis_core::ask::purpose::Purpose;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::lang::Lang;
use praxis_core::state::TaskStatus;
use praxis_core::view::account::Accounts;
use praxis_core::view::history::history;
use praxis_core::view::seed::{SeedAudience, SeedEvent, SeedStream};
use praxis_core::view::seed_table::{
    EnvelopeKind, STEP_TYPE, SeedEventRow, SeedPayload, TABLE, kind, row,
};
use praxis_core::view::stream_goal::phase_of;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PHASES: [&str; 7] =
    ["工具筛选", "任务规划", "工具执行", "进度分析", "评估", "反思", "建议行动"];

/// What is told of each entry.
fn told(run: &Pursued, audience: SeedAudience) -> Vec<(&Entry, Vec<SeedEvent>)> {
    let mut stream = SeedStream::new(audience, Lang::En);
    run.entries.iter().map(|entry| (entry, stream.tell(entry).unwrap())).collect()
}

fn phases(events: &[SeedEvent], name: &str) -> Vec<&'static str> {
    events.iter().filter(|event| event.event_type == name).map(|event| event.phase).collect()
}

fn place(events: &[SeedEvent], name: &str) -> Option<usize> {
    events.iter().position(|event| event.event_type == name)
}

//
#[tokio::test(start_paused = true)]
async fn a_user_hears_before_each_of_the_seven_slow_phases_and_after_it() {
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    for pursuit in all() {
        let run = pursuit.run().await;
        let mut asked = BTreeMap::new();
        for (entry, events) in told(&run, SeedAudience::User) {
            let (waits, states) = (phases(&events, "TASK_WAIT"), phases(&events, "STATUS_UPDATE"));
            match &entry.event {
                // Nobody waits for a message.
                Event::AskStarted { purpose: Purpose::Tell, .. } => {
                    assert!(waits.is_empty(), "{}: {entry:?}", pursuit.name);
                }
                Event::AskStarted { ask, purpose, .. } => {
                    assert_eq!(waits, [phase_of(purpose)], "{}: {entry:?}", pursuit.name);
                    asked.insert(*ask, phase_of(purpose));
                }
                Event::AskFinished { ask, .. } => {
                    let phase: Vec<_> = asked.get(ask).copied().into_iter().collect();
                    assert_eq!(states, phase, "{}: {entry:?}", pursuit.name);
                }
                Event::StepStarted { .. } | Event::CheckStarted { .. } => {
                    assert_eq!(waits, ["工具执行"], "{}: {entry:?}", pursuit.name);
                }
                Event::StepFinished { .. }
                | Event::StepRefused { .. }
                | Event::CheckFinished { .. } => {
                    assert_eq!(states, ["工具执行"], "{}: {entry:?}", pursuit.name);
                }
                Event::QuestionAsked { .. } => assert_eq!(states.len(), 1, "{}", pursuit.name),
                _ => {}
            }
            before.extend(waits);
            after.extend(states.into_iter().filter(|phase| !phase.is_empty()));
        }
    }
    assert_eq!(before, BTreeSet::from(PHASES));
    assert_eq!(after, BTreeSet::from(PHASES));
}

/// How the stream of a call ends.
fn end_of(outcome: &AskOutcome) -> &'static str {
    match outcome {
        AskOutcome::Answered { .. } => "DONE",
        AskOutcome::Failed { .. } | AskOutcome::Lost => "ERROR",
    }
}

//
#[tokio::test(start_paused = true)]
async fn a_stream_of_words_that_breaks_ends_in_an_error_of_its_phase() {
    let mut kinds = BTreeSet::new();
    for name in ["plain", "plan_breaks", "plan_fails", "reflection_fails"] {
        let run = named(name).run().await;
        let mut open = BTreeMap::new();
        for (entry, events) in told(&run, SeedAudience::Developer) {
            let chunks = events.iter().filter(|event| event.event_type == "LLM_STREAM_CHUNK");
            let chunks: Vec<(&str, Value)> =
                chunks.map(|event| (event.phase, event.data["chunk_type"].clone())).collect();
            match &entry.event {
                Event::AskStarted { ask, purpose, .. } => {
                    assert_eq!(chunks, [(phase_of(purpose), json!("START"))], "{name}");
                    open.insert(*ask, phase_of(purpose));
                }
                Event::AskFinished { ask, outcome } => {
                    let kind = end_of(outcome);
                    assert_eq!(chunks, [(open.remove(ask).unwrap(), json!(kind))], "{name}");
                    kinds.insert(kind);
                }
                _ => assert!(chunks.is_empty(), "{name}: {entry:?}"),
            }
            if let Event::AskFinished { outcome: AskOutcome::Failed { fault, .. }, .. } =
                &entry.event
            {
                assert_eq!(events[0].message, fault.message(Lang::En), "{name}");
            }
        }
        assert!(open.is_empty(), "{name}");
    }
    assert_eq!(kinds, BTreeSet::from(["DONE", "ERROR"]));
}

//
#[tokio::test(start_paused = true)]
async fn a_step_ends_after_it_began_and_a_task_after_all_that_it_is_judged_by() {
    for pursuit in all() {
        let run = pursuit.run().await;
        let all: Vec<SeedEvent> = told(&run, SeedAudience::Developer)
            .into_iter()
            .flat_map(|(_, events)| events)
            .collect();
        let name = &pursuit.name;
        let mut running = BTreeSet::new();
        for event in &all {
            let step = event.data["step_id"].as_str().unwrap_or_default().to_owned();
            match event.event_type {
                "STEP_STARTED" => assert!(running.insert(step), "{name}: begun twice: {event:?}"),
                "STEP_COMPLETED" => assert!(running.remove(&step), "{name}: {event:?}"),
                "STEP_FAILED" => drop(running.remove(&step)),
                _ => {}
            }
        }
        let is_over = run.state.status().is_final();
        let result = place(&all, "TASK_RESULT");
        assert_eq!(result.is_some(), is_over, "{name}");
        let Some(result) = result else { continue };
        let end = match run.state.status() {
            TaskStatus::Completed => "TASK_COMPLETED",
            _ => "TASK_FAILED",
        };
        let three: Vec<&str> = all[result..].iter().take(3).map(|it| it.event_type).collect();
        assert_eq!(three, ["TASK_RESULT", "CONTEXT_ENGINEERING", end], "{name}");
        for before in ["PLAN_GENERATED", "EVALUATION_COMPLETED", "REFLECTION_COMPLETED"] {
            assert!(!all[result..].iter().any(|it| it.event_type == before), "{name}: {before}");
        }
        let learnt = place(&all, "TASK_EXPERIENCE");
        assert!(learnt.is_none_or(|learnt| learnt == all.len() - 1), "{name}");
    }
}

/// Two steps side by side, of which the first takes longer, and one that fails until it is changed.
fn side_by_side() -> Pursuit {
    let steps = json!([
        {"step_id": "a", "step_name": "slow", "tool": "slow", "parameters": {"x": 1}},
        {"step_id": "b", "step_name": "quick", "tool": "look", "parameters": {"x": 2}},
        {"step_id": "c", "step_name": "wrong", "tool": "peek", "parameters": {"x": 3}},
    ]);
    let reflection = json!({"root_cause_category": "parameter_error", "root_cause": "three is wrong",
        "is_recoverable": true, "confidence": 90,
        "suggested_action": {"type": "retry_with_params", "parameters": {"x": 4}}});
    let file = json!({
        "goal": "do it",
        "tools": [{"id": "look", "risk": "read", "retries": 0}, {"id": "slow", "risk": "read", "retries": 0},
            {"id": "peek", "risk": "read", "retries": 0}],
        "world": {"slow": {"takes_ms": 500}, "look": {"takes_ms": 10}, "peek": {"fails_if": {"x": 3}}},
        "model": {"planning": [{"plan_description": "p", "steps": steps}], "reflection_step": [reflection]},
    });
    Pursuit { name: "side_by_side".to_owned(), file }
}

//
#[tokio::test(start_paused = true)]
async fn what_succeeded_is_recorded_in_the_order_in_which_it_did() {
    let run = side_by_side().run().await;
    assert_eq!(run.state.status(), TaskStatus::Completed, "{:?}", run.story());
    let text = history(&run.entries, &Accounts::read(&run.entries).unwrap(), Lang::En);
    let at = |step: &str| text.find(&format!("### {step}\n")).unwrap();
    assert!(at("step_3") < at("step_1") && at("step_2") < at("step_1"), "{text}");
    // What models are told is in the same order.
    let asked = run.model.asked();
    let last = asked.iter().rfind(|asked| asked.stage == "evaluation").unwrap();
    let log = &last.request.messages[1].content;
    let at = |step: &str| log.find(&format!("✅ {step}")).unwrap_or_else(|| panic!("{log}"));
    assert!(at("step_2") < at("step_1") && at("step_3") < at("step_1"), "{log}");
}

//
#[tokio::test(start_paused = true)]
async fn a_failure_is_recorded_at_once_and_completed_with_what_was_thought_about_it() {
    let run = side_by_side().run().await;
    let reflected = |entry: &&Entry| matches!(entry.event, Event::StepReflected { .. });
    let seq = run.entries.iter().find(reflected).unwrap().seq;
    let text = |until: u64| {
        let seen: Vec<Entry> = run.entries.iter().filter(|e| e.seq <= until).cloned().collect();
        history(&seen, &Accounts::read(&seen).unwrap(), Lang::En)
    };
    let (before, after) = (text(seq - 1), text(seq));
    assert!(before.contains("### step_3 #1") && !before.contains("three is wrong"), "{before}");
    assert!(after.contains("- What to do: three is wrong (retry_with_params)"), "{after}");
    let end = text(u64::MAX);
    assert!(end.contains("### step_3 #1 (succeeded later)"), "{end}");
    assert!(end.contains("- What to do: three is wrong (retry_with_params)"), "{end}");
}

/// What is told of each entry of a flow.
fn told_of_flow(entries: &[Entry]) -> Vec<(&Entry, Vec<SeedEvent>)> {
    let mut stream = SeedStream::new(SeedAudience::Developer, Lang::En);
    entries.iter().map(|entry| (entry, stream.tell(entry).unwrap())).collect()
}

/// The row that an event is told by.
fn row_of(event: &SeedEvent) -> &'static SeedEventRow {
    let named = row(event.event_type);
    let typed = || {
        let flow = &event.envelope.as_ref()?.flow;
        row(STEP_TYPE).filter(|_| flow["stepType"] == event.event_type)
    };
    named.or_else(typed).unwrap_or_else(|| panic!("{} is in no row", event.event_type))
}

/// Whether an event is told as its row says.
fn assert_stated(entry: &Entry, event: &SeedEvent) -> &'static str {
    let row = row_of(event);
    let (name, of) = (row.name, kind(&entry.event));
    assert_eq!(json!(of), serde_json::to_value(entry).unwrap()["kind"], "{name}");
    assert!(row.of.contains(&of), "{name} of {of} at {}", entry.seq);
    assert_eq!(row.form == EnvelopeKind::Step, event.envelope.is_some(), "{name}");
    match row.carries {
        SeedPayload::Fields(fields) => {
            let found: BTreeSet<&str> =
                event.data.as_object().unwrap().keys().map(String::as_str).collect();
            let may = |field: &&str| fields.iter().any(|it| it.trim_end_matches('?') == *field);
            assert!(found.iter().all(may), "{name}: {found:?}");
            let must = fields.iter().filter(|field| !field.ends_with('?'));
            assert!(must.clone().all(|field| found.contains(field)), "{name}: {found:?}");
        }
        SeedPayload::Whole(_) => assert!(event.data.is_object(), "{name}: {}", event.data),
        SeedPayload::Nothing(_) => panic!("there is no {name}"),
    }
    name
}

// A-101, B-044
#[tokio::test(start_paused = true)]
async fn every_event_of_the_documents_is_told_of_the_facts_and_with_the_fields_that_its_row_says() {
    let mut names = BTreeSet::new();
    for pursuit in all() {
        let run = pursuit.run().await;
        for (entry, events) in told(&run, SeedAudience::Developer) {
            names.extend(events.iter().map(|event| assert_stated(entry, event)));
        }
    }
    for scenario in flows() {
        let run = undisturbed(&scenario).await;
        let late = run.cancelled_after(run.opened_at() + 2).await;
        for (entry, events) in
            told_of_flow(&run.entries).into_iter().chain(told_of_flow(&late.entries))
        {
            names.extend(events.iter().map(|event| assert_stated(entry, event)));
        }
    }
    let there = TABLE.iter().filter(|row| !matches!(row.carries, SeedPayload::Nothing(_)));
    // No flow of these speaks in data; the CLI's tests have one.
    let missing: Vec<&str> =
        there.map(|row| row.name).filter(|it| !names.contains(it) && *it != STEP_TYPE).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

fn step_of(event: &SeedEvent) -> String {
    let flow = event.envelope.as_ref().map(|envelope| envelope.flow.clone()).unwrap_or_default();
    flow["stepId"].as_str().unwrap_or_default().to_owned()
}

/// What a step executor pushed, by step, without what filled its parameters.
fn pushed(entries: &[Entry]) -> Vec<(String, &'static str, SeedEvent)> {
    let events = told_of_flow(entries).into_iter().flat_map(|(_, events)| events);
    let events = events.filter(|event| event.envelope.is_some());
    let events = events.filter(|event| {
        event.envelope.as_ref().is_some_and(|envelope| envelope.flow["stepType"] != "SLOT")
    });
    events.map(|event| (step_of(&event), event.event_type, event)).collect()
}

// B-019, B-044
#[tokio::test(start_paused = true)]
async fn a_step_of_a_flow_is_told_from_its_beginning_to_its_end_in_one_order() {
    for scenario in flows() {
        let run = undisturbed(&scenario).await;
        let mut steps: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let all = pushed(&run.entries);
        for (step, name, event) in &all {
            let flow = &event.envelope.as_ref().unwrap().flow;
            let status = &flow["stepStatus"];
            match *name {
                "step.init" => assert_eq!(status, "INIT", "{}: {step}", scenario.name),
                "STEP_INPUT" if flow["stepType"] == "WAIT" => assert_eq!(status, "WAITING"),
                "STEP_INPUT" => assert_eq!(status, "RUNNING", "{}: {step}", scenario.name),
                _ => {}
            }
            steps.entry(step.clone()).or_default().push(*name);
        }
        steps.remove("");
        let order = ["step.init", "STEP_INPUT", "STEP_OUTPUT", "step.end"];
        for (step, names) in steps {
            let places = names.iter().filter_map(|it| order.iter().position(|name| name == it));
            let places: Vec<usize> = places.collect();
            let once = |place: usize| places.iter().filter(|it| **it == place).count();
            assert_eq!((once(0), once(3)), (1, 1), "{}: {step} {names:?}", scenario.name);
            // A retry and a new wish send once more.
            let sorted = places.windows(2).all(|pair| pair[0] <= pair[1]);
            assert!(sorted, "{}: {step} {names:?}", scenario.name);
        }
    }
}

// B-044, B-047
#[tokio::test(start_paused = true)]
async fn the_last_events_of_a_flow_come_once_whenever_it_is_cancelled() {
    let finals = ["flow.success", "flow.failed", "flow.cancel"];
    for scenario in flows() {
        let run = undisturbed(&scenario).await;
        let all = run.opened_at()..run.entries.len() as u64;
        for seq in all.step_by(3) {
            let again = run.cancelled_after(seq).await;
            let all = pushed(&again.entries);
            let place = format!("{} after {seq}", scenario.name);
            let count = |name: &str| all.iter().filter(|(_, it, _)| *it == name).count();
            assert_eq!((count("executor.stop"), count("done")), (1, 1), "{place}");
            assert_eq!(finals.iter().map(|name| count(name)).sum::<usize>(), 1, "{place}");
            let tail: Vec<&str> = all.iter().rev().take(2).map(|(_, name, _)| *name).collect();
            assert_eq!(tail, ["done", "executor.stop"], "{place}");
            let cancelled = all.iter().filter(|(_, name, _)| *name == "step.cancel");
            let mut steps = BTreeSet::new();
            for (step, _, event) in cancelled {
                assert!(steps.insert(step), "{place}: {step} twice");
                let flow = &event.envelope.as_ref().unwrap().flow;
                assert_eq!(flow["stepStatus"], "CANCELLED", "{place}");
            }
        }
    }
}

// B-026
#[tokio::test(start_paused = true)]
async fn the_end_of_a_step_is_its_row_of_the_history_without_secrets() {
    let written = json!({
        "tools": [{"id": "put"}],
        "flow": {"flow": "rows", "nodes": [
            {"id": "a", "name": "first", "call": "put", "params": {"n": 1, "password": "p4ss"}},
        ]},
    });
    let run = undisturbed(&Scenario::of("rows", written)).await;
    let all = pushed(&run.entries);
    let (_, _, end) = all.iter().find(|(step, it, _)| step == "a" && *it == "step.end").unwrap();
    let envelope = end.envelope.as_ref().unwrap();
    let flow = &envelope.flow;
    assert_eq!(envelope.task, run.task.as_str());
    for (field, value) in [
        ("executorName", "rows"),
        ("executorStatus", "RUNNING"),
        ("stepId", "a"),
        ("stepName", "first"),
        ("stepType", "TOOL"),
        ("stepStatus", "SUCCESS"),
    ] {
        assert_eq!(flow[field], value, "{field}");
    }
    assert!(flow["executorId"].as_str().is_some_and(|id| !id.is_empty()));
    assert_eq!(end.data["inputData"], json!({"n": 1, "password": "***"}));
    assert_eq!(end.data["outputData"]["got"], json!({"n": 1, "password": "***"}));
    assert_eq!(end.data["extraData"], json!({"attempt": 1, "retries": 0, "error": null}));
}

// B-023
#[tokio::test(start_paused = true)]
async fn a_step_that_failed_gives_nothing_and_its_end_says_why() {
    let written = json!({
        "tools": [{"id": "bad"}],
        "world": {"bad": {"answers": ["failed"]}},
        "flow": {"flow": "fails", "nodes": [{"id": "a", "call": "bad", "params": {"n": 1}}]},
    });
    let run = undisturbed(&Scenario::of("fails", written)).await;
    let all = pushed(&run.entries);
    let of_a = |name: &str| {
        let found = all.iter().filter(|(step, it, _)| step == "a" && *it == name);
        found.map(|(_, _, event)| event).collect::<Vec<_>>()
    };
    let [output] = of_a("STEP_OUTPUT")[..] else { panic!("{all:?}") };
    assert_eq!(output.data, json!({}));
    assert_eq!(output.envelope.as_ref().unwrap().flow["stepStatus"], "ERROR");
    let [end] = of_a("step.end")[..] else { panic!("{all:?}") };
    assert_eq!(end.data["inputData"], json!({"n": 1}));
    assert_eq!(end.data["extraData"]["error"]["code"], "tool_failed", "{}", end.data);
}

// B-021, B-044
#[tokio::test(start_paused = true)]
async fn at_its_end_a_step_says_to_the_user_what_was_not_heard_yet() {
    let flow = flows().into_iter().find(|flow| flow.name == "convert_and_reply").unwrap();
    let run = undisturbed(&flow).await;
    let whole = "It is 35 degrees. {{x}}";
    for (heard, wanted) in [
        (&[][..], Some(json!({"text": whole}))),
        (&["It is ", "35"][..], Some(json!({"text": " degrees. {{x}}"}))),
        (&[whole][..], None),
        (&["It was"][..], Some(json!({"text": whole, "again": true}))),
    ] {
        let mut stream = SeedStream::new(SeedAudience::Developer, Lang::En);
        let mut texts = Vec::new();
        for entry in &run.entries {
            let of_say =
                matches!(&entry.event, Event::StepFinished { step, .. } if step.as_str() == "say");
            for words in heard.iter().filter(|_| of_say) {
                let said = stream.text(&"say".into(), words).unwrap();
                assert_eq!((said.event_type, &said.data), ("TEXT_ADD", &json!({"text": words})));
            }
            let told = stream.tell(entry).unwrap().into_iter();
            texts.extend(told.filter(|it| it.event_type == "TEXT_ADD").map(|it| it.data));
        }
        assert_eq!(texts, wanted.into_iter().collect::<Vec<_>>(), "after {heard:?}");
    }
}

// B-028
#[tokio::test(start_paused = true)]
async fn a_step_has_the_type_that_the_documents_give_its_call() {
    let wanted = [
        ("llm_text", "words", "LLM"),
        ("llm_text", "keep", "TOOL"),
        ("agent_one_call", "a", "AGENT"),
        ("sql_question", "q", "SQL"),
        ("sql_question", "q[1]/call_1", "SQL"),
        ("choice_first", "how", "CHOICE"),
        ("loop_over", "each", "LOOP"),
    ];
    for (name, step, kind) in wanted {
        let scenario = flows().into_iter().find(|scenario| scenario.name == name).unwrap();
        let run = undisturbed(&scenario).await;
        let all = pushed(&run.entries);
        let begun = all.iter().find(|(id, event, _)| id == step && *event == "step.init");
        let flow =
            &begun.unwrap_or_else(|| panic!("{name}: {step}")).2.envelope.as_ref().unwrap().flow;
        assert_eq!(flow["stepType"], kind, "{name}: {step}");
    }
}
