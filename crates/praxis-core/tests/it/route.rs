//! Requests of any kind on their way to a scene, a workflow and a plan.

use crate::example;
use praxis_core::call::manifest;
use praxis_core::call::tool::Toolbox;
use praxis_core::intake::plan;
use praxis_core::problem::Problem;
use praxis_core::route::intent::{intent, without_intent};
use praxis_core::route::{scene, workflow};
use praxis_core::text::pairs::pairs;
use praxis_planner::route::strategy;
use proptest::prelude::*;
use serde_json::{Map, json};
use std::sync::Arc;

/// The words that requests are made of, and anything else.
const REQUEST: &str = r#"(意图|:|：|=|,|，|\n| |继续|教育|请|剩下的|a|key|工具|\{|\[|1|"|“|”|https://|C:\\|\.|step_1|.){0,16}"#;

fn toolbox(ids: &[&str]) -> Toolbox {
    let tool = |id: &&str| {
        let document = json!({"id": id, "builtin": id, "input_schema": {
            "type": "object", "required": ["x"], "properties": {"x": {}}, "additionalProperties": false,
        }});
        let tool = manifest::read(&document).unwrap().remove(0);
        (tool.id.clone(), Arc::new(tool))
    };
    ids.iter().map(tool).collect()
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

// A-039
#[test]
fn a_workflow_whose_tools_are_not_there_says_which_and_leaves_open_what_a_model_fills() {
    let document = json!({"workflows": {"w": {
        "tool_list": ["look", "loook"],
        "steps": [
            {"name": "a", "tool_id": "look"},
            {"name": "b", "tool_id": "loko", "parameters": {"x": 1}},
            {"name": "c", "tool_id": "look", "parameters": {"y": "{{step_9.outputs.y}}"}},
        ],
    }}});
    let read = workflow::read(&document).unwrap().remove(0);
    insta::assert_snapshot!(told(&workflow::check(&read, &toolbox(&["look"]))), @r"
    unknown_tool: step `step_2`: unknown tool `loko` (did you mean `look`?)
    unknown_step: step `step_3`, parameters/y: `{{step_9.outputs.y}}` refers to step `step_9`, which is not in the plan (did you mean `step_1` or `step_2` or `step_3`?)
    missing_parameter: step `step_3`, parameters/x: tool `look` requires the parameter `x`
    unknown_parameter: step `step_3`, parameters/y: tool `look` has no parameter `y`
    unknown_tool: tool_list: unknown tool `loook` (did you mean `look`?)
    ");
    let sound = json!({"workflows": {"w": {"steps": [{"name": "a", "tool_id": "look"}]}}});
    let read = workflow::read(&sound).unwrap().remove(0);
    assert_eq!(workflow::check(&read, &toolbox(&["look"])), []);
}

#[test]
fn scenes_and_workflows_are_the_same_after_they_were_pinned() {
    let scenes = scene::embedded();
    let written = serde_json::to_string(&scenes).unwrap();
    assert_eq!(serde_json::from_str::<Vec<scene::Scene>>(&written).unwrap(), scenes);
    let workflows = example::workflows();
    let written = serde_json::to_string(&workflows).unwrap();
    assert_eq!(serde_json::from_str::<Vec<workflow::Workflow>>(&written).unwrap(), workflows);
}

proptest! {
    // A-030, A-031, A-038, A-078
    #[test]
    fn any_request_finds_its_way_without_a_panic(request in REQUEST) {
        let stated = intent(&request);
        prop_assert!(stated.is_none_or(|stated| !stated.is_empty() && request.contains(stated)));
        let scenes = scene::embedded();
        let (id, _) = scene::matching(&scenes, stated, &request);
        prop_assert!(scenes.iter().any(|scene| scene.id == id));
        prop_assert!(without_intent(&request).len() <= request.len() + 1);
        prop_assert!(strategy::detect(&request).confidence <= 100);
        prop_assert!(pairs(&request).keys().all(|key| request.contains(key.as_str())));
    }

    #[test]
    fn a_workflow_makes_a_readable_plan_of_any_request(request in REQUEST) {
        for workflow in example::workflows() {
            let document = workflow::plan(&workflow, &request, &Map::new());
            let read = plan::read(&document).map_err(|problems| {
                TestCaseError::fail(told(&problems))
            })?;
            prop_assert_eq!(workflow::conforms(&workflow, &read.steps), []);
            let metadata = plan::metadata(&document);
            prop_assert!(read.steps.iter().all(|step| !metadata.contains_key(step.id.as_str())));
        }
    }
}
