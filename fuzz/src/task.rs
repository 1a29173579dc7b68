//! A task over a toolbox, driven without an engine.

use praxis_core::ask::tokens::Estimate;
use praxis_core::call::manifest;
use praxis_core::call::tool::Toolbox;
use praxis_core::dataflow::resolve::Blobs;
use praxis_core::decide::begin::begin;
use praxis_core::decide::decide;
use praxis_core::field_error::FieldError;
use praxis_core::ids::{BlobId, ToolId};
use praxis_core::inputs::{Inputs, Schemas};
use praxis_core::intake::plan::PlannedStep;
use praxis_core::journal::event::{Entry, Event, RULES};
use praxis_core::journal::options::Options;
use praxis_core::journal::outcome::{Outcome, PlanOutcome};
use praxis_core::journal::submission::Submission;
use praxis_core::payload::Payload;
use praxis_core::schema::Schema;
use praxis_core::state::State;
use praxis_core::time::At;
use praxis_planner::Lexical;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Three tools: one that reads, one that writes, one of which only one call may run.
pub fn toolbox() -> &'static Toolbox {
    static TOOLBOX: OnceLock<Toolbox> = OnceLock::new();
    TOOLBOX.get_or_init(made)
}

fn made() -> Toolbox {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let manifests = json!([
        {"id": "read", "builtin": "read", "risk": "read", "input_schema": schema},
        {"id": "write", "builtin": "write", "output_schema": {"properties": {"id": {}}}},
        {"id": "single", "builtin": "single", "limits": {"concurrent": 1}},
    ]);
    let tools = manifest::read(&manifests).expect("the manifests are good");
    tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
}

/// The events that open a task with this plan.
pub fn opening(
    toolbox: &Toolbox,
    metadata: &Map<String, Value>,
    steps: Vec<PlannedStep>,
) -> Vec<Event> {
    let contract = |tool: &Arc<_>| manifest_contract(tool);
    let small =
        |(key, value): (&String, &Value)| (key.as_str().into(), Payload::json(value.clone()));
    let submission = Submission {
        task: "task_1".into(),
        tenant: "local".into(),
        goal: String::new(),
        plan_id: None,
        metadata: metadata.iter().map(small).collect(),
        contracts: toolbox.values().map(contract).collect(),
        options: Options::default(),
        rules: RULES,
        idempotency_key: None,
        parent: None,
        step_model: None,
        flow: None,
        document: None,
        brief: None,
        tags: BTreeMap::new(),
        version: "fuzz".to_owned(),
    };
    let revision = 1;
    vec![
        Event::TaskSubmitted(Box::new(submission)),
        Event::planned(revision, steps),
        Event::closed(revision, PlanOutcome::Complete),
    ]
}

fn manifest_contract(
    tool: &Arc<praxis_core::call::tool::Tool>,
) -> praxis_core::call::tool::Contract {
    tool.contract(BlobId::from("manifest"))
}

/// Folds what must be legal. What is written must be read back as it was.
pub fn tell(state: &mut State, event: Event) {
    let text = serde_json::to_string(&event).expect("an event is JSON");
    let read: Event = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(read, event, "{text}");
    let entry = Entry { seq: state.seq + 1, at: At(state.at.0 + 1), event };
    state.apply(&entry).unwrap_or_else(|illegal| panic!("{illegal}: {text}"));
}

/// Begins what `decide` wants, at most `most` times; every event of it must be legal.
pub fn advance(state: &mut State, toolbox: &Toolbox, most: usize) {
    for _ in 0..most {
        let effects = decide(state);
        if effects.is_empty() {
            return;
        }
        for effect in effects {
            let (blobs, tools) = (Blobs::new(), ToolSchemas(toolbox));
            let events = begin(state, &effect, &inputs(&blobs, &tools));
            assert!(!events.is_empty(), "{effect:?} begins with nothing");
            for event in events {
                tell(state, event);
            }
        }
    }
}

/// Every call that is being made gives this.
pub fn succeed(state: &mut State, output: &Value) {
    let running: Vec<_> = state.calls_in_flight().collect();
    for index in running {
        let Some(step) = state.step_at(index) else { continue };
        let (step, attempt) = (step.plan.id.clone(), step.attempt);
        let outcome = Outcome::Succeeded(Payload::json(output.clone()));
        tell(state, Event::StepFinished { step, attempt, outcome, retry_at: None, usage: None });
    }
}

/// Checks arguments against manifests.
pub struct ToolSchemas<'a>(pub &'a Toolbox);

impl Schemas for ToolSchemas<'_> {
    fn input_schema(&self, tool: &ToolId) -> Option<&Value> {
        self.0.get(tool).map(|tool| &tool.input_schema)
    }

    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError> {
        let schema = self.input_schema(tool).and_then(|schema| Schema::compile(schema).ok());
        schema.map_or(vec![], |schema| schema.errors(arguments))
    }

    fn signature(&self, _tool: &ToolId, _lang: praxis_core::lang::Lang) -> Option<String> {
        None
    }

    fn has_more_to_tell(&self, _tool: &ToolId) -> bool {
        false
    }
}

/// What decisions need besides the state.
pub fn inputs<'a>(blobs: &'a Blobs, tools: &'a dyn Schemas) -> Inputs<'a> {
    Inputs { blobs, tools, library: None, tokens: &Estimate::PLAIN, planner: &Lexical }
}
