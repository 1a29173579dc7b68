//! Plans as they come in: rows A-041 and A-042.

use praxis_core::call::manifest;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::StepId;
use praxis_core::intake::plan::{GATHER, Plan, PlannedStep};
use praxis_core::intake::{check, plan};
use praxis_core::problem::Problem;
use praxis_core::problem::reason::ProblemReason;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

fn toolbox() -> Toolbox {
    let tools = json!([
        {"id": "any", "builtin": "any"},
        {"id": "search", "builtin": "search",
            "input_schema": {"type": "object", "required": ["query"], "additionalProperties": false,
                "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}},
            "output_schema": {"type": "object", "properties": {
                "hits": {"type": "array", "items": {"type": "object", "properties": {"url": {}}}},
                "total": {"type": "integer"}, "a.b": {"type": "object"}}}},
    ]);
    let tools = manifest::read(&tools).unwrap().into_iter();
    tools.map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
}

fn call(id: &str, tool: &str, parameters: Value, depends_on: &[&str]) -> PlannedStep {
    PlannedStep {
        id: id.into(),
        name: String::new(),
        tool: tool.into(),
        parameters,
        depends_on: depends_on.iter().map(|id| StepId::from(*id)).collect(),
        actions: vec![],
        expected_ms: None,
        node: None,
    }
}

fn read(steps: &Value) -> Result<Vec<PlannedStep>, Vec<String>> {
    let shown = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect();
    plan::read(&json!({ "steps": steps })).map(|plan| plan.steps).map_err(shown)
}

/// The ids in their order, each with what it depends on: `b: a`.
fn checked(steps: &Value) -> Result<Vec<String>, Vec<String>> {
    checked_with(steps, &json!({}), &[])
}

fn checked_with(
    steps: &Value,
    metadata: &Value,
    finished: &[&str],
) -> Result<Vec<String>, Vec<String>> {
    let plan = plan::read(&json!({ "steps": steps })).unwrap();
    let finished: BTreeSet<StepId> = finished.iter().map(|id| StepId::from(*id)).collect();
    let checked = check::check(&plan, &toolbox(), metadata.as_object().unwrap(), &finished);
    let line = |step: &PlannedStep| {
        let needs: Vec<&str> = step.depends_on.iter().map(StepId::as_str).collect();
        format!("{}: {}", step.id, needs.join(" ")).trim_end_matches(": ").to_owned()
    };
    checked
        .map(|plan| plan.steps.iter().map(line).collect())
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

fn refused(why: &str) -> Result<Vec<String>, Vec<String>> {
    Err(vec![why.to_owned()])
}

// A-041
#[test]
fn a_plan_is_read_with_the_documents_field_names() {
    let document = json!({
        "plan_id": "p-1", "plan_description": "what for", "expected_duration_sec": 90,
        "metadata": {"project": 7},
        "steps": [{"step_id": "s", "step_name": "Search", "tool": "search", "expected_duration_sec": 1.5,
            "parameters": {"query": "x"}, "depends_on": ["r"], "expected_output": "links"}],
    });
    let step = PlannedStep {
        name: "Search".into(),
        expected_ms: Some(1500),
        node: None,
        ..call("s", "search", json!({"query": "x"}), &["r"])
    };
    let expected = Plan {
        plan_id: Some("p-1".into()),
        description: "what for".into(),
        expected_duration_sec: Some(90.0),
        steps: vec![step],
    };
    assert_eq!(plan::read(&document), Ok(expected));
    assert_eq!(plan::metadata(&document), Map::from_iter([("project".to_owned(), json!(7))]));
}

// A-041
#[test]
fn parameters_are_an_object_or_its_json_text_and_the_aliases_are_the_same() {
    let expected = Ok(vec![call("s", "any", json!({"n": "{{a.outputs.n}}"}), &["a"])]);
    for step in [
        json!({"step_id": "s", "tool": "any", "parameters": {"n": "{{a.outputs.n}}"}, "depends_on": ["a"]}),
        json!({"step_id": "s", "tool_id": "any", "parameters": r#"{"n": "{{a.outputs.n}}"}"#, "dependencies": ["a"]}),
        json!({"step_id": "s", "tool_id": "any", "parameters": r#"{"n": {{a.outputs.n}}}"#, "dependencies": ["a", "a"]}),
        json!({"step_id": "s", "tool": null, "tool_id": "any", "parameters": r#"{"n":{{a.outputs.n}}}"#,
            "depends_on": null, "dependencies": ["a"]}),
    ] {
        assert_eq!(read(&json!([step])), expected, "{step}");
    }
    for nothing in [json!(null), json!({}), json!(""), json!("{}")] {
        let step =
            json!({"step_id": "s", "tool": "any", "parameters": nothing, "depends_on": null});
        assert_eq!(read(&json!([step])), Ok(vec![call("s", "any", json!({}), &[])]));
    }
}

// A-041
#[test]
fn dependencies_under_both_names_are_all_kept() {
    let step =
        json!({"step_id": "s", "tool": "any", "depends_on": ["a"], "dependencies": ["b", "a"]});
    assert_eq!(read(&json!([step])), Ok(vec![call("s", "any", json!({}), &["a", "b"])]));
}

// A-021, A-041
#[test]
fn parameters_that_are_no_object_refuse_the_plan() {
    for (parameters, why) in [
        (json!([1]), "expected the parameters to be an object, got array"),
        (json!("[1]"), "expected the parameters to be an object, got array"),
        (json!("oops"), "the parameters are not valid JSON: line 1 column 1: expected value"),
    ] {
        let steps = json!([{"step_id": "s", "tool": "any", "parameters": parameters}]);
        let expected = format!("params_not_json: step `s`, parameters: {why}");
        assert_eq!(read(&steps), Err(vec![expected]));
    }
}

// A-041
#[test]
fn an_unknown_field_is_refused_with_the_nearest_known_one() {
    let steps = json!([
        {"step_id": "s", "tool": "any", "dependson": ["a"]},
        {"step_id": "t", "actions": [{"action_id": "u", "tool": "any", "params": {}}]},
    ]);
    assert_eq!(
        read(&steps),
        Err(vec![
            "unknown_field: steps[0]: unknown field `dependson` (did you mean `depends_on` or `dependencies`?)".into(),
            "unknown_field: step `t`, actions[0]: unknown field `params` (did you mean `parameters`?)".into(),
        ])
    );
}

// A-041
#[test]
fn everything_that_is_wrong_with_the_form_is_told_at_once() {
    let steps = json!([
        5,
        {"tool": "any"},
        {"step_id": "a/b", "tool": "any"},
        {"step_id": "c"},
        {"step_id": "d", "tool": "any", "depends_on": "c"},
        {"step_id": "e", "tool": "any", "actions": [{"action_id": "f", "tool": "any"}]},
        {"step_id": "g", "actions": []},
        {"step_id": "h", "tool": "any", "expected_duration_sec": "soon"},
    ]);
    assert_eq!(
        read(&steps),
        Err([
            "step_shape: steps[0]: must be an object",
            "step_shape: steps[1]: `step_id` is required and must be a string",
            "bad_id: steps[2]: `step_id`: it contains '/', which is not allowed in an id",
            "step_shape: step `c`: missing `tool` (the id of a tool)",
            "step_shape: step `d`: `depends_on` must be a list of step ids",
            "step_shape: step `e`: use either `tool` or `actions`, not both",
            "step_shape: step `g`: `actions` must be a list with at least one action",
            "step_shape: step `h`: `expected_duration_sec` must be a number of seconds",
        ]
        .map(String::from)
        .to_vec())
    );
}

// A-042
#[test]
fn a_plan_without_steps_is_refused() {
    let empty = plan::read(&json!({"steps": []})).unwrap_err();
    assert_eq!(empty, [Problem::of(&ProblemReason::PlanEmpty, "steps")]);
    for no_plan in [json!({}), json!({"steps": {}}), json!([]), json!("steps")] {
        assert_eq!(plan::read(&no_plan).unwrap_err()[0].code, "plan_shape", "{no_plan}");
    }
}

// A-042, A-047
#[test]
fn actions_become_steps_before_the_one_that_gathers_them() {
    let steps = json!([
        {"step_id": "a", "tool": "any"},
        {"step_id": "s", "step_name": "both", "depends_on": ["a"], "actions": [
            {"action_id": "s_1", "tool": "any"},
            {"action_id": "s_2", "name": "second", "tool_id": "any", "dependencies": ["s_1", "a"]},
        ]},
    ]);
    assert_eq!(
        read(&steps),
        Ok(vec![
            call("a", "any", json!({}), &[]),
            call("s_1", "any", json!({}), &["a"]),
            PlannedStep { name: "second".into(), ..call("s_2", "any", json!({}), &["a", "s_1"]) },
            PlannedStep {
                name: "both".into(),
                actions: vec!["s_1".into(), "s_2".into()],
                ..call("s", GATHER, json!({}), &["a"])
            },
        ])
    );
    assert_eq!(
        checked(&steps),
        Ok(["a", "s_1: a", "s_2: a s_1", "s: a"].map(String::from).to_vec())
    );
}

// A-042
#[test]
fn steps_are_put_in_an_order_that_can_run_and_otherwise_left_as_written() {
    let steps = json!([
        {"step_id": "d", "tool": "any", "depends_on": ["c", "b"]},
        {"step_id": "c", "tool": "any", "depends_on": ["a"]},
        {"step_id": "b", "tool": "any", "depends_on": ["a"]},
        {"step_id": "a", "tool": "any"},
    ]);
    assert_eq!(checked(&steps), Ok(["a", "c: a", "b: a", "d: c b"].map(String::from).to_vec()));
}

// A-042
#[test]
fn a_step_that_reads_another_depends_on_it_in_every_form() {
    for written in ["{{a.outputs.x}}", "{{a.x}}", "text ${a.output.x}", "{{{a}}}", "a.output"] {
        let steps = json!([
            {"step_id": "b", "tool": "any", "parameters": {"deep": [{"v": written}]}},
            {"step_id": "a", "tool": "any"},
        ]);
        assert_eq!(checked(&steps), Ok(vec!["a".into(), "b: a".into()]), "{written}");
    }
}

// A-042
#[test]
fn two_steps_or_actions_with_one_id_are_refused() {
    let why = "duplicate_step: step `a`: another step or action of the task has the same id";
    let twice = json!([{"step_id": "a", "tool": "any"}, {"step_id": "a", "tool": "any"}]);
    assert_eq!(checked(&twice), refused(why));
    let action = json!([
        {"step_id": "a", "tool": "any"},
        {"step_id": "s", "actions": [{"action_id": "a", "tool": "any"}]},
    ]);
    assert_eq!(checked(&action), refused(why));
    let again = json!([{"step_id": "a", "tool": "any"}]);
    assert_eq!(checked_with(&again, &json!({}), &["a"]), refused(why));
}

// A-042
#[test]
fn a_step_that_depends_on_itself_or_reads_itself_is_refused() {
    assert_eq!(
        checked(&json!([{"step_id": "a", "tool": "any", "depends_on": ["a"]}])),
        refused("self_dependency: step `a`: the step depends on itself")
    );
    assert_eq!(
        checked(&json!([{"step_id": "a", "tool": "any", "parameters": {"v": "{{a.outputs.x}}"}}])),
        refused(
            "self_dependency: step `a`, parameters/v: `{{a.outputs.x}}` reads the output of its own step"
        )
    );
}

// A-042
#[test]
fn unknown_dependencies_tools_and_steps_in_placeholders_are_refused_with_near_names() {
    let steps = json!([
        {"step_id": "step_1", "tool": "serach", "parameters": {"query": "x"}},
        {"step_id": "step_2", "tool": "any", "depends_on": ["step_11"],
            "parameters": {"v": "{{stp_1.outputs.x}}", "w": "{{a..b}}"}},
    ]);
    assert_eq!(
        checked(&steps),
        Err([
            "unknown_tool: step `step_1`: unknown tool `serach` (did you mean `search`?)",
            "unknown_dependency: step `step_2`: the step depends on `step_11`, which is not in the plan (did you mean `step_1` or `step_2`?)",
            "unknown_step: step `step_2`, parameters/v: `{{stp_1.outputs.x}}` refers to step `stp_1`, which is not in the plan (did you mean `step_1` or `step_2`?)",
            r#"bad_placeholder: step `step_2`, parameters/w: `{{a..b}}`: the path is not a name followed by `.name`, `[0]` or `["name"]` (write `\{{` for literal braces)"#,
        ]
        .map(String::from)
        .to_vec())
    );
}

// A-042, A-045
#[test]
fn a_cycle_is_refused_step_by_step_whether_written_or_read() {
    let advice = "(remove one of these dependencies or references)";
    let written = json!([
        {"step_id": "z", "tool": "any"},
        {"step_id": "a", "tool": "any", "depends_on": ["c", "z"]},
        {"step_id": "b", "tool": "any", "depends_on": ["a"]},
        {"step_id": "c", "tool": "any", "depends_on": ["b"]},
        {"step_id": "d", "tool": "any", "depends_on": ["c"]},
    ]);
    let read = json!([
        {"step_id": "a", "tool": "any", "parameters": {"v": "{{c.output}}"}},
        {"step_id": "b", "tool": "any", "depends_on": ["a"]},
        {"step_id": "c", "tool": "any", "parameters": {"v": "x ${b.output.y}"}},
    ]);
    for cyclic in [written, read] {
        let why =
            format!("cycle: step `b`: the steps depend on each other: b → c → a → b {advice}");
        assert_eq!(checked(&cyclic), refused(&why));
    }
    let own_step = json!([{"step_id": "s", "actions": [
        {"action_id": "s_1", "tool": "any", "depends_on": ["s"]}]}]);
    let why = format!("cycle: step `s`: the steps depend on each other: s → s_1 → s {advice}");
    assert_eq!(checked(&own_step), refused(&why));
}

// A-042
#[test]
fn a_finished_step_of_an_earlier_plan_counts_as_satisfied() {
    let steps = json!([
        {"step_id": "c", "tool": "any", "depends_on": ["a", "b"], "parameters": {"v": "{{a.outputs.x}}"}},
        {"step_id": "b", "tool": "any"},
    ]);
    assert_eq!(checked_with(&steps, &json!({}), &["a"]), Ok(vec!["b".into(), "c: b".into()]));
}

// A-042
#[test]
fn missing_unknown_and_unfit_parameters_are_refused_and_placeholders_wait() {
    let with = |parameters: Value| {
        checked(&json!([{"step_id": "s", "tool": "search", "parameters": parameters}]))
    };
    assert_eq!(
        with(json!({"limit": 0, "qurey": "x"})),
        Err([
            "missing_parameter: step `s`, parameters/query: tool `search` requires the parameter `query`",
            "bad_parameter: step `s`, parameters/limit: must be at least 1, got 0",
            "unknown_parameter: step `s`, parameters/qurey: tool `search` has no parameter `qurey` (did you mean `query`?)",
        ]
        .map(String::from)
        .to_vec())
    );
    assert_eq!(
        with(json!({"query": "x", "limit": "ten"})),
        refused(r#"bad_parameter: step `s`, parameters/limit: must be an integer, got "ten""#)
    );
    assert_eq!(with(json!({"query": "{{q}}", "limit": "{{n}}"})), Ok(vec!["s".into()]));
}

// A-042, A-012
#[test]
fn a_field_that_the_declared_output_cannot_have_is_refused() {
    let with = |written: &str| {
        checked(&json!([
            {"step_id": "a", "tool": "search", "parameters": {"query": "x"}},
            {"step_id": "b", "tool": "any", "parameters": {"v": written}},
        ]))
    };
    for (written, reached, field, near) in [
        ("{{a.outputs.totl}}", "", "totl", " (did you mean `total`?)"),
        ("{{a.hits[0].uri}}", ".hits[0]", "uri", " (did you mean `url`?)"),
    ] {
        let why = format!(
            "unknown_output_field: step `b`, parameters/v: `{written}`: the output of step `a`{reached} has no field `{field}`{near}"
        );
        assert_eq!(with(written), refused(&why));
    }
    for fine in [
        "{{a.outputs.total}}",
        "{{a.outputs.hits[0].url}}",
        "{{a.outputs.hits.0.url}}",
        "{{a.outputs.hits[0].url.anything}}",
        "{{a.output}}",
        r#"{{a.outputs["a.b"].c}}"#,
        "{{a.outputs.a.b.c}}",
    ] {
        assert_eq!(with(fine), Ok(vec!["a".into(), "b: a".into()]), "{fine}");
    }
}

// A-042
#[test]
fn a_metadata_key_that_is_a_step_id_is_refused() {
    let steps = json!([{"step_id": "a", "tool": "any"}]);
    assert_eq!(
        checked_with(&steps, &json!({"a": 1, "b": 2}), &[]),
        refused(
            "metadata_is_step: step `a`: a metadata key has the same name as this step (rename the key or the step: `{{name}}` could mean either)"
        )
    );
}

// A-042
#[test]
fn a_parameter_that_is_too_large_is_refused_with_a_way_out() {
    let large = json!([{"step_id": "a", "tool": "any", "parameters": {"v": "x".repeat(70_000)}}]);
    assert_eq!(
        checked(&large),
        refused(
            "parameter_too_large: step `a`: the parameters are longer than 65536 bytes (pass the large value with --params and refer to it with a placeholder)"
        )
    );
}
