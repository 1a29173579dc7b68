//! Goals as data: what is wanted, what the world and the model answer, and how it must end.

use crate::drive::is_replayed;
use crate::goal_rig::{Pursued, all, continued, named};
use crate::goal_story::surprises;
use crate::ledger::InFlight;
use crate::simulate::settle;
use praxis_core::ask::purpose::Purpose;
use praxis_core::goal::spec::GoalDocument;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::lang::Lang;
use praxis_core::payload::Payload;
use praxis_core::replay::ReplayError;
use praxis_core::state::step::{Step, StepStatus};
use praxis_core::state::{State, TaskStatus};
use praxis_core::view::account::{Accounts, StepResolution};
use praxis_core::view::history::history;
use praxis_core::view::seed::{SeedAudience, SeedEvent, SeedStream};
use praxis_core::view::why::ValueOrigin;
use praxis_engine::arrival::TaskCommand;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::pursue::GoalRequest;
use praxis_engine::submit::SubmitError;
use praxis_testkit::goal::goal;
use praxis_testkit::world::{BEGINNING, EngineWorld, parts};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const BOTH: [InFlight; 2] = [InFlight::Unsent, InFlight::Acted];

#[tokio::test(start_paused = true)]
async fn every_goal_ends_as_its_file_says() {
    let pursuits = all();
    assert!(pursuits.len() > 60);
    let mut wrong = String::new();
    for pursuit in pursuits {
        let run = pursuit.run().await;
        let found = surprises(&run);
        if !found.is_empty() {
            let (name, story) = (&pursuit.name, run.story().join("\n    "));
            wrong.push_str(&format!("{name}: {}\n    {story}\n", found.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn every_goal_ends_the_same_after_a_crash_at_any_event() {
    let (mut crashes, mut wrong) = (0, String::new());
    for pursuit in all() {
        let run = pursuit.run().await;
        let free = &pursuit.file["after_crash"];
        let expected = if free.is_null() { run.end() } else { free.clone() };
        let places = 1..=run.entries.len() as u64;
        for (seq, in_flight) in places.flat_map(|seq| BOTH.map(|in_flight| (seq, in_flight))) {
            let again = run.crashed_after(seq, in_flight).await;
            let end = again.end();
            let differs =
                expected.as_object().unwrap().iter().find(|(key, value)| end[*key] != **value);
            let twice = again.effects().into_iter().find(|(_, count)| *count > 1);
            if differs.is_some() || twice.is_some() {
                let (name, story) = (&pursuit.name, again.story().join("\n    "));
                wrong.push_str(&format!(
                    "{name} after {seq}, {in_flight:?}: {differs:?} {twice:?}\n    {story}\n"
                ));
                break;
            }
            crashes += 1;
        }
    }
    println!("{crashes} crashes");
    assert!(wrong.is_empty(), "{wrong}");
}

// Invariant 9.
#[tokio::test(start_paused = true)]
async fn all_requests_after_the_choice_of_tools_begin_with_the_same_bytes() {
    for pursuit in all() {
        let run = pursuit.run().await;
        let asked = run.model.asked();
        let later: Vec<_> = asked.iter().filter(|asked| asked.stage != "selection").collect();
        let Some(first) = later.first() else { continue };
        for request in &later {
            assert_eq!(request.request.messages[0], first.request.messages[0], "{}", pursuit.name);
        }
        let constant = |text: &str| {
            text.split("# Tools").next().unwrap().split("# 工具").next().unwrap().len()
        };
        let head = &first.request.messages[0].content;
        for request in &asked {
            let text = &request.request.messages[0].content;
            assert_eq!(text.get(..constant(text)), head.get(..constant(text)), "{}", pursuit.name);
        }
        // The log is only ever added to.
        let told = later.iter().map(|asked| asked.request.messages[1].content.as_str());
        let logs: Vec<&str> = told.filter(|text| text.starts_with("# ")).collect();
        for pair in logs.windows(2) {
            assert!(
                pair[1].starts_with(pair[0]),
                "{}:\n{}\n---\n{}",
                pursuit.name,
                pair[0],
                pair[1]
            );
        }
    }
}

// A past goal is a test without outside calls: every decision and every reading of an answer is made anew.
#[tokio::test(start_paused = true)]
async fn every_goal_is_decided_alike_when_it_is_decided_anew() {
    let mut wrong = String::new();
    for pursuit in all() {
        let run = pursuit.run().await;
        let world =
            run.pursuit.world((&run.ledger, &run.journal, &run.blobs), &run.model, BEGINNING);
        if let Err(error) = is_replayed(&world, &run.entries).await {
            wrong.push_str(&format!("{}: {error:#?}\n", pursuit.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

// What came of work is an answer, but only where work is wanted.
#[tokio::test(start_paused = true)]
async fn a_choice_of_tools_and_a_reflection_that_nobody_wanted_part_a_replay_from_the_record() {
    for (name, kind) in [
        ("offline_composed", "tools_selected"),
        ("offline_goes_on_with_another_tool", "task_reflected"),
    ] {
        let run = named(name).run().await;
        let world =
            run.pursuit.world((&run.ledger, &run.journal, &run.blobs), &run.model, BEGINNING);
        let written = serde_json::to_value(&run.entries).unwrap();
        let at = written.as_array().unwrap().iter().position(|entry| entry["kind"] == kind);
        let at = at.unwrap_or_else(|| panic!("{name} has no {kind}: {written:#}"));
        let mut entries = run.entries.clone();
        entries.insert(at + 1, entries[at].clone());
        let parted = is_replayed(&world, &entries).await;
        let Err(ReplayError::Diverged(divergence)) = &parted else { panic!("{name}: {parted:?}") };
        assert_eq!(divergence.recorded["kind"], kind);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_spent_is_what_the_answers_cost() {
    for pursuit in all() {
        let run = pursuit.run().await;
        let mut total = 0;
        for entry in &run.entries {
            if let Event::AskFinished {
                outcome: AskOutcome::Answered { usage, .. } | AskOutcome::Failed { usage, .. },
                ..
            } = &entry.event
            {
                total += usage.prompt + usage.completion;
            }
        }
        let ledger = &run.state.ledger;
        assert_eq!(ledger.usage.prompt + ledger.usage.completion, total, "{}", pursuit.name);
        assert_eq!(ledger.reserved, 0, "{}", pursuit.name);
        let asks =
            run.entries.iter().filter(|e| matches!(e.event, Event::AskStarted { .. })).count();
        assert_eq!(ledger.model_calls, asks as u64);
    }
}

//
#[tokio::test(start_paused = true)]
async fn a_request_to_go_on_plans_only_the_rest_and_can_use_what_was_done() {
    let run = continued("继续执行").await;
    let story = run.story();
    assert_eq!(run.state.status(), TaskStatus::Completed, "{story:?}");
    assert!(story.iter().any(|line| line.starts_with("planned 2: step_2")), "{story:?}");
    assert!(!story.iter().any(|line| line.starts_with("step_1 #")), "{story:?}");
    let run = continued("创建一个继续教育培训的项目").await;
    assert!(
        run.story().iter().any(|line| line.starts_with("step_1 #1")),
        "it is a task of its own"
    );
}

fn codes(error: &SubmitError) -> Vec<&str> {
    let SubmitError::Refused(problems) = error else { panic!("{error:?}") };
    problems.iter().map(|problem| problem.code.as_str()).collect()
}

//
#[tokio::test(start_paused = true)]
async fn only_a_task_that_ended_and_has_steps_can_be_gone_on_with() {
    let after = async |name: &str| {
        let run = named(name).run().await;
        let parts = (&run.ledger, &run.journal, &run.blobs);
        let world = run.pursuit.world(parts, &run.model, BEGINNING);
        let mut next = goal("继续执行", world.tools.toolbox(), run.pursuit.options());
        next.continues = Some((run.task.clone(), None));
        world.engine.pursue(next).await.unwrap_err()
    };
    assert_eq!(codes(&after("nobody_approves").await), ["task_unfinished"]);
    assert_eq!(codes(&after("rejected").await), ["no_history"]);
}

//
#[tokio::test(start_paused = true)]
async fn a_history_that_is_handed_in_is_done_and_can_be_used() {
    let mut pursuit = named("plain");
    pursuit.file["goal"] = json!("继续执行");
    pursuit.file["model"] = json!({"strategy": [{"fails": "gone"}], "planning": [{"steps": [
        {"step_id": "b", "step_name": "second", "tool": "look", "parameters": {"x": "{{step_1.outputs.n}}"}}]}]});
    let history =
        json!([{"step_id": "step_1", "tool": "look", "status": "success", "output": {"n": 7}}]);
    pursuit.file["additional_info"] = json!({"execution_history": history});
    let run = pursuit.run().await;
    let story = run.story();
    assert_eq!(run.state.status(), TaskStatus::Completed, "{story:?}");
    assert!(story.iter().any(|line| line.starts_with("planned 2: step_2")), "{story:?}");
    assert!(!story.iter().any(|line| line.starts_with("step_1 #")), "{story:?}");
    let used = run.entries.iter().any(|entry| {
        let seven = praxis_core::payload::Payload::json(json!({"x": 7}));
        matches!(&entry.event, Event::StepStarted { arguments, .. } if *arguments == seven)
    });
    assert!(used, "its output is there: {story:?}");
}

#[tokio::test(start_paused = true)]
async fn a_finished_goal_is_completed_only_once() {
    let run = named("plain").run().await;
    assert_eq!(run.state.status(), TaskStatus::Completed);
    let learn = run
        .entries
        .iter()
        .filter(|e| matches!(&e.event, Event::AskStarted { purpose: Purpose::Learn, .. }));
    assert_eq!(learn.count(), 1);
}

fn told(run: &Pursued, audience: SeedAudience) -> Vec<SeedEvent> {
    let mut stream = SeedStream::new(audience, Lang::Zh);
    run.entries.iter().flat_map(|entry| stream.tell(entry).unwrap()).collect()
}

//
#[tokio::test(start_paused = true)]
async fn the_documents_events_come_in_their_order_and_users_see_only_five_kinds() {
    let mut names = std::collections::BTreeSet::new();
    for name in ["plain", "full_replan", "retry_with_params", "plan_fails"] {
        let run = named(name).run().await;
        let all = told(&run, SeedAudience::Developer);
        names.extend(all.iter().map(|event| event.event_type));
        let waits = all
            .iter()
            .filter(|e| e.event_type == "LLM_STREAM_CHUNK" && e.data["chunk_type"] == "START");
        let ends = all
            .iter()
            .filter(|e| e.event_type == "LLM_STREAM_CHUNK" && e.data["chunk_type"] != "START");
        assert_eq!(waits.count(), ends.count(), "{name}: every phase that was announced ended");
        assert!(all.windows(2).all(|pair| pair[0].sequence <= pair[1].sequence));
        let last = all
            .iter()
            .rev()
            .find(|e| e.event_type.starts_with("TASK_COMPLETED") || e.event_type == "TASK_FAILED");
        assert!(last.is_some(), "{name}");
        let context = all.iter().find(|e| e.event_type == "CONTEXT_ENGINEERING").unwrap();
        let until: Vec<Entry> =
            run.entries.iter().filter(|e| e.seq <= context.sequence).cloned().collect();
        let file = history(&until, &Accounts::read(&until).unwrap(), Lang::Zh);
        assert_eq!(context.data["formatted_text"], file, "the same text as the file");
        let users = told(&run, SeedAudience::User);
        let five = ["TASK_WAIT", "STATUS_UPDATE", "TASK_RESULT", "TASK_COMPLETED", "TASK_FAILED"];
        assert!(users.iter().all(|event| five.contains(&event.event_type)), "{name}");
        assert!(
            users
                .iter()
                .all(|event| event.message.chars().count() <= 120
                    || event.event_type == "TASK_FAILED")
        );
        assert!(users.iter().any(|event| event.message.contains('（')) || name == "plan_fails");
    }
    for wanted in [
        "STATUS_UPDATE",
        "PLAN_GENERATED",
        "STEP_STARTED",
        "STEP_COMPLETED",
        "STEP_FAILED",
        "EVALUATION_COMPLETED",
        "REFLECTION_COMPLETED",
        "TASK_COMPLETED",
        "TASK_FAILED",
        "TASK_EXPERIENCE",
        "LLM_STREAM_CHUNK",
        "TASK_RESULT",
        "TASK_WAIT",
        "CONTEXT_ENGINEERING",
    ] {
        assert!(names.contains(wanted), "{wanted}");
    }
}

/// What clients see of a run, under an id as tasks have it.
fn seen(run: &Pursued) -> Vec<Value> {
    let mut state = State::default();
    let mut events = Vec::new();
    for entry in &run.entries {
        state.apply(entry).unwrap();
        events.extend(praxis_core::view::stream::views(&state, entry));
    }
    let told = events.iter().map(|event| {
        let mut event = serde_json::to_value(event).unwrap();
        event["id"] = json!("task_0/1/0");
        let subject = event["subject"].as_str().unwrap().replace(run.task.as_str(), "task_0");
        event["subject"] = json!(subject);
        event
    });
    told.collect()
}

#[tokio::test(start_paused = true)]
async fn every_event_that_clients_see_of_a_goal_fits_the_published_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/event.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let schema = praxis_core::schema::Schema::compile(&schema).unwrap();
    let mut wrong = String::new();
    for pursuit in all() {
        for event in seen(&pursuit.run().await) {
            let errors = schema.errors(&event);
            if !errors.is_empty() {
                wrong.push_str(&format!("{}: {event}\n  {errors:?}\n", pursuit.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.chars().take(4000).collect::<String>());
}

// A fork of a goal is its plan as it stands: revised, without a model, with what is done kept.
#[tokio::test(start_paused = true)]
async fn a_goal_that_was_planned_anew_can_be_forked() {
    for name in ["full_replan", "adjust_dependencies", "skip_steps", "add_remediation"] {
        let run = named(name).run().await;
        let world =
            run.pursuit.world((&run.ledger, &run.journal, &run.blobs), &run.model, BEGINNING);
        let parts = EngineParts {
            new_id: Box::new(|| TaskId::from("task_forked")),
            ..parts(
                Arc::new(run.journal.clone()),
                Arc::new(run.blobs.clone()),
                Arc::new(world.tools.clone()),
            )
        };
        let engine = Engine::new(parts);
        let last = run.state.result_of.last().unwrap().clone();
        let fork = praxis_engine::fork::ForkOrder {
            task: run.task.clone(),
            at: praxis_engine::fork::ForkPoint::Step(last.clone()),
            set: serde_json::Map::new(),
            overrides: BTreeMap::new(),
            effects: praxis_core::journal::submission::EffectMode::Real,
            by: "lin".to_owned(),
        };
        let task = engine.fork(fork).await.unwrap_or_else(|error| panic!("{name}: {error:?}")).task;
        let world = EngineWorld { engine, ..world };
        let state = settle(&world, &task).await;
        assert_eq!(state.status(), TaskStatus::Completed, "{name}");
        let again = state.steps.iter().filter(|step| step.attempt > 0);
        assert_eq!(again.map(|step| &step.plan.id).collect::<Vec<_>>(), [&last], "{name}");
    }
}

// Whoever cancels wants an end: nothing is looked back on, and what broke off costs what was read and heard.
#[tokio::test(start_paused = true)]
async fn a_cancelled_goal_asks_no_model_any_more_and_pays_for_what_was_heard() {
    let mut pursuit = named("plain");
    pursuit.file["piece_ms"] = json!(1000);
    let (ledger, journal, blobs) = Default::default();
    let model = pursuit.model();
    let world = pursuit.world((&ledger, &journal, &blobs), &model, BEGINNING);
    let wanted = goal(pursuit.words(), world.tools.toolbox(), pursuit.options());
    let task = world.engine.pursue(wanted).await.unwrap().task;
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let cancel = TaskCommand::Cancel { reason: "enough".to_owned(), by: "test".to_owned() };
    world.engine.command(&task, cancel).await.unwrap();
    let state = settle(&world, &task).await;
    assert_eq!(state.status(), TaskStatus::Cancelled);
    assert_eq!(model.asked().len(), 1, "{:?}", model.asked().last().map(|asked| &asked.stage));
    let entries = world.journal.entries(&task);
    let reserved = entries.iter().find_map(|entry| match &entry.event {
        Event::AskStarted { reserved, .. } => Some(*reserved),
        _ => None,
    });
    let usage = state.ledger.usage;
    assert_eq!((usage.prompt, usage.estimated), (reserved.unwrap().prompt, true));
    assert_eq!(usage.completion, 6, "one piece of 24 letters was heard");
}

/// Something else in a goal.
type Change = Box<dyn Fn(&mut GoalRequest)>;

// One key cannot mean two things, whatever it was that the caller changed.
#[tokio::test(start_paused = true)]
async fn the_same_key_with_anything_else_in_it_is_refused() {
    let pursuit = named("plain");
    let (ledger, journal, blobs) = Default::default();
    let world = pursuit.world((&ledger, &journal, &blobs), &pursuit.model(), BEGINNING);
    let count = std::sync::atomic::AtomicU32::new(0);
    let next = move || count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let engine = Engine::new(EngineParts {
        new_id: Box::new(move || TaskId::from(format!("task_{}", next()))),
        models: Arc::new(pursuit.model()),
        ..parts(Arc::new(journal), Arc::new(blobs), Arc::new(world.tools.clone()))
    });
    let asked = || {
        let mut wanted = goal(pursuit.words(), world.tools.toolbox(), pursuit.options());
        wanted.idempotency_key = Some("key".to_owned());
        let own = json!({"id": "own", "name": {"en": "own", "zh": "own"}, "steps": []});
        wanted.workflows = vec![serde_json::from_value(own).unwrap()];
        wanted
    };
    let task = engine.pursue(asked()).await.unwrap().task;
    let mut same = asked();
    // What was looked up is not what was asked.
    same.advisers.values_mut().for_each(|adviser| adviser.context += 1);
    assert_eq!(engine.pursue(same).await.unwrap().task, task);
    let document = GoalDocument {
        name: "a.md".to_owned(),
        content: Payload::json(json!("text")),
        doc_type: String::new(),
        description: String::new(),
    };
    let changes: [(&str, Change); 8] = [
        ("document", Box::new(move |goal| goal.material.documents.push(document.clone()))),
        ("preference", Box::new(|goal| goal.material.user_preferences.push("short".to_owned()))),
        ("schema", Box::new(|goal| goal.output_schema = Some(json!({"type": "string"})))),
        ("scene", Box::new(|goal| goal.scene = Some("tool_management".to_owned()))),
        ("workflow", Box::new(|goal| goal.workflow = Some("own".to_owned()))),
        ("words", Box::new(|goal| goal.goal.push('!'))),
        ("tag", Box::new(|goal| drop(goal.tags.insert("a".to_owned(), "b".to_owned())))),
        ("model", Box::new(|goal| goal.advisers.values_mut().for_each(|it| it.model.push('2')))),
    ];
    for (what, change) in changes {
        let mut other = asked();
        change(&mut other);
        let refused = engine.pursue(other).await;
        assert!(matches!(refused, Err(SubmitError::KeyMismatch(_))), "{what}: {refused:?}");
    }
}

// Steps that a later plan gave up are no part of what is to be done.
#[tokio::test(start_paused = true)]
async fn progress_counts_no_step_that_a_later_plan_gave_up() {
    let mut given_up = 0;
    for pursuit in all() {
        let run = pursuit.run().await;
        let stays = |step: &&Step| !step.dropped || step.status == StepStatus::Success;
        let staying = run.state.steps.iter().filter(stays).count();
        assert_eq!(run.state.progress().1, staying, "{}", pursuit.name);
        given_up += run.state.steps.len() - staying;
    }
    assert!(given_up > 0, "some plan was given up");
    let run = named("full_replan").run().await;
    let (done, total) = run.state.progress();
    assert_eq!(done, total, "a completed task has done all that counts");
}

// What becomes of a call whose step was given up is recorded, and nothing can read it.
#[tokio::test(start_paused = true)]
async fn a_late_result_is_seen_and_never_used() {
    let run = named("late_read").run().await;
    let ended = run.entries.iter().any(
        |entry| matches!(&entry.event, Event::StepFinished { step, .. } if step.as_str() == "step_1"),
    );
    assert!(ended, "it is in the journal");
    let step = run.state.step("step_1").unwrap();
    assert_eq!((step.status, step.dropped), (StepStatus::Skipped, true));
    let index = run.state.context.index_of("step_1").unwrap();
    assert!(run.state.context.result(index).is_none());
}

// what a rule left out is told to those who judge and answer, and to whoever asks why.
#[tokio::test(start_paused = true)]
async fn what_a_rule_left_out_is_told_to_the_judge_and_to_people() {
    let run = named("empty_widened").run().await;
    let left_out = "without `language`: nothing was found with it";
    let told = run.model.asked().into_iter().any(|asked| {
        asked.stage == "evaluation"
            && asked.request.messages.iter().any(|message| message.content.contains(left_out))
    });
    assert!(told, "the judge knows");
    let reasons = Accounts::read(&run.entries).unwrap().reasons(&"step_1".into());
    let source = |pointer: &str| reasons.iter().find(|it| it.pointer == pointer).unwrap();
    let language = source("/language");
    assert_eq!(language.value, None, "it was not sent");
    let rule = ValueOrigin::Rule { reason: left_out.to_owned(), left_out: true };
    assert_eq!(language.source, rule);
    assert_eq!(source("/since").source, ValueOrigin::Literal, "what nobody may leave out stays");
}

// A read that the new plan wants too is not made a second time, and is told like any other call.
#[tokio::test(start_paused = true)]
async fn a_read_that_is_under_way_is_taken_over_by_the_new_plan() {
    let run = named("read_taken_over").run().await;
    let called = run.called_since();
    assert!(called.contains("step_1") && !called.contains("step_3"), "{called:?}");
    let state = &run.state;
    assert_eq!(state.step("step_1").unwrap().status, StepStatus::Skipped);
    assert_eq!(state.step("step_3").unwrap().status, StepStatus::Success);
    let accounts = Accounts::read(&run.entries).unwrap();
    assert_eq!(accounts.how(&"step_3".into()), StepResolution::Called);
    let reasons = accounts.reasons(&"step_3".into());
    assert_eq!(reasons[0].value, Some(json!(1)), "{reasons:?}");
}

// A change that is on its way is not given up: the next plan would make it again.
#[tokio::test(start_paused = true)]
async fn a_write_that_is_under_way_is_kept_when_the_rest_is_planned_anew() {
    let run = named("late_write").run().await;
    let step = run.state.step("step_1").unwrap();
    assert_eq!((step.status, step.dropped), (StepStatus::Success, false));
    let kept = run.model.asked().iter().any(|asked| {
        asked.stage == "replanning"
            && asked.request.messages.last().unwrap().content.contains("… step_1 (pay)")
    });
    assert!(kept, "the next plan is told of it");
}
