//! Calls that a program brings along: how they are taken in, initialised and found, and what becomes of a
//! step whose call cannot be had.

use futures::StreamExt;
use futures::future::BoxFuture;
use praxis_core::call::chunk::OutputChunk;
use praxis_core::call::risk::Risk;
use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::fault::Fault;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use praxis_core::ids::TaskId;
use praxis_core::state::step::StepStatus;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::engine::Engine;
use praxis_engine::registry::{NativeCall, Registry};
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream};
use praxis_engine::submit::{PlanRequest, SubmitError};
use praxis_engine::tools::{ReadyTools, ToolError};
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::{EngineWorld, parts};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

#[allow(dead_code, unreachable_pub, reason = "it is a program too")]
#[path = "../../examples/native_call.rs"]
mod native_call;

/// Gives what it is told to give; notes what it goes through.
#[derive(Clone)]
struct Native {
    tool: Tool,
    gives: Value,
    /// What `init` says, attempt by attempt; nothing more is in order.
    refuses: Vec<Fault>,
    seen: Arc<Mutex<Vec<(&'static str, Invocation)>>>,
}

impl Native {
    fn new(tool: Tool) -> Self {
        Self { tool, gives: json!({"done": true}), refuses: vec![], seen: Arc::default() }
    }

    fn seen(&self) -> Vec<(&'static str, Invocation)> {
        self.seen.lock().unwrap().clone()
    }
}

impl NativeCall for Native {
    fn info(&self) -> Tool {
        self.tool.clone()
    }

    fn init<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<(), FailedCall>> {
        self.seen.lock().unwrap().push(("init", invocation.clone()));
        let fault = self.refuses.get(invocation.attempt as usize - 1).cloned();
        Box::pin(async move { fault.map_or(Ok(()), |fault| Err(fault.into())) })
    }
}

impl Callable for Native {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        self.seen.lock().unwrap().push(("exec", invocation));
        futures::stream::iter([Ok(OutputChunk::Data(self.gives.clone()))]).boxed()
    }
}

fn native(id: &str) -> Tool {
    Tool { risk: Some(Risk::Read), ..Tool::native(id, "For tests.") }
}

fn bundle(flow: &Value) -> Bundle {
    let mut findings = FlowProblems::default();
    let flow = read(flow, &mut findings);
    assert_eq!(findings.problems, []);
    Bundle { flow, ..Bundle::default() }
}

/// An engine with these calls, and what it writes.
struct Program {
    engine: Engine,
    journal: MemoryJournal,
    blobs: MemoryBlobs,
    toolbox: Arc<Toolbox>,
}

impl Program {
    fn with(calls: &[&Native]) -> Self {
        Self::on(calls, (MemoryJournal::default(), MemoryBlobs::default()))
    }

    fn on(calls: &[&Native], (journal, blobs): (MemoryJournal, MemoryBlobs)) -> Self {
        let mut registry = Registry::default();
        for call in calls {
            registry.add((*call).clone()).unwrap();
        }
        let toolbox = registry.toolbox();
        let parts = parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(registry));
        Self { engine: Engine::new(parts), journal, blobs, toolbox }
    }

    async fn submit(&self, flow: &Value) -> Result<TaskId, SubmitError> {
        let request =
            EngineWorld::new(ScriptedTools::default()).flow_request(bundle(flow), json!({}));
        let request = PlanRequest { toolbox: Arc::clone(&self.toolbox), ..request };
        self.engine.submit(request).await.map(|accepted| accepted.task)
    }

    async fn settle(&self, task: &TaskId) -> State {
        self.engine.idle().await.unwrap();
        State::replay(&self.journal.entries(task)).unwrap()
    }

    async fn run(&self, flow: &Value) -> State {
        let task = self.submit(flow).await.unwrap();
        self.settle(&task).await
    }
}

fn status(state: &State, step: &str) -> (StepStatus, Option<&'static str>) {
    let step = state.step(step).unwrap();
    (step.status, step.fault.as_ref().map(Fault::code))
}

/// `a` calls `call`; what comes after depends on how that ends.
fn rescued(call: &str) -> Value {
    json!({
        "flow": "rescued",
        "nodes": [
            {"id": "a", "call": call},
            {"id": "well", "call": "Empty"},
            {"id": "rescue", "call": "Empty"},
        ],
        "edges": ["a -> well", {"from": "a", "to": "rescue", "when": "failed"}],
    })
}

// B-004
#[test]
fn a_call_that_is_not_sound_is_refused_with_every_reason_and_changes_nothing() {
    let mut registry = Registry::default();
    registry.add(Native::new(native("one"))).unwrap();
    let before = registry.toolbox();
    let bad = Tool {
        description: String::new(),
        output_schema: Some(json!({"type": 7})),
        timeout: Some(json!(0)),
        ..native("one")
    };
    let problems = registry.add(Native::new(bad)).unwrap_err();
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["duplicate_tool", "no_description", "bad_schema", "bad_span"]);
    assert!(problems.iter().all(|problem| problem.at.starts_with("tool `one`")));
    let own = registry.add(Native::new(native("LLM"))).unwrap_err();
    assert_eq!(own[0].code, "own_name");
    assert_eq!(registry.toolbox(), before);
}

// B-001
#[tokio::test(start_paused = true)]
async fn a_step_is_initialised_with_its_id_and_all_its_parameters_before_every_attempt() {
    let busy = Fault::ToolUnavailable { tool: "one".into(), message: "busy".to_owned() };
    let one = Native { refuses: vec![busy], ..Native::new(native("one")) };
    let flow = json!({"flow": "init", "nodes": [
        {"id": "first", "name": "the first", "call": "one", "known": {"x": 1, "y": 1}, "params": {"y": 2}},
    ]});
    let state = Program::with(&[&one]).run(&flow).await;
    assert_eq!(state.status(), TaskStatus::Completed);
    let seen = one.seen();
    let order: Vec<(&str, u32)> = seen.iter().map(|(what, it)| (*what, it.attempt)).collect();
    assert_eq!(order, [("init", 1), ("init", 2), ("exec", 2)]);
    for (_, invocation) in &seen {
        assert_eq!(invocation.step.as_str(), "first");
        assert_eq!(invocation.arguments, json!({"x": 1, "y": 2}));
        assert_eq!(invocation.key, seen[0].1.key, "one wish, whatever comes before it");
    }
    let step = state.step("first").unwrap();
    assert_eq!((step.plan.name.as_str(), step.tool().as_str()), ("the first", "one"));
    let node = step.plan.node.as_ref().unwrap();
    assert_eq!(json!(node.known), json!({"x": 1, "y": 1}), "what the node knows stays as it was");
}

// B-024
#[tokio::test(start_paused = true)]
async fn a_failure_of_init_is_that_of_the_step_and_a_way_for_failures_deals_with_it() {
    let refused = Fault::refused("one".into(), ("no licence", "没有许可"));
    let one = Native { refuses: vec![refused], ..Native::new(native("one")) };
    let program = Program::with(&[&one]);
    let state = program.run(&rescued("one")).await;
    assert_eq!(status(&state, "a"), (StepStatus::Error, Some("call_refused")));
    assert_eq!(status(&state, "well").0, StepStatus::Skipped);
    assert_eq!(status(&state, "rescue").0, StepStatus::Success);
    assert_eq!(state.status(), TaskStatus::Completed);
    assert!(one.seen().iter().all(|(what, _)| *what == "init"), "it never ran");
    let alone = json!({"flow": "alone", "nodes": [{"id": "a", "call": "one"}]});
    let state = program.run(&alone).await;
    assert_eq!(state.status(), TaskStatus::Failed);
}

// B-003
#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_added_is_refused_before_anything_runs() {
    let program = Program::with(&[&Native::new(native("one"))]);
    let refused = program.submit(&rescued("ono")).await.unwrap_err();
    let SubmitError::Refused(problems) = refused else { panic!("{refused:?}") };
    assert_eq!(problems[0].code, "flow_call");
    assert!(problems[0].to_string().contains("did you mean `one`"), "{}", problems[0]);
    let tools = ReadyTools::new(Arc::new(Registry::default()), Arc::new(program.blobs.clone()));
    let wanted = "ono".into();
    let unknown = tools.pin(&Toolbox::new(), &[&wanted]).await.err();
    assert_eq!(unknown, Some(ToolError::Unknown(wanted)));
    let unusable = tools.pin(&program.toolbox, &[&"one".into()]).await.err().unwrap();
    let said = "tool `one` cannot be used: nobody added a call `one`";
    assert_eq!(unusable.to_string(), said, "known by name, and not here");
}

// B-003, B-024
#[tokio::test(start_paused = true)]
async fn a_call_that_is_gone_when_the_task_is_taken_up_fails_its_step_and_nothing_else() {
    let (one, two) = (Native::new(native("one")), Native::new(native("two")));
    let program = Program::with(&[&one, &two]);
    let mut flow = rescued("one");
    flow["before"] = json!([{"id": "look", "call": "two"}]);
    let task = program.submit(&flow).await.unwrap();
    program.settle(&task).await;
    let opened = program.journal.entries(&task).iter().position(|entry| {
        matches!(entry.event, praxis_core::journal::event::Event::StepStarted { .. })
    });
    let journal = program.journal.crashed_after(&task, opened.unwrap() as u64 + 1);
    let later = Program::on(&[&two], (journal, program.blobs.clone()));
    assert_eq!(later.engine.recover().await.unwrap(), std::slice::from_ref(&task));
    let state = later.settle(&task).await;
    assert_eq!(status(&state, "look").0, StepStatus::Success);
    assert_eq!(status(&state, "a"), (StepStatus::Error, Some("call_refused")));
    assert_eq!(status(&state, "rescue").0, StepStatus::Success);
    assert_eq!(state.status(), TaskStatus::Completed);
    let fault = state.step("a").unwrap().fault.as_ref().unwrap();
    assert!(fault.to_string().contains("nobody added a call `one`"), "{fault}");
}

// B-025
#[tokio::test(start_paused = true)]
async fn an_error_told_in_an_output_is_a_success_until_a_choice_says_otherwise() {
    let gives = json!({"error": {"code": 404, "message": "no such order"}});
    let one = Native { gives, ..Native::new(native("one")) };
    let flow = json!({
        "flow": "soft",
        "nodes": [
            {"id": "a", "call": "one"},
            {"id": "how", "call": "Choice", "otherwise": "well", "branches": [
                {"id": "ill", "all": [{"left": "{{a.outputs.error.code}}", "is": "greater", "right": 399}]},
            ]},
            {"id": "on_well", "call": "Empty"},
            {"id": "on_ill", "call": "Empty"},
        ],
        "edges": ["a -> how", "how.well -> on_well", "how.ill -> on_ill"],
    });
    let state = Program::with(&[&one]).run(&flow).await;
    assert_eq!(status(&state, "a"), (StepStatus::Success, None));
    assert_eq!(status(&state, "on_ill").0, StepStatus::Success);
    assert_eq!(status(&state, "on_well").0, StepStatus::Skipped);
    assert_eq!(state.status(), TaskStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn the_example_of_a_call_in_rust_runs_as_it_says() {
    assert_eq!(native_call::launched(3).await.unwrap(), json!({"said": "3 2 1 go"}));
    assert_eq!(native_call::launched(11).await.unwrap(), json!({"said": "no launch"}));
}
