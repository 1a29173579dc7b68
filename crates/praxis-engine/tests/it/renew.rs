//! A flow that failed goes on: as it was, whatever became of its file; or as it is now.

use praxis_core::fault::Fault;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::journal::event::Event;
use praxis_core::payload::Payload;
use praxis_core::state::step::StepStatus;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::order::ClientOrder;
use praxis_engine::refused::OrderRefused;
use praxis_engine::renew::RenewOrder;
use praxis_testkit::tools::{ScriptedTools, tool};
use praxis_testkit::world::EngineWorld;
use serde_json::{Value, json};

fn failed(message: &str) -> Fault {
    let message = message.to_owned();
    Fault::ToolFailed {
        tool: tool("bad"),
        message,
        message_zh: String::new(),
        retryable: false,
        retry_after_ms: None,
    }
}

fn world() -> EngineWorld {
    let hang = |_: praxis_engine::seams::Invocation| -> futures::future::BoxFuture<'static, _> {
        Box::pin(futures::future::pending())
    };
    let tools = ScriptedTools::default()
        .answering(json!({"id": "put"}), |call| Ok(json!({"put": call.arguments})))
        .answering(json!({"id": "bad"}), |_| Err(failed("it is broken")))
        .with(json!({"id": "hang", "timeout": "1s"}), std::sync::Arc::new(hang));
    EngineWorld::new(tools)
}

fn bundle(flow: &Value) -> Bundle {
    let mut findings = FlowProblems::default();
    let flow = read(flow, &mut findings);
    assert_eq!(findings.problems, []);
    Bundle { flow, ..Bundle::default() }
}

/// A choice, a loop and a step beside them, all of which succeed; then `calls`, which may not.
fn flow(calls: &str) -> Value {
    json!({
        "flow": "story",
        "inputs": {"who": {"type": "string"}, "size": {"type": "integer", "default": 3}},
        "nodes": [
            {"id": "first", "call": "put", "params": {"who": "{{who}}"}},
            {"id": "how", "call": "Choice", "otherwise": "small", "branches": [
                {"id": "big", "all": [{"left": "{{size}}", "is": "greater", "right": 2}]},
            ]},
            {"id": "each", "call": "Loop", "over": [1, 2], "nodes": [
                {"id": "in", "call": "put", "params": {"n": "{{item}}"}},
            ]},
            {"id": "small", "call": "put"},
            {"id": "last", "call": calls, "params": {"was": "{{first.outputs.put.who}}"}},
            {"id": "beside", "call": "put"},
        ],
        "edges": ["first -> how", "how.big -> each -> last", "how.small -> small"],
        "start": ["first", "beside"],
        "outputs": {"last": "{{last.outputs.put.was}}"},
    })
}

async fn run(world: &EngineWorld, flow: &Value) -> TaskId {
    let request = world.flow_request(bundle(flow), json!({"who": "Lin"}));
    let task = world.engine.submit(request).await.unwrap().task;
    world.settle(&task).await;
    task
}

fn renewed(world: &EngineWorld, task: &TaskId, flow: &Value) -> RenewOrder {
    let (toolbox, by) = (world.tools.toolbox(), "lin".to_owned());
    RenewOrder { task: task.clone(), flow: bundle(flow), toolbox, step_model: None, from: None, by }
}

async fn renew(world: &EngineWorld, renew: RenewOrder) -> Result<(TaskId, State), OrderRefused> {
    let receipt = world.engine.carry_out(ClientOrder::Renew(Box::new(renew))).await?;
    let task = receipt.tasks[0].clone();
    let state = world.settle(&task).await;
    Ok((task, state))
}

/// The steps whose results were taken over, and those that were called.
fn kept_and_called(world: &EngineWorld, task: &TaskId) -> (Vec<String>, Vec<String>) {
    let (mut kept, mut called) = (vec![], vec![]);
    for entry in world.journal.entries(task) {
        match entry.event {
            Event::StepInherited { step, .. } => kept.push(step.to_string()),
            Event::StepStarted { step, .. } => called.push(step.to_string()),
            _ => {}
        }
    }
    kept.sort();
    (kept, called)
}

fn result(state: &State) -> Value {
    let index = state.result_of.first().and_then(|id| state.context.index_of(id.as_str()));
    match &state.context.result(index.unwrap()).unwrap().output {
        Payload::Json(value) => (**value).clone(),
        Payload::Blob(_) => Value::Null,
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_done_and_as_it_was_is_kept_and_the_rest_is_done_in_the_new_version() {
    let world = world();
    let task = run(&world, &flow("bad")).await;
    let (new, state) = renew(&world, renewed(&world, &task, &flow("put"))).await.unwrap();
    assert_eq!(state.status(), TaskStatus::Completed, "{}", world.trace(&new));
    assert_eq!(result(&state), json!({"last": "Lin"}));
    let (kept, called) = kept_and_called(&world, &new);
    assert_eq!(kept, ["beside", "each", "first", "how"]);
    assert_eq!(called, ["last", "outputs"]);
    assert_eq!(state.step("small").unwrap().status, StepStatus::Skipped);
    let submission = state.submission.as_ref().unwrap();
    assert_eq!(submission.parent.as_ref().unwrap().task, task);
    assert_eq!(submission.flow.as_ref().unwrap().version, bundle(&flow("put")).version());
    let old = world.settle(&task).await;
    assert_eq!(old.status(), TaskStatus::Failed, "what happened stays as it was");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_changed_is_done_anew_and_so_is_what_comes_after_it() {
    let world = world();
    let task = run(&world, &flow("bad")).await;
    let mut now = flow("put");
    now["nodes"][2]["over"] = json!([7]);
    now["nodes"][5]["name"] = json!("only for people");
    let (new, state) = renew(&world, renewed(&world, &task, &now)).await.unwrap();
    assert_eq!(state.status(), TaskStatus::Completed);
    let (kept, called) = kept_and_called(&world, &new);
    assert_eq!(kept, ["beside", "first", "how"]);
    assert_eq!(called, ["each", "each[1]/in", "last", "outputs"]);
}

#[tokio::test(start_paused = true)]
async fn nodes_may_come_and_go_and_inputs_too() {
    let world = world();
    let task = run(&world, &flow("bad")).await;
    let now = json!({
        "flow": "story",
        "inputs": {"who": {"type": "string"}, "mood": {"type": "string", "default": "calm"}},
        "nodes": [
            {"id": "first", "call": "put", "params": {"who": "{{who}}"}},
            {"id": "new", "call": "put", "params": {"how": "{{mood}}"}},
        ],
        "edges": ["first -> new"],
        "outputs": {"mood": "{{new.outputs.put.how}}"},
    });
    let (new, state) = renew(&world, renewed(&world, &task, &now)).await.unwrap();
    assert_eq!(result(&state), json!({"mood": "calm"}));
    assert_eq!(kept_and_called(&world, &new).0, ["first"]);
    let names: Vec<&str> = state.context.initial().keys().map(|name| &**name).collect();
    assert_eq!(names, ["mood", "session_id", "who"]);
}

#[tokio::test(start_paused = true)]
async fn from_a_step_on_everything_is_done_anew() {
    let world = world();
    let task = run(&world, &flow("bad")).await;
    let from = |step: &str| {
        let from = Some(StepId::from(step));
        RenewOrder { from, ..renewed(&world, &task, &flow("put")) }
    };
    let (new, _) = renew(&world, from("how")).await.unwrap();
    assert_eq!(kept_and_called(&world, &new).0, ["beside", "first"]);
    let refused = renew(&world, from("nowhere")).await.unwrap_err();
    assert_eq!(refused.problems[0].code, "unknown_step");
}

async fn refusal(world: &EngineWorld, task: &TaskId, flow: &Value) -> String {
    renew(world, renewed(world, task, flow)).await.unwrap_err().problems[0].to_string()
}

#[tokio::test(start_paused = true)]
async fn where_the_new_version_cannot_go_on_it_is_said_why_and_nothing_is_begun() {
    let world = world();
    let task = run(&world, &flow("bad")).await;
    let calls = world.tools.calls().len();
    let mut other = flow("put");
    other["flow"] = json!("tale");
    let said = refusal(&world, &task, &other).await;
    assert!(said.starts_with("flow_changed: flow: the task ran the flow `story`"), "{said}");
    let mut more = flow("put");
    more["inputs"]["mood"] = json!({"type": "string"});
    let said = refusal(&world, &task, &more).await;
    assert!(said.contains("missing input `mood`") && said.contains("a default"), "{said}");
    let said = refusal(&world, &task, &flow("gone")).await;
    assert!(said.starts_with("flow_call"), "{said}");
    let done = run(&world, &flow("put")).await;
    let said = refusal(&world, &done, &flow("put")).await;
    assert!(said.starts_with("task_completed"), "{said}");
    assert_eq!(world.tools.calls().len(), calls + 5, "those of the second task");
}

#[tokio::test(start_paused = true)]
async fn a_call_in_doubt_is_settled_before_another_version_goes_on() {
    let world = world();
    let request = world.flow_request(bundle(&flow("hang")), json!({"who": "Lin"}));
    let task = world.engine.submit(request).await.unwrap().task;
    let waiting = world.settle(&task).await;
    assert_eq!(waiting.step("last").unwrap().status, StepStatus::InDoubt);
    let said = refusal(&world, &task, &flow("put")).await;
    assert!(said.starts_with("task_running"), "{said}");
    let (reason, by) = (String::new(), "lin".to_owned());
    world.engine.carry_out(ClientOrder::Cancel { task: task.clone(), reason, by }).await.unwrap();
    world.settle(&task).await;
    let said = refusal(&world, &task, &flow("put")).await;
    assert!(said.contains("whether the call of step `last` took effect"), "{said}");
    assert!(said.contains("--with original"), "{said}");
}
