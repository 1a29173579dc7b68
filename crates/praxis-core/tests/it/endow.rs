//! What a workflow gives to the metadata of a task, whoever chose the workflow, and where it is said to be from.

use crate::goal::{answered, asked, brief, library, submitted, tell};
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::reply::TokenUsage;
use praxis_core::dataflow::resolve::LoadedBlobs;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::payload::Payload;
use praxis_core::route::workflow::Workflow;
use praxis_core::state::State;
use praxis_core::time::Timestamp;
use praxis_core::view::stream::views;
use praxis_core::view::why::{ValueOrigin, reasons};
use serde_json::{Value, json};

fn beds() -> Library {
    let parameters = json!({"size": "{{size}}", "ward": "{{ward}}", "unit": "{{metadata.unit}}"});
    let step = json!({"name": {"en": "count", "zh": "数"}, "tool_id": "tool_01", "parameters": parameters});
    let workflow = json!({"id": "beds", "name": {"en": "beds", "zh": "床位"}, "keywords": ["count the beds"],
        "defaults": {"size": 7, "ward": "north", "unit": "bed"}, "names": {"ward": ["station"]}, "steps": [step]});
    let workflow: Workflow = serde_json::from_value(workflow).unwrap();
    Library { workflows: vec![workflow], ..library(3, Lang::En) }
}

/// A model answers, and what it says is told to the state.
fn says(state: &mut State, library: &Library, (purpose, ask): (&Purpose, u32), said: &Value) {
    asked(state, purpose, library);
    let events = answered(state, library, ask, said);
    let reply = Payload::json(json!({}));
    let outcome = AskOutcome::Answered { reply, usage: TokenUsage::default() };
    tell(state, Event::AskFinished { ask, outcome });
    for event in events {
        tell(state, event);
    }
}

fn chosen(goal: &str, workflow: &str) -> (State, Library) {
    let library = beds();
    let mut state = submitted(goal, brief(3), json!({"size": 3}));
    let choice = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": ["tool_01"], "workflow_id": workflow});
    says(&mut state, &library, (&Purpose::Select, 1), &choice);
    (state, library)
}

fn initial(state: &State) -> Value {
    let value = |payload: &Payload| match payload {
        Payload::Json(value) => (**value).clone(),
        Payload::Blob(_) => Value::Null,
    };
    let found = state.context.initial().iter();
    found.map(|(key, payload)| (key.to_string(), value(payload))).collect()
}

#[test]
fn what_the_caller_gave_comes_before_what_the_goal_says_and_that_before_a_default() {
    for (goal, workflow) in
        [("do it\nstation: south", "beds"), ("count the beds\nstation: south", "")]
    {
        let (state, _) = chosen(goal, workflow);
        assert_eq!(initial(&state), json!({"size": 3, "ward": "south", "unit": "bed"}), "{goal}");
    }
    let (state, _) = chosen("something else\nstation: south", "");
    assert_eq!(initial(&state), json!({"size": 3}), "nobody chose a workflow");
}

#[test]
fn each_value_is_told_with_the_one_who_gave_it() {
    let (mut state, library) = chosen("do it\nstation: south", "beds");
    let parameters = json!({"a": "{{size}}", "b": "{{ward}}", "c": "{{metadata.unit}}"});
    let plan = json!({"steps": [{"step_id": "x", "step_name": "x", "tool": "tool_01", "parameters": parameters}]});
    says(&mut state, &library, (&Purpose::Plan, 2), &plan);
    let step = &state.steps[0];
    let told: Vec<(Option<Value>, ValueOrigin)> = reasons(&state, step, &LoadedBlobs::new())
        .into_iter()
        .map(|reason| (reason.value, reason.source))
        .collect();
    let beds = ValueOrigin::Default { workflow: "beds".to_owned() };
    assert_eq!(
        told,
        [
            (Some(json!(3)), ValueOrigin::Initial),
            (Some(json!("south")), ValueOrigin::Said),
            (Some(json!("bed")), beds)
        ]
    );
}

#[test]
fn what_looks_like_a_secret_is_not_streamed() {
    let mut library = beds();
    library.workflows[0].defaults.insert("api_key".to_owned(), json!("hush-hush"));
    let mut state = submitted("do it", brief(3), json!({}));
    let choice = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": ["tool_01"], "workflow_id": "beds"});
    asked(&mut state, &Purpose::Select, &library);
    let event = answered(&state, &library, 1, &choice).remove(0);
    let entry = Entry { seq: state.seq + 1, at: Timestamp(1000), event };
    let streamed = json!(views(&state, &entry));
    assert_eq!(streamed[0]["data"]["defaults"]["ward"], "north", "{streamed}");
    assert!(!streamed.to_string().contains("hush-hush"), "{streamed}");
}

#[test]
fn tools_that_are_chosen_later_bring_no_more_metadata() {
    let (mut state, library) = chosen("do it", "");
    let later = json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
        "selected_tool_ids": ["tool_02"], "workflow_id": "beds"});
    asked(&mut state, &Purpose::Select, &library);
    let events = answered(&state, &library, 2, &later);
    let Some(Event::ToolsSelected { selection, .. }) = events.first() else { panic!("{events:?}") };
    assert_eq!(selection.workflow.as_deref(), Some("beds"));
    assert!(selection.defaults.is_empty() && selection.said.is_empty(), "{selection:?}");
    for event in events {
        tell(&mut state, event);
    }
    assert_eq!(initial(&state), json!({"size": 3}));
}
