//! B-046: calls that wait until a person approves of them, in plans, flows and goals alike.

use crate::goal_rig;
use praxis_core::call::approval::{ByRisk, CallPolicy, Policy};
use praxis_core::fault::Fault;
use praxis_core::ids::TaskId;
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::question::{Question, QuestionAnswer, QuestionSubject};
use praxis_core::journal::submission::EffectMode;
use praxis_core::lang::Lang;
use praxis_core::state::step::StepStatus;
use praxis_core::state::{State, TaskStatus};
use praxis_core::view::seed::{SeedAudience, SeedStream};
use praxis_core::view::stream::views;
use praxis_engine::arrival::CommandError;
use praxis_engine::arrival::{CommandRefusal, TaskCommand};
use praxis_engine::fork::{ForkOrder, ForkPoint};
use praxis_engine::order::ClientOrder;
use praxis_testkit::tools::{ScriptedTools, ToolScript};
use praxis_testkit::world::EngineWorld;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A world in which everything that changes something is asked for.
fn asking(tools: ScriptedTools) -> EngineWorld {
    let settings = ByRisk::changes(CallPolicy::Ask);
    let approval = Policy { settings, ..Policy::default() };
    EngineWorld {
        options: RunOptions { approval, ..RunOptions::default() },
        ..EngineWorld::new(tools)
    }
}

fn pay() -> ScriptedTools {
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["amount"], "properties": {
        "amount": {"type": "integer", "maximum": 1000}, "note": {"type": "string"}, "api_key": {"type": "string"}}});
    ScriptedTools::default()
        .answering(json!({"id": "look", "risk": "read"}), |_| Ok(json!({"amount": 50})))
        .answering(json!({"id": "pay", "risk": "irreversible", "input_schema": schema}), |call| {
            Ok(json!({"paid": call.arguments["amount"]}))
        })
}

fn plan() -> Value {
    json!({"steps": [
        {"step_id": "a", "tool": "look"},
        {"step_id": "b", "tool": "pay", "parameters": {"amount": "{{a.outputs.amount}}", "api_key": "k-123"}},
    ]})
}

fn only(state: &State) -> Question {
    assert_eq!(state.questions.len(), 1);
    state.questions.values().next().unwrap().clone()
}

async fn answer(
    world: &EngineWorld,
    task: &TaskId,
    answer: QuestionAnswer,
) -> Result<State, CommandRefusal> {
    let question = only(&world.settle(task).await).id;
    let answer = TaskCommand::Answer { question, answer, by: "lin".to_owned() };
    match world.engine.command(task, answer).await {
        Ok(()) => Ok(world.settle(task).await),
        Err(CommandError::Refused(refusal)) => Err(refusal),
        Err(other) => panic!("{other}"),
    }
}

fn values(pairs: &[(&str, Value)]) -> QuestionAnswer {
    let values = pairs.iter().map(|(at, value)| ((*at).to_owned(), value.clone()));
    QuestionAnswer::Values { values: values.collect() }
}

#[tokio::test(start_paused = true)]
async fn a_plan_waits_before_a_call_that_cannot_be_changed_back_and_says_what_it_would_do() {
    let world = asking(pay());
    let task = world.submit(&plan(), json!({})).await.unwrap().task;
    let state = world.settle(&task).await;
    assert_eq!((state.status(), state.waits_for()), (TaskStatus::Waiting, Some("approval")));
    assert_eq!((world.tools.calls_of("a"), world.tools.calls_of("b")), (1, 0));
    let question = only(&state);
    let told = serde_json::to_value(question.told()).unwrap();
    assert_eq!(
        told["arguments"],
        json!({"amount": 50, "api_key": "***"}),
        "what is secret is hidden"
    );
    assert_eq!((&told["risk"], &told["asked_by"]), (&json!("irreversible"), &json!("settings")));
    assert_eq!(told["key"], json!(format!("{task}/b~1")));
    assert!(told.get("draft").is_none() && !told.to_string().contains("k-123"));
    let entries = world.journal.entries(&task);
    let view = views(&state, entries.last().unwrap());
    assert!(view[0].data["risk_words"].as_str().unwrap().contains("cannot be undone"));
    for (lang, words) in [(Lang::En, "cannot be undone"), (Lang::Zh, "无法撤销")] {
        let mut seed = SeedStream::new(SeedAudience::Developer, lang);
        let told: Vec<_> = entries.iter().flat_map(|entry| seed.tell(entry).unwrap()).collect();
        let waits = told.iter().find(|event| event.data.get("question_id").is_some()).unwrap();
        assert!(waits.message.contains(words) && waits.message.contains("`pay`"), "{waits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_approved_is_made_once_and_as_it_was_shown() {
    let world = asking(pay());
    let task = world.submit(&plan(), json!({})).await.unwrap().task;
    let state = answer(&world, &task, QuestionAnswer::Approve).await.unwrap();
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(
        world.tools.calls().last().unwrap().arguments,
        json!({"amount": 50, "api_key": "k-123"})
    );
    assert_eq!(state.questions_asked, 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_is_refused_field_by_field_and_the_question_stays_open() {
    let world = asking(pay());
    let task = world.submit(&plan(), json!({})).await.unwrap().task;
    let wrong = [
        (values(&[("/amount", json!("much")), ("/note", json!(7))]), vec!["/amount", "/note"]),
        (values(&[("/amount", json!(5000))]), vec!["/amount"]),
        (values(&[("/amuont", json!(5))]), vec!["/amuont"]),
        (values(&[]), vec![""]),
        (QuestionAnswer::DoAgain, vec![""]),
        (QuestionAnswer::Said { text: "yes".to_owned() }, vec![""]),
    ];
    world.settle(&task).await;
    for (wrong, places) in wrong {
        let before = world.journal.entries(&task).len();
        let Err(CommandRefusal::BadAnswer(errors)) = answer(&world, &task, wrong.clone()).await
        else {
            panic!("{wrong:?} was taken");
        };
        let found: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(found, places, "{wrong:?}");
        assert_eq!(world.journal.entries(&task).len(), before, "nothing was written");
    }
    let state = answer(&world, &task, values(&[("/amount", json!(10))])).await.unwrap();
    assert_eq!(state.status(), TaskStatus::Completed);
    assert_eq!(world.tools.calls().last().unwrap().arguments["amount"], 10);
    let given = &state.step("b").unwrap().given["/amount"];
    assert_eq!(
        (given.by.as_str(), given.question.is_some()),
        ("lin", true),
        "who changed what is kept"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_arguments_changed_while_it_waited_is_asked_for_again() {
    let late: ToolScript = Arc::new(|_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_mins(1)).await;
            Ok(json!({"amount": 70}))
        })
    });
    let world = asking(pay().with(json!({"id": "late", "risk": "read"}), late));
    let plan = json!({"steps": [
        {"step_id": "a", "tool": "late"},
        {"step_id": "b", "tool": "pay", "parameters": {"amount": "{{amount}}"}},
    ]});
    let task = world.submit(&plan, json!({"amount": 50})).await.unwrap().task;
    let shown = |state: &State| match only(state).about {
        QuestionSubject::Approval { arguments, .. } => arguments["amount"].clone(),
        other => panic!("{other:?}"),
    };
    let state = world.settle(&task).await;
    assert_eq!(state.step("a").unwrap().status, StepStatus::Success);
    assert_eq!(shown(&state), 50);
    let state = answer(&world, &task, QuestionAnswer::Approve).await.unwrap();
    assert_eq!(
        (shown(&state), world.tools.calls_of("b")),
        (json!(70), 0),
        "it was not what was approved"
    );
    let state = answer(&world, &task, QuestionAnswer::Approve).await.unwrap();
    assert_eq!((state.status(), state.questions_asked), (TaskStatus::Completed, 2));
    assert_eq!(world.tools.calls().last().unwrap().arguments["amount"], 70);
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_is_never_made_and_a_retry_asks_again_under_the_same_policy() {
    let world = asking(pay());
    let task = world.submit(&plan(), json!({})).await.unwrap().task;
    let reason = "too dear".to_owned();
    let state = answer(&world, &task, QuestionAnswer::GiveUp { reason }).await.unwrap();
    assert_eq!(state.status(), TaskStatus::Failed);
    let fault = state.step("b").unwrap().fault.clone().unwrap();
    assert_eq!(fault.code(), "call_denied");
    assert_eq!(fault.message(Lang::En), "`pay` was denied: too dear");
    assert!(matches!(fault, Fault::CallDenied { by: None, .. }));
    let by = "lin".to_owned();
    let retry = ClientOrder::Retry { task: task.clone(), from: None, current: None, by };
    world.engine.carry_out(retry).await.unwrap();
    assert_eq!(world.settle(&task).await.waits_for(), Some("approval"));
    let state = answer(&world, &task, QuestionAnswer::Approve).await.unwrap();
    assert_eq!((state.status(), world.tools.calls_of("b")), (TaskStatus::Completed, 1));
}

#[tokio::test(start_paused = true)]
async fn a_fork_keeps_the_policy_even_where_its_effects_are_real() {
    let world = asking(pay());
    let task = world.submit(&plan(), json!({})).await.unwrap().task;
    answer(&world, &task, QuestionAnswer::Approve).await.unwrap();
    let fork = |effects| ForkOrder {
        task: task.clone(),
        at: ForkPoint::Step("b".into()),
        set: Map::new(),
        overrides: BTreeMap::new(),
        effects,
        by: "lin".to_owned(),
    };
    for (effects, waits_for) in [
        (EffectMode::Real, Some("approval")),
        (EffectMode::Ask, Some("approval")),
        (EffectMode::Simulate, None),
    ] {
        let order = ClientOrder::Fork(Box::new(fork(effects)));
        let forked = world.engine.carry_out(order).await.unwrap().tasks[0].clone();
        assert_eq!(world.settle(&forked).await.waits_for(), waits_for, "{effects:?}");
    }
    assert_eq!(world.tools.calls_of("b"), 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_plans_anew_reads_why_a_call_was_denied() {
    let run = goal_rig::named("denied_call_is_planned_around").run().await;
    let asked = run.model.asked();
    for stage in ["reflection_overall", "replanning"] {
        let prompt = asked.iter().find(|asked| asked.stage == stage).unwrap();
        let text: String = prompt.request.messages.iter().map(|m| m.content.as_str()).collect();
        assert!(text.contains("too dear"), "{stage}: {text}");
    }
}
