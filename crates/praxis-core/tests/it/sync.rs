//! How results become runtime metadata: rows A-022 to A-029.

use crate::layers::{arguments, failure, layers, success, text};
use crate::world::{reads, silent, task, unavailable};
use praxis_core::call::manifest;
use praxis_core::dataflow::context::{Context, NotSynced};
use praxis_core::ids::StepId;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::CheckVerdict;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::payload::{Payload, PayloadValue, StoredValue};
use serde_json::{Value, json};
use std::sync::Arc;

fn all(context: &Context) -> Value {
    let shown = |(name, datum)| match datum {
        PayloadValue::Value(value) => (name, Value::clone(value)),
        PayloadValue::InBlob { .. } => (name, json!("in a blob")),
    };
    Value::Object(context.all_metadata().into_iter().map(shown).collect())
}

// A-022
#[test]
fn a_tool_that_declares_output_params_syncs_those_that_are_there_and_counts_them() {
    let mut context = layers(json!({}), &[]);
    let output = json!({"id": 1, "name": "x", "log": "long"});
    let synced = success(&mut context, "s", output, &["id", "name", "absent"]);
    assert_eq!(synced, Ok(2));
    assert_eq!(all(&context), json!({"id": 1, "name": "x", "s_id": 1, "s_name": "x"}));
}

// A-022
#[test]
fn output_params_are_an_object_its_json_text_or_a_list_and_bad_or_empty_ones_mean_all() {
    let names = |output_params: Value| -> Vec<String> {
        let manifest = json!({"id": "t", "builtin": "t", "output_params": output_params});
        let tool = manifest::read(&manifest).unwrap().remove(0);
        tool.contract("manifest".into()).output_params.iter().map(ToString::to_string).collect()
    };
    for declared in [json!({"id": "string"}), json!(r#"{"id": "string"}"#), json!(["id"])] {
        assert_eq!(names(declared), ["id"]);
    }
    for nothing in [json!({}), json!(""), json!("{"), json!("{}"), json!(null), json!([]), json!(3)]
    {
        assert_eq!(names(nothing), [] as [&str; 0]);
    }
}

// A-023
#[test]
fn without_output_params_all_top_level_keys_are_synced_however_many() {
    let many: serde_json::Map<String, Value> =
        (0..500).map(|n| (format!("key_{n}"), json!(n))).collect();
    let mut context = layers(json!({}), &[]);
    assert_eq!(success(&mut context, "s", json!(many), &[]), Ok(500));
    assert_eq!(arguments(&context, json!(["{{key_499}}", "{{s_key_0}}"])), json!([499, 0]));
}

// A-022, A-023
#[test]
fn all_keys_of_a_large_output_are_synced_too() {
    let many: serde_json::Map<String, Value> =
        (0..100).map(|n| (format!("key_{n:03}"), json!("x".repeat(1000)))).collect();
    let output = json!(many);
    let stored = StoredValue::describe(&output, &output.to_string(), "blob".into());
    let mut context = layers(json!({}), &[]);
    let index = context.declare(&StepId::from("s"));
    let result = crate::layers::result("s", Payload::Blob(Arc::new(stored)), true);
    assert_eq!(context.record(index, result, &[Arc::from("key_099")]), Ok(1));
}

// A-023, A-025
#[test]
fn an_array_a_scalar_or_a_text_syncs_nothing_and_the_result_is_still_there() {
    for output in [json!([1, 2]), json!(5), json!("words"), json!(null)] {
        let mut context = layers(json!({}), &[]);
        assert_eq!(success(&mut context, "s", output.clone(), &[]), Err(NotSynced::NotAnObject));
        assert_eq!(all(&context), json!({}));
        assert_eq!(text(&context, "{{s.output}}"), output);
    }
}

// A-024
#[test]
fn every_value_has_two_names_and_a_collision_keeps_both_prefixed_ones() {
    let context = layers(
        json!({"id": "initial", "other": 0}),
        &[("s_1", json!({"id": 1})), ("s_2", json!({"id": {"n": 2}}))],
    );
    assert_eq!(all(&context), json!({"id": {"n": 2}, "other": 0, "s_1_id": 1, "s_2_id": {"n": 2}}));
}

// A-025
#[test]
fn a_failed_step_syncs_nothing_and_takes_back_what_it_synced_before() {
    let mut context = layers(json!({}), &[("a", json!({"id": 1})), ("b", json!({"id": 2}))]);
    assert_eq!(failure(&mut context, "b", json!({"id": 3})), Err(NotSynced::Failed));
    assert_eq!(all(&context), json!({"id": 1, "a_id": 1}));
}

// A-025
#[test]
fn a_task_goes_on_when_nothing_can_be_synced() {
    let mut world = task(reads(&["a", "b: a"])).start();
    world.succeed("a", json!("not an object"));
    assert_eq!(world.running(), ["b"]);
}

// A-025, A-047
#[test]
fn actions_sync_like_steps() {
    let steps = json!([
        {"step_id": "s", "actions": [{"action_id": "s_1", "tool": "read"}, {"action_id": "s_2", "tool": "read"}]},
        {"step_id": "t", "tool": "read", "depends_on": ["s"], "parameters": {"v": ["{{id}}", "{{s_1_id}}"]}},
    ]);
    let mut world = task(steps).start();
    world.succeed("s_2", json!({"id": 2}));
    world.succeed("s_1", json!({"id": 1}));
    assert_eq!(world.calls().last().unwrap(), r#"t~1 {"v":[1,1]}"#);
}

// A-026
#[test]
fn a_retry_a_check_and_an_answer_sync_like_a_first_success() {
    let steps = json!([
        {"step_id": "a", "tool": "checked"},
        {"step_id": "b", "tool": "read", "depends_on": ["a"], "parameters": {"id": "{{id}}", "own": "{{a_id}}"}},
    ]);
    let after = |how: &dyn Fn(&mut crate::world::World)| {
        let checked = json!({"id": "checked", "builtin": "x", "retry_delay": "1s",
            "check_with": "read", "output_params": {"id": ""}});
        let mut world = task(steps.clone()).tool(checked).start();
        how(&mut world);
        world.calls().last().unwrap().clone()
    };
    let output = json!({"id": 7, "log": ""});
    let payload = || Payload::json(output.clone());
    let by_retry = after(&|world| {
        world.fail("a", unavailable("checked"));
        world.sleep();
        world.succeed("a", output.clone());
    });
    let by_check = after(&|world| {
        world.fail("a", silent("checked"));
        world.verdict("a", CheckVerdict::Done { output: payload() });
    });
    let by_answer = after(&|world| {
        world.fail("a", silent("checked"));
        world.verdict("a", CheckVerdict::Unknown { fault: None });
        world.answer(QuestionAnswer::Done { output: output.clone() });
    });
    for call in [by_retry, by_check, by_answer] {
        assert_eq!(call, r#"b~1 {"id":7,"own":7}"#);
    }
}

// A-026
#[test]
fn the_result_of_another_tool_is_kept_under_the_steps_id_and_synced_by_that_tools_declaration() {
    let other = json!({"id": "other", "builtin": "o", "output_params": ["id"]});
    let mut world = task(reads(&["a"])).tool(other).start();
    world.fail("a", unavailable("read"));
    let due = Event::RetryDue { step: "a".into() };
    let started = Event::StepStarted {
        step: "a".into(),
        attempt: 2,
        generation: 1,
        tool: Some("other".into()),
        arguments: Payload::json(json!({})),
        holes: vec![],
        reserved: None,
    };
    world.now = world.state.wake_at().unwrap().0;
    world.fold(due).unwrap();
    world.tell(started);
    world.succeed("a", json!({"id": 1, "log": "x"}));
    let index = world.state.context.index_of("a").unwrap();
    let result = world.state.context.result(index).unwrap();
    assert_eq!((result.step_id.as_str(), result.tool_id.as_str()), ("a", "other"));
    assert_eq!(all(&world.state.context), json!({"id": 1, "a_id": 1}));
}

// A-027
#[test]
fn a_new_plan_reads_what_earlier_steps_left() {
    let mut world = task(reads(&["a", "b"])).metadata(json!({"m": 0})).start();
    world.succeed("a", json!({"id": 1}));
    world.plan(
        2,
        &json!([{"step_id": "c", "tool": "read", "depends_on": ["a"],
            "parameters": {"v": ["{{a.outputs.id}}", "{{id}}", "{{m}}"]}}]),
    );
    assert_eq!(world.calls().last().unwrap(), r#"c~1 {"v":[1,1,0]}"#);
    assert_eq!(world.state.counters.task_replan_count, 1);
}

// A-027
#[test]
fn a_new_plan_cannot_reuse_an_id_so_old_results_are_never_overwritten() {
    let mut world = task(reads(&["step_1", "step_2"])).start();
    world.succeed("step_1", json!({"id": 1}));
    let steps = world.state.steps.iter().map(|step| step.plan.clone()).take(1).collect();
    let refused = world.would(Event::planned(2, steps)).unwrap_err();
    assert_eq!(refused.why, "the step id is already in use");
    assert_eq!(world.output("step_1"), json!({"id": 1}));
}

// A-028
#[test]
fn the_merged_view_is_the_same_in_every_order_of_equal_facts() {
    let one = layers(json!({"z": 1, "a": 2}), &[("s", json!({"y": 3, "b": 4}))]);
    let other = layers(json!({"a": 2, "z": 1}), &[("s", json!({"b": 4, "y": 3}))]);
    let names = |context: &Context| context.all_metadata().into_keys().collect::<Vec<_>>();
    assert_eq!(names(&one), ["a", "b", "s_b", "s_y", "y", "z"]);
    assert_eq!(names(&one), names(&other));
}

// A-029
#[test]
fn the_record_of_a_step_has_its_parameters_as_planned_and_as_sent_and_the_fields_it_synced() {
    let steps = json!([
        {"step_id": "a", "tool": "read"},
        {"step_id": "b", "tool": "read", "parameters": {"id": "{{a.outputs.id}}"}},
    ]);
    let mut world = task(steps).start();
    world.succeed("a", json!({"id": 7, "log": "x"}));
    let step = world.state.step("b").unwrap();
    assert_eq!(step.plan.parameters, json!({"id": "{{a.outputs.id}}"}));
    assert_eq!(step.sent.as_ref().unwrap().arguments, Payload::json(json!({"id": 7})));
    let a = world.state.context.index_of("a").unwrap();
    assert_eq!(world.state.context.synced_fields(a), ["id".into(), "log".into()]);
}
