//! What models are asked, and what their answers mean, without an engine.

use crate::example;
use praxis_core::ask::purpose::{ModelRole, Purpose};
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::request::{AnswerFormat, ModelRequest};
use praxis_core::ask::tokens::Estimate;
use praxis_core::call::manifest;
use praxis_core::dataflow::resolve::LoadedBlobs;
use praxis_core::decide::answer;
use praxis_core::decide::begin::ask_for;
use praxis_core::field_error::FieldError;
use praxis_core::goal::spec::{
    GoalContext, GoalDocument, GoalOptions, GoalSpec, PinnedModel, TwoStage,
};
use praxis_core::ids::{BlobId, ToolId};
use praxis_core::inputs::{Inputs, Schemas};
use praxis_core::journal::event::{Entry, Event, RULES};
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::submission::Submission;
use praxis_core::lang::Lang;
use praxis_core::library::{Library, Lookup};
use praxis_core::payload::Payload;
use praxis_core::plan::{tool_choice, two_stage};
use praxis_core::planner::UNCANCELLED;
use praxis_core::prompt::Pack;
use praxis_core::route::scene;
use praxis_core::state::State;
use praxis_core::time::Timestamp;
use praxis_planner::LexicalPlanner;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;

/// Tools without schemas.
pub(crate) struct NoSchemas;

impl Schemas for NoSchemas {
    fn input_schema(&self, _: &ToolId) -> Option<&Value> {
        None
    }

    fn input_errors(&self, _: &ToolId, _: &Value) -> Vec<FieldError> {
        vec![]
    }

    fn signature(&self, _tool: &ToolId, _lang: Lang) -> Option<String> {
        None
    }

    fn has_more_to_tell(&self, _tool: &ToolId) -> bool {
        false
    }
}

pub(crate) fn library(tools: usize, lang: Lang) -> Library {
    let manifests: Vec<Value> = (0..tools)
        .map(|n| {
            let tag = if n < 2 { "负荷预测" } else { "other" };
            json!({"id": format!("tool_{n:02}"), "builtin": "noop", "risk": "read", "tags": [tag],
                "output_schema": {"type": "object", "additionalProperties": false, "properties": {"b": {}, "rows": {}}},
                "description": format!("does thing number {n} and counts the rooms")})
        })
        .collect();
    let catalog = manifest::read(&Value::Array(manifests)).unwrap();
    let catalog = catalog.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect();
    Library {
        pack: Pack::embedded(lang),
        scene: scene::embedded().into_iter().find(|scene| scene.id == scene::GENERAL).unwrap(),
        workflows: example::workflows(),
        synonyms: String::new(),
        catalog: Arc::new(catalog),
        lookup: Lookup::default(),
    }
}

pub(crate) fn brief(tools: usize) -> GoalSpec {
    let adviser = PinnedModel { model: "m".into(), context: 32_000, max_output: 1000, price: None };
    let blob = || BlobId::from("b");
    GoalSpec {
        catalog: blob(),
        tools: u32::try_from(tools).unwrap(),
        pack: blob(),
        scene: blob(),
        workflows: blob(),
        synonyms: None,
        intent: None,
        workflow: None,
        advisers: ModelRole::ALL.into_iter().map(|duty| (duty, adviser.clone())).collect(),
        manner: GoalOptions::default(),
        budget: praxis_core::budget::limit::Budget::default(),
        material: GoalContext::default(),
        output_schema: None,
        past: None,
        hit: None,
    }
}

pub(crate) fn submitted(goal: &str, brief: GoalSpec, metadata: Value) -> State {
    let metadata = metadata.as_object().unwrap().iter();
    let metadata = metadata.map(|(k, v)| (Arc::from(k.as_str()), Payload::json(v.clone())));
    let submission = Submission {
        task: "task_1".into(),
        tenant: "local".into(),
        goal: goal.to_owned(),
        plan_id: None,
        metadata: metadata.collect(),
        contracts: vec![],
        options: RunOptions::default(),
        rules: RULES,
        idempotency_key: None,
        parent: None,
        step_model: None,
        flow: None,
        document: None,
        brief: Some(Box::new(brief)),
        tags: BTreeMap::new(),
        version: "test".to_owned(),
    };
    let mut state = State::default();
    tell(&mut state, Event::TaskSubmitted(Box::new(submission)));
    state
}

pub(crate) fn tell(state: &mut State, event: Event) {
    state.apply(&Entry { seq: state.seq + 1, at: Timestamp(1000), event }).unwrap();
}

/// What decisions need besides the state of a goal.
pub(crate) fn inputs(library: &Library) -> Inputs<'_> {
    static BLOBS: LazyLock<LoadedBlobs> = LazyLock::new(LoadedBlobs::new);
    static TOKENS: LazyLock<Estimate> = LazyLock::new(Estimate::default);
    Inputs {
        blobs: &BLOBS,
        tools: &NoSchemas,
        library: Some(library),
        tokens: &*TOKENS,
        planner: &LexicalPlanner,
        cancelled: &UNCANCELLED,
    }
}

/// Asks for a purpose and gives the request; the call is then under way.
pub(crate) fn asked(state: &mut State, purpose: &Purpose, library: &Library) -> ModelRequest {
    let inputs = inputs(library);
    let event = ask_for(state, purpose, &inputs).remove(0);
    let Event::AskStarted { request: Payload::Json(request), .. } = &event else {
        panic!("{event:?}")
    };
    let request = serde_json::from_value((**request).clone()).unwrap();
    tell(state, event);
    request
}

pub(crate) fn answered(state: &State, library: &Library, ask: u32, said: &Value) -> Vec<Event> {
    let inputs = inputs(library);
    let reply = ModelReply {
        text: said.to_string(),
        usage: TokenUsage::default(),
        ..ModelReply::default()
    };
    answer::events(state, ask, &reply, &inputs)
}

fn text(request: &ModelRequest) -> String {
    request.messages.iter().map(|said| said.content.as_str()).collect::<Vec<_>>().join("\n")
}

/// Every tool is chosen, by rule.
pub(crate) fn choose_all(state: &mut State, library: &Library) {
    let inputs = inputs(library);
    let event =
        tool_choice::all(state, &inputs, praxis_core::journal::selection::SelectionMethod::All);
    tell(state, event.unwrap());
}

// A-033
#[test]
fn tools_are_chosen_by_a_model_from_the_threshold_on_and_as_the_caller_says() {
    for (tools, asked) in [(0, false), (9, false), (10, true), (11, true)] {
        assert_eq!(two_stage::is_asked(&brief(tools)), asked, "{tools} tools");
    }
    let with = |two_stage, tools| {
        let mut brief = brief(tools);
        brief.manner.two_stage = two_stage;
        two_stage::is_asked(&brief)
    };
    assert!(with(TwoStage::Always, 1) && !with(TwoStage::Always, 0) && !with(TwoStage::Never, 100));
    let nobody = GoalSpec { advisers: BTreeMap::new(), ..brief(50) };
    assert!(!two_stage::is_asked(&nobody), "nobody can be asked");
}

// A-034, A-036
#[test]
fn a_stated_intent_is_the_kind_of_work_and_its_tools_are_chosen_whatever_the_model_says() {
    let library = library(12, Lang::Zh);
    let mut pinned = brief(12);
    pinned.intent = Some("负荷预测".to_owned());
    let mut state = submitted("意图: 负荷预测, 预测明天", pinned, json!({}));
    let request = asked(&mut state, &Purpose::Select, &library);
    assert!(text(&request).contains("负荷预测") && text(&request).contains("tool_11"));
    let said = json!({"should_reject": false, "similarity_score": 80, "task_type": "another kind",
        "selected_tool_ids": ["tool_05", "tool_05", "made_up"], "need_tools": ["thing number 7"]});
    let events = answered(&state, &library, 1, &said);
    let [Event::ToolsSelected { selection, contracts }] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(selection.task_type, "负荷预测");
    let ids: Vec<&str> = selection.tools.iter().map(ToolId::as_str).collect();
    assert_eq!(
        ids,
        ["tool_00", "tool_01", "tool_05", "tool_07"],
        "sorted, with a second chance for a need"
    );
    assert_eq!((selection.unknown.as_slice(), contracts.len()), (&["made_up".to_owned()][..], 4));
    assert!(selection.tokens.0 > selection.tokens.1, "signatures are shorter than schemas");
}

// A-035
#[test]
fn a_goal_that_no_tool_is_like_is_turned_away_and_one_at_the_edge_is_not() {
    for (score, rejected) in [(29, true), (30, false)] {
        let library = library(12, Lang::En);
        let mut state = submitted("do it", brief(12), json!({}));
        asked(&mut state, &Purpose::Select, &library);
        let said = json!({"should_reject": false, "similarity_score": score, "task_type": "x",
            "selected_tool_ids": ["tool_01"], "reject_reason": "nothing fits"});
        let events = answered(&state, &library, 1, &said);
        let Some(Event::ToolsSelected { selection, .. }) = events.first() else {
            panic!("{events:?}")
        };
        assert_eq!(selection.rejected.is_some(), rejected, "{score}");
    }
}

// A-088
#[test]
fn documents_preferences_conversation_and_metadata_enter_planning_and_long_ones_are_cut() {
    let library = library(3, Lang::En);
    let mut pinned = brief(3);
    let content = Payload::json(json!("word ".repeat(40_000)));
    pinned.material = GoalContext {
        documents: vec![GoalDocument {
            name: "rules.md".into(),
            content,
            doc_type: "markdown".into(),
            description: "how to".into(),
        }],
        conversation_history: vec!["user: earlier words".into()],
        user_preferences: vec!["always in kWh".into()],
        additional_info: BTreeMap::from([
            ("region".to_owned(), json!("HZ")),
            ("api_key".to_owned(), json!("hush")),
        ]),
    };
    let mut state =
        submitted("plan it", pinned, json!({"project_id": "p1", "long": "y".repeat(5000)}));
    choose_all(&mut state, &library);
    let request = asked(&mut state, &Purpose::Plan, &library);
    let text = text(&request);
    for wanted in [
        "P1 always in kWh",
        "rules.md",
        "> user: earlier words",
        "region: \"HZ\"",
        "project_id: \"p1\"",
        "...(context truncated)",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    assert!(!text.contains("hush"), "what a telling key hides stays hidden");
    assert!(text.len() < 60_000, "{}", text.len());
    let AnswerFormat::Json { name, .. } = &request.format else { panic!("no schema") };
    assert_eq!(name, "planning");
    let empty = submitted("plan it", brief(3), json!({}));
    let prefix = praxis_core::stage::compose::prefix(&empty, &library, &Estimate::default(), false);
    assert!(prefix.contains("# Context\nnone"), "{prefix}");
}

// A-040
#[test]
fn a_plan_in_a_fence_with_words_around_it_is_read_and_what_is_missing_in_it_is_told_at_once() {
    let library = library(3, Lang::En);
    let mut state = submitted("plan it", brief(3), json!({}));
    choose_all(&mut state, &library);
    asked(&mut state, &Purpose::Plan, &library);
    let plan = json!({"steps": [{"step_id": "x", "tool": "functions.tool_01", "parameters": {}},
        {"step_id": "y", "tool": "Tool-02", "parameters": {"a": "{{x.outputs.b}}"}}]});
    let events =
        answered(&state, &library, 1, &json!(format!("Sure!\n```json\n{plan}\n```\nBye.")));
    let Some(Event::StepsPlanned { steps, names, fixes, .. }) = events.first() else {
        panic!("{events:?}")
    };
    let told: Vec<_> =
        steps.iter().map(|s| (s.id.as_str(), s.tool.as_str(), s.depends_on.len())).collect();
    assert_eq!(told, [("step_1", "tool_01", 0), ("step_2", "tool_02", 1)]);
    assert_eq!((names.len(), fixes.len()), (2, 2));
    assert_eq!(steps[1].parameters, json!({"a": "{{step_1.outputs.b}}"}));
    let bad = json!({"steps": [{"step_id": "x", "tool": "nothing", "parameters": {}},
        {"step_id": "x", "tool": "tool_01", "parameters": {}, "depends_on": ["zz"]}]});
    let events = answered(&state, &library, 1, &bad);
    let [Event::AnswerRefused { problems, .. }, Event::PlanClosed { .. }] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    for wanted in ["duplicate_step", "unknown_tool", "unknown_dependency"] {
        assert!(codes.contains(&wanted), "{codes:?}");
    }
    let empty = answered(&state, &library, 1, &json!({"steps": []}));
    assert!(matches!(empty.first(), Some(Event::AnswerRefused { .. })), "{empty:?}");
}

#[test]
fn a_slip_in_a_field_that_only_one_is_near_to_is_put_right_for_a_read() {
    let library = library(3, Lang::En);
    let mut state = submitted("plan it", brief(3), json!({}));
    let inputs = inputs(&library);
    let event =
        tool_choice::all(&state, &inputs, praxis_core::journal::selection::SelectionMethod::All)
            .unwrap();
    tell(&mut state, event);
    asked(&mut state, &Purpose::Plan, &library);
    let plan = |field: &str| {
        json!({"steps": [{"step_id": "x", "tool": "tool_01", "parameters": {}},
        {"step_id": "y", "tool": "tool_02", "parameters": {"a": [format!("all {{{{x.outputs.{field}}}}}")]}}]})
    };
    let events = answered(&state, &library, 1, &plan("rowz"));
    let Some(Event::StepsPlanned { steps, fixes, .. }) = events.first() else {
        panic!("{events:?}")
    };
    assert_eq!(steps[1].parameters, json!({"a": ["all {{step_1.outputs.rows}}"]}));
    assert_eq!(fixes.len(), 1);
    let events = answered(&state, &library, 1, &plan("columns"));
    assert!(matches!(events.first(), Some(Event::AnswerRefused { .. })), "{events:?}");
}

/// A state in which three tools are chosen: `list_orders` and `get_order` read, `pay_order` writes.
fn orders() -> (State, Library) {
    let manifests = json!([
        {"id": "list_orders", "builtin": "noop", "risk": "read",
            "input_schema": {"type": "object", "properties": {"customer": {"type": "string"}}},
            "output_schema": {"type": "object", "additionalProperties": false,
                "properties": {"order_id": {}, "total": {}}}},
        {"id": "get_order", "builtin": "noop", "risk": "read",
            "input_schema": {"type": "object", "properties": {"order": {}, "city": {}}},
            "output_schema": {"type": "object", "additionalProperties": false,
                "properties": {"status": {}}}},
        {"id": "pay_order", "builtin": "noop",
            "input_schema": {"type": "object", "required": ["amount"],
                "properties": {"amount": {}, "currency": {}}}},
    ]);
    let catalog = manifest::read(&manifests).unwrap();
    let catalog = catalog.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect();
    let library = Library { catalog: Arc::new(catalog), ..library(3, Lang::En) };
    let mut state = submitted("plan it", brief(3), json!({}));
    let inputs = inputs(&library);
    let event =
        tool_choice::all(&state, &inputs, praxis_core::journal::selection::SelectionMethod::All)
            .unwrap();
    tell(&mut state, event);
    asked(&mut state, &Purpose::Plan, &library);
    (state, library)
}

/// The tools and parameters that a plan has when it enters; none if it is refused.
fn entered(steps: &Value) -> Option<Vec<(String, Value)>> {
    let (state, library) = orders();
    let events = answered(&state, &library, 1, &json!({"steps": steps}));
    let Some(Event::StepsPlanned { steps, .. }) = events.into_iter().next() else { return None };
    Some(steps.into_iter().map(|step| (step.tool.to_string(), step.parameters)).collect())
}

#[test]
fn a_slip_in_the_name_of_a_tool_is_put_right_if_the_tool_only_reads() {
    let one = |tool: &str| {
        let parameters = json!({"amount": 1});
        let plan = entered(&json!([{"step_id": "a", "tool": tool, "parameters": parameters}]));
        plan.map(|steps| steps[0].0.clone())
    };
    assert_eq!(one("list_ordres").as_deref(), Some("list_orders"));
    assert_eq!(one("listt_order").as_deref(), Some("list_orders"));
    assert_eq!(one("Functions.List-Orders").as_deref(), Some("list_orders"));
    assert_eq!(one("pay_orderr"), None, "a change is not guessed at");
    assert_eq!(one("Pay-Order").as_deref(), Some("pay_order"), "other marks are no guess");
    assert_eq!(one("delete_orders"), None, "another word is another tool");
}

#[test]
fn a_slip_in_the_name_of_an_argument_is_put_right_where_only_one_is_near() {
    let one = |tool: &str, parameters: Value| {
        let plan = entered(&json!([{"step_id": "a", "tool": tool, "parameters": parameters}]));
        plan.map(|steps| steps[0].1.clone())
    };
    let read = |parameters: Value| one("list_orders", parameters).unwrap();
    assert_eq!(read(json!({"custmer": "lin"})), json!({"customer": "lin"}));
    assert_eq!(read(json!({"Customer": "lin"})), json!({"customer": "lin"}));
    assert_eq!(one("get_order", json!({"cty": 1})).unwrap(), json!({"cty": 1}), "too short");
    let both = json!({"custmer": "lin", "customer": "wu"});
    assert_eq!(read(both.clone()), both, "what is given stays");
    let pay = |parameters: Value| one("pay_order", parameters).unwrap();
    assert_eq!(pay(json!({"amuont": 5})), json!({"amount": 5}), "it cannot be made without");
    let doubtful = json!({"amount": 5, "curency": "CNY"});
    assert_eq!(pay(doubtful.clone()), doubtful, "a change is not guessed at");
}

#[test]
fn a_field_that_only_another_step_has_is_taken_from_there_for_a_read() {
    let plan = |tool: &str, field: &str| {
        entered(&json!([
            {"step_id": "a", "tool": "list_orders", "parameters": {}},
            {"step_id": "b", "tool": "get_order", "parameters": {}},
            {"step_id": "c", "tool": tool, "parameters": {"order": format!("{{{{b.outputs.{field}}}}}"), "amount": 1}},
        ]))
    };
    let steps = plan("get_order", "order_id").unwrap();
    assert_eq!(steps[2].1["order"], "{{step_1.outputs.order_id}}");
    assert_eq!(plan("get_order", "owner"), None, "nobody has it");
    assert_eq!(plan("pay_order", "order_id"), None, "a change is not guessed at");
}
