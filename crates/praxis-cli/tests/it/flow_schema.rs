//! The published schema of flows takes what Praxis takes, and refuses what is wrong with a flow's form.

use crate::rig::{Rig, finish, json_lines};
use crate::schema::{documents_of_the_guide, root, validator};
use praxis_core::choice::operator::ConditionOperator;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::flow::file::{MAX_ITERATIONS, MAX_NODES};
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use serde_json::{Map, Value, json};

/// Mistakes that lie in what a flow refers to, compares or counts: only `praxis flow check` finds them.
const ONLY_CHECK: &[&str] = &[
    "agent_with_a_call_of_flows",
    "agent_with_an_unknown_parameter",
    "agent_with_an_unknown_tool",
    "bare_name_that_is_nearly_an_input",
    "branch_that_is_the_default",
    "branch_twice",
    "branch_without_conditions",
    "circle",
    "condition_of_fixed_values",
    "condition_of_two_kinds",
    "condition_that_cannot_be_asked",
    "condition_with_a_bad_pattern",
    "condition_with_a_wrong_right",
    "condition_with_no_length",
    "condition_with_too_much",
    "condition_without_right",
    "convert_of_nothing",
    "data_of_a_convert_of_another_type",
    "edge_of_a_branch_of_no_choice",
    "edge_of_an_unknown_branch",
    "edge_to_a_node_that_runs_before",
    "edge_to_itself",
    "edge_to_nowhere",
    "edge_twice",
    "edge_without_its_branch",
    "edges_missing_for_branches",
    "field_of_an_empty_node",
    "field_that_a_convert_does_not_give",
    "field_that_the_data_of_a_convert_does_not_have",
    "field_that_the_declared_output_of_a_node_has_not",
    "id_of_a_node_beside",
    "id_twice",
    "input_like_a_node",
    "input_with_a_wrong_default",
    "loop_over_no_list",
    "loop_that_collects_what_may_be_skipped",
    "loop_that_sets_no_variable",
    "loop_with_a_variable_like_a_node",
    "node_behind_a_name_that_is_none",
    "nodes_inside_that_give_nothing",
    "parameter_missing_for_good",
    "parameter_of_the_wrong_kind",
    "parameter_that_cannot_fit",
    "parameter_that_is_no_date",
    "parameter_unknown",
    "parameter_unknown_like_nothing",
    "question_at_an_unknown_database",
    "question_at_no_sql_tool",
    "reference_to_itself",
    "reference_to_later",
    "reference_to_no_field",
    "reference_to_no_input",
    "reference_to_no_name",
    "reference_to_no_node",
    "reference_to_no_placeholder",
    "reference_to_what_may_be_skipped",
    "slot_without_a_schema",
    "start_unknown",
    "start_with_an_edge_to_it",
    "sub_flow_misspelt",
    "sub_flow_that_does_not_give_it",
    "sub_flow_that_leads_back",
    "sub_flow_that_takes_nothing",
    "sub_flow_unknown",
    "sub_flow_with_a_missing_input",
    "sub_flow_with_a_wrong_input",
    "sub_flow_with_an_unknown_input",
    "unknown_call",
    "unknown_call_like_nothing",
    "unreachable",
    "wait_for_no_time",
    "wait_for_two_things",
];

/// The flows of the scenarios, by name, with those that they call.
fn scenarios() -> Vec<(String, Vec<Value>)> {
    let folder = root().join("crates/praxis-engine/tests/flows");
    let listed = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        let file = document::read(&std::fs::read(&path).unwrap(), DocumentFormat::Yaml).unwrap();
        let called = file["flows"].as_array().cloned().unwrap_or_default();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, [vec![file["flow"].clone()], called].concat())
    };
    listed.map(read).collect()
}

fn mistakes() -> Map<String, Value> {
    let path = root().join("crates/praxis-core/tests/flow/mistakes.yaml");
    let file = document::read(&std::fs::read(path).unwrap(), DocumentFormat::Yaml).unwrap();
    file.as_object().cloned().unwrap()
}

#[test]
fn every_flow_of_the_scenarios_and_of_the_guide_fits_the_schema() {
    let schema = validator("flow.schema.json");
    let mut count = 0;
    let guide = documents_of_the_guide().into_iter().filter(|(_, value)| {
        value.get("flow").is_some_and(Value::is_string) && value.get("nodes").is_some()
    });
    let guide = guide.map(|(page, value)| (page, vec![value]));
    for (name, flows) in scenarios().into_iter().chain(guide) {
        for flow in flows {
            let errors: Vec<String> = schema.iter_errors(&flow).map(|e| e.to_string()).collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
            count += 1;
        }
    }
    assert!(count >= 40, "{count}");
}

#[test]
fn every_mistake_is_refused_by_the_schema_or_listed_as_one_that_only_check_finds() {
    let schema = validator("flow.schema.json");
    let mut taken = Vec::new();
    for (name, case) in mistakes() {
        let called = case["flows"].as_array().cloned().unwrap_or_default();
        let all = [vec![case["flow"].clone()], called].concat();
        if all.iter().all(|flow| schema.is_valid(flow)) {
            taken.push(name);
        }
    }
    assert_eq!(taken, ONLY_CHECK);
}

#[test]
fn the_schema_knows_every_operator_and_every_bound() {
    let schema: Value = serde_json::from_slice(
        &std::fs::read(root().join("docs/schema/flow.schema.json")).unwrap(),
    )
    .unwrap();
    let known = schema["$defs"]["operator"]["enum"].as_array().unwrap();
    for name in known.iter().map(|name| name.as_str().unwrap()) {
        assert!(ConditionOperator::named(name).is_some(), "{name}");
    }
    for operator in ConditionOperator::all() {
        assert!(known.contains(&json!(operator.name())), "{operator}");
    }
    assert_eq!(schema["$defs"]["loop"]["properties"]["max"]["maximum"], json!(MAX_ITERATIONS));
    assert_eq!(schema["properties"]["nodes"]["maxItems"], json!(MAX_NODES));
}

/// What the schema refuses, the binary refuses too: whoever writes with the schema at hand loses nothing.
#[test]
fn whatever_the_schema_refuses_check_refuses_too() {
    let schema = validator("flow.schema.json");
    let rig = Rig::empty();
    for (name, case) in mistakes().into_iter().filter(|(_, case)| !schema.is_valid(&case["flow"])) {
        let mut findings = FlowProblems::default();
        read(&case["flow"], &mut findings);
        if findings.problems.is_empty() {
            std::fs::write(rig.path("it.json"), case["flow"].to_string()).unwrap();
            let output = finish(&rig, &mut rig.praxis(&["flow", "check", "it.json"]));
            assert_eq!(output.status.code(), Some(2), "{name}");
        }
    }
}

#[test]
fn every_flow_is_the_same_after_it_was_formatted() {
    let rig = Rig::empty();
    let version = |name: &str| {
        let output = finish(&rig, &mut rig.praxis(&["flow", "show", name]));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        json_lines(&output.stdout)[0]["version"].clone()
    };
    for (scenario, flows) in scenarios() {
        let flow = &flows[0];
        for called in flows.iter().skip(1) {
            let name = called["flow"].as_str().unwrap();
            std::fs::write(rig.path(&format!("{name}.yaml")), called.to_string()).unwrap();
        }
        let file = format!("this_{scenario}.yaml");
        std::fs::write(rig.path(&file), flow.to_string()).unwrap();
        let before = version(&file);
        let (code, _, said) = rig.says(&["flow", "fmt", &file]);
        assert_eq!(code, Some(0), "{scenario}: {said}");
        assert_eq!(version(&file), before, "{scenario}");
        assert_eq!(rig.says(&["flow", "fmt", &file, "--check"]).0, Some(0), "{scenario}");
    }
}

#[test]
fn texts_of_every_kind_survive_formatting() {
    let rig = Rig::empty();
    let texts = [
        "a\nb\n", "a\n\n  b", " a\nb", "a\n\n", "yes", "7", "", "# no", "a: b", "x -> y",
        "\u{7}\n", "甲\n乙", "a \nb",
    ];
    let data: Map<String, Value> =
        texts.iter().enumerate().map(|(n, it)| (format!("t{n}"), json!(it))).collect();
    let flow = json!({"flow": "texts", "nodes": [{"id": "a", "call": "Convert", "params": {"data": data}}]});
    std::fs::write(rig.path("texts.yaml"), flow.to_string()).unwrap();
    let (code, _, said) = rig.says(&["flow", "fmt", "texts.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    let written = std::fs::read(rig.path("texts.yaml")).unwrap();
    assert_eq!(document::read(&written, DocumentFormat::Yaml).unwrap(), flow);
}
