//! Lost calls, effects in doubt, questions and second lives: what follows when a call does not succeed.

use crate::world::{World, broken, silent, task, unavailable, values};
use praxis_core::MAX_LOSSES;
use praxis_core::dataflow::resolve::OnUnresolved;
use praxis_core::fault::Fault;
use praxis_core::field_error::{FieldError, ViolationKind};
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::{CallOutcome, CheckVerdict, TaskEnding};
use praxis_core::journal::question::{QuestionAnswer, QuestionSubject};
use praxis_core::payload::{Payload, StoredValue};
use praxis_core::state::TaskStatus;
use praxis_core::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `a` writes what metadata says, `b` reads what `a` gave, `c` is on its own.
fn writing(tool: &str) -> Value {
    json!([
        {"step_id": "a", "tool": tool, "parameters": {"v": "{{m}}"}},
        {"step_id": "b", "tool": "read", "parameters": {"v": "{{a.outputs.id}}"}},
        {"step_id": "c", "tool": "read"},
    ])
}

fn world(tool: &str) -> World {
    let checked = json!({"id": "checked", "builtin": "c", "check_with": "read"});
    let orphan = json!({"id": "orphan", "builtin": "o", "check_with": "nobody"});
    let setup = task(writing(tool)).metadata(json!({"m": 1})).tool(checked).tool(orphan);
    let mut world = setup.start();
    world.succeed("c", json!({}));
    world
}

fn in_doubt(tool: &str, fault: Fault) -> QuestionSubject {
    let (tool, key) = (tool.into(), "task_1/a~1".to_owned());
    QuestionSubject::InDoubt { tool, key, started_at: Timestamp(1000), fault }
}

// A-059
#[test]
fn a_retry_waits_for_its_time_and_sends_the_same_key_and_arguments() {
    let mut world = world("write");
    world.fail("a", unavailable("write"));
    assert_eq!(world.statuses(), "a WAITING, b INIT, c SUCCESS");
    assert_eq!(world.state.status(), TaskStatus::Executing);
    assert!(world.state.wake_at().unwrap() > Timestamp(world.now));
    world.sleep();
    world.succeed("a", json!({"id": 7}));
    assert_eq!(world.calls(), [r#"a~1 {"v":1}"#, "c~1 {}", r#"a~1 {"v":1}"#, r#"b~1 {"v":7}"#]);
}

// A-080
#[test]
fn a_lost_call_that_may_run_again_does_with_the_same_key_and_arguments() {
    let mut world = world("read");
    world.tell(Event::Woken { by: "engine 2".into() });
    world.lose("a");
    world.succeed("a", json!({"id": 7}));
    assert_eq!(world.trace(), "a #1\nc #1\nc ok\nwoken\na lost\na #2\na ok\nb #1");
    assert_eq!(world.calls(), [r#"a~1 {"v":1}"#, "c~1 {}", r#"a~1 {"v":1}"#, r#"b~1 {"v":7}"#]);
}

// A-080
#[test]
fn a_call_that_is_lost_again_and_again_is_asked_about() {
    let mut world = world("read");
    for _ in 0..MAX_LOSSES {
        assert_eq!(world.running(), ["a"]);
        world.lose("a");
    }
    let fault = Fault::Interrupted { tool: "read".into() };
    assert_eq!(world.question().about, in_doubt("read", fault));
}

// A-080
#[test]
fn a_call_that_must_not_run_twice_is_in_doubt_after_a_crash_and_after_silence() {
    let lost = Fault::Interrupted { tool: "write".into() };
    for (how, fault) in
        [(CallOutcome::Lost, lost), (CallOutcome::InDoubt(silent("write")), silent("write"))]
    {
        let mut world = world("write");
        world.tell(world.finished("a", how));
        assert_eq!(world.statuses(), "a IN_DOUBT, b INIT, c SUCCESS");
        assert_eq!(world.question().about, in_doubt("write", fault));
        assert_eq!(world.question().step, Some("a".into()));
        assert_eq!(
            (world.state.status(), world.state.waits_for()),
            (TaskStatus::Waiting, Some("in_doubt"))
        );
        assert_eq!(world.calls().len(), 2);
    }
}

// A-080
#[test]
fn a_person_says_what_became_of_a_call_in_doubt() {
    let after = |answer: QuestionAnswer| {
        let mut world = world("write");
        world.fail("a", silent("write"));
        world.answer(answer);
        (world.statuses(), world.calls().split_off(2))
    };
    let calls = |calls: &[&str]| calls.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        after(QuestionAnswer::Done { output: json!({"id": 7}) }),
        ("a SUCCESS, b RUNNING, c SUCCESS".to_owned(), calls(&[r#"b~1 {"v":7}"#]))
    );
    assert_eq!(
        after(QuestionAnswer::NotDone),
        ("a RUNNING, b INIT, c SUCCESS".to_owned(), calls(&[r#"a~1 {"v":1}"#]))
    );
    assert_eq!(
        after(QuestionAnswer::DoAgain),
        ("a RUNNING, b INIT, c SUCCESS".to_owned(), calls(&[r#"a~2 {"v":1}"#]))
    );
    assert_eq!(
        after(QuestionAnswer::GiveUp { reason: "no".into() }),
        ("a ERROR, b SKIPPED, c SUCCESS".to_owned(), calls(&[]))
    );
}

// A-080
#[test]
fn giving_up_ends_the_task_with_the_persons_words_in_the_step() {
    let mut world = world("write");
    world.fail("a", silent("write"));
    world.answer(QuestionAnswer::GiveUp { reason: "not worth it".into() });
    let fault = Fault::GivenUp { reason: "not worth it".into() };
    assert_eq!(world.state.step("a").unwrap().fault, Some(fault));
    let fault = Fault::StepsFailed { steps: vec!["a".into()] };
    assert_eq!(world.ending(), &TaskEnding::Failed { fault });
}

// A-080
#[test]
fn the_tool_that_knows_is_asked_before_a_person_and_once() {
    let after = |verdict: CheckVerdict| {
        let mut world = world("checked");
        world.lose("a");
        assert_eq!(world.state.status(), TaskStatus::Executing);
        world.verdict("a", verdict);
        world
    };
    let head = "a #1\nc #1\nc ok\na lost\na is checked\n";
    let done = after(CheckVerdict::Done { output: Payload::json(json!({"id": 7})) });
    assert_eq!(done.trace(), format!("{head}a is done\nb #1"));
    let mut again = after(CheckVerdict::NotDone);
    assert_eq!(again.trace(), format!("{head}a is not_done\na #2"));
    assert_eq!(again.calls()[2], again.calls()[0]);
    again.lose("a");
    assert!(again.trace().ends_with("a lost\na is checked"));
    let unknown = after(CheckVerdict::Unknown { fault: Some(silent("read")) });
    assert_eq!(unknown.trace(), format!("{head}a is unknown\nasked about in_doubt"));
    let fault = Fault::Interrupted { tool: "checked".into() };
    assert_eq!(unknown.question().about, in_doubt("checked", fault));
}

// A-080
#[test]
fn a_check_that_a_crash_cut_off_is_made_again_but_not_for_ever() {
    let mut world = world("checked");
    world.lose("a");
    world.verdict("a", CheckVerdict::Lost);
    assert!(world.trace().ends_with("a is checked\na is lost\na is checked"));
    for _ in 0..10 {
        if world.state.questions.is_empty() {
            world.verdict("a", CheckVerdict::Lost);
        }
    }
    assert!(world.trace().ends_with("a is lost\nasked about in_doubt"));
    assert_eq!(world.trace().matches("a is checked").count(), 4);
}

// A-080
#[test]
fn a_person_is_asked_at_once_when_the_tool_that_knows_is_not_there() {
    let mut world = world("orphan");
    world.lose("a");
    assert_eq!(world.trace(), "a #1\nc #1\nc ok\na lost\nasked about in_doubt");
}

/// `a` needs two values that nobody has; `b` is on its own.
fn asking(on_unresolved: OnUnresolved) -> World {
    let steps = json!([
        {"step_id": "a", "tool": "typed", "parameters": {"n": "{{count}}", "to": ["{{who}}"], "k": 1}},
        {"step_id": "b", "tool": "read"},
        {"step_id": "d", "tool": "read", "depends_on": ["a"]},
    ]);
    let typed = json!({"id": "typed", "builtin": "t", "input_schema": {"type": "object", "properties": {
        "n": {"type": "integer"}, "to": {"type": "array", "items": {"type": "string"}}}}});
    task(steps).tool(typed).options(|options| options.on_unresolved = on_unresolved).start()
}

// A-018, A-080
#[test]
fn missing_values_are_asked_for_with_their_schemas_while_other_branches_run() {
    let world = asking(OnUnresolved::Ask);
    assert_eq!(world.statuses(), "a PARAM, b RUNNING, d INIT");
    assert_eq!(world.state.status(), TaskStatus::Executing);
    let question = world.question();
    let QuestionSubject::Param { fault, fields, .. } = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!(fault.code(), "unresolved_placeholder");
    assert_eq!(
        *fields,
        BTreeMap::from([
            ("/n".to_owned(), json!({"type": "integer"})),
            ("/to/0".to_owned(), json!({"type": "string"})),
        ])
    );
}

// A-015, A-018, A-080
#[test]
fn the_values_of_a_person_are_sent_as_they_are() {
    let mut world = asking(OnUnresolved::Ask);
    world.answer(values(json!({"/n": 3, "/to/0": "{{k}} ${HOME} \\{{"})));
    let sent = json!({"k": 1, "n": 3, "to": ["{{k}} ${HOME} \\{{"]});
    assert_eq!(world.calls().last().unwrap(), &format!("a~1 {sent}"));
    let given = &world.state.step("a").unwrap().given["/n"];
    assert_eq!((&given.value, &*given.by), (&json!(3), "lin"));
}

// A-080
#[test]
fn an_answer_with_missing_unwanted_or_unfit_values_is_refused_place_by_place() {
    let question = asking(OnUnresolved::Ask).question();
    let error = |pointer: &str, en: &str, zh: &str| FieldError::new(pointer, (en, zh));
    assert_eq!(
        question.check(&values(json!({"/n": "three", "/x": 1}))),
        Err(vec![
            error("/to/0", "missing value", "缺少值"),
            error("/n", r#"must be an integer, got "three""#, r#"类型应为整数，实际为 "three""#)
                .of_kind(ViolationKind::Form),
            error("/x", "this value was not asked for", "问题没有询问这个值"),
        ])
    );
    assert_eq!(
        question.check(&QuestionAnswer::NotDone),
        Err(vec![error(
            "",
            "a question of kind `param` does not accept this kind of answer",
            "`param` 类问题不接受这种回答"
        )])
    );
}

// A-018
#[test]
fn without_anybody_to_ask_a_missing_value_fails_the_step_or_stays_as_text() {
    let mut refused = asking(OnUnresolved::Error);
    refused.run();
    assert_eq!(
        refused.trace(),
        "a refused: unresolved_placeholder\nb #1\nb ok\nfailed: steps failed: a"
    );
    let kept = task(json!([{"step_id": "a", "tool": "read", "parameters": {"v": "{{x}} y"}}]));
    let kept = kept.options(|options| options.on_unresolved = OnUnresolved::Keep).start();
    assert_eq!(kept.calls(), [r#"a~1 {"v":"{{x}} y"}"#]);
}

// A-017, A-080
#[test]
fn arguments_that_do_not_fit_the_schema_never_reach_the_tool() {
    let steps = json!([
        {"step_id": "a", "tool": "read"},
        {"step_id": "b", "tool": "typed", "parameters": {"n": "{{a.outputs.n}}"}},
    ]);
    let typed = json!({"id": "typed", "builtin": "t", "input_schema": {"type": "object",
        "properties": {"n": {"type": "integer"}}}});
    let mut world = task(steps).tool(typed).start();
    world.succeed("a", json!({"n": "7"}));
    let detail = (r#"must be an integer, got "7""#, r#"类型应为整数，实际为 "7""#);
    let errors = vec![FieldError::new("/n", detail).of_kind(ViolationKind::Form)];
    assert_eq!(world.state.step("b").unwrap().fault, Some(Fault::ParamsInvalid { errors }));
    assert_eq!(world.calls().len(), 1);
}

// A-003, A-080
#[test]
fn arguments_with_a_value_in_a_blob_are_left_to_the_check_that_sees_it() {
    let steps = json!([
        {"step_id": "s", "tool": "read"},
        {"step_id": "t", "tool": "typed", "parameters": {"a": "{{s.outputs.rows}}"}},
    ]);
    let typed = json!({"id": "typed", "builtin": "t", "input_schema": {"type": "object",
        "properties": {"a": {"type": "array"}}, "oneOf": [{"properties": {"a": {"type": "array"}}}]}});
    let mut world = task(steps).tool(typed).start();
    let output = json!({"rows": vec!["x".repeat(50); 2000], "total": 2000});
    let stored = StoredValue::describe(&output, &output.to_string(), "blob".into());
    world.tell(world.finished("s", CallOutcome::Succeeded(Payload::Blob(Arc::new(stored)))));
    assert_eq!(world.statuses(), "s SUCCESS, t RUNNING", "`null` stands there only until the call");
}

// A-080
#[test]
fn a_reopened_task_keeps_finished_steps_and_keys_and_counts_retries_anew() {
    let mut world = world("read");
    for _ in 0..3 {
        world.fail("a", unavailable("read"));
        world.sleep();
    }
    world.fail("a", unavailable("read"));
    assert_eq!(world.statuses(), "a ERROR, b SKIPPED, c SUCCESS");
    world.reopen(2, &[]);
    assert_eq!(world.statuses(), "a RUNNING, b INIT, c SUCCESS");
    assert_eq!(world.calls().last().unwrap(), r#"a~1 {"v":1}"#);
    world.fail("a", unavailable("read"));
    world.sleep();
    world.succeed("a", json!({"id": 7}));
    world.run();
    assert_eq!((world.ending(), world.state.epoch), (&TaskEnding::Completed, 2));
    assert_eq!(world.state.step("a").unwrap().attempt, 6);
    assert_eq!(world.state.counters.step_retry_count, 4);
}

// A-080
#[test]
fn an_invalidated_step_runs_again_as_a_new_effect_and_what_reads_it_sees_the_new_value() {
    let mut world = world("write");
    world.succeed("a", json!({"id": 7}));
    world.fail("b", broken("read"));
    world.reopen(2, &["a", "b"]);
    assert_eq!(world.statuses(), "a RUNNING, b INIT, c SUCCESS");
    assert!(world.state.context.runtime("id").is_none());
    world.succeed("a", json!({"id": 8}));
    assert_eq!(world.calls().split_off(2), [r#"b~1 {"v":7}"#, r#"a~2 {"v":1}"#, r#"b~2 {"v":8}"#]);
}

// A-080
#[test]
fn a_step_in_doubt_stays_so_over_the_end_of_the_task_and_is_asked_about_again() {
    let mut world = world("write");
    world.fail("a", silent("write"));
    world.cancel();
    assert_eq!(world.statuses(), "a IN_DOUBT, b CANCELLED, c SUCCESS");
    assert!(world.state.questions.is_empty());
    world.reopen(2, &[]);
    assert_eq!(world.question().about, in_doubt("write", silent("write")));
    world.answer(QuestionAnswer::Done { output: json!({"id": 7}) });
    world.run();
    assert_eq!(world.statuses(), "a SUCCESS, b SUCCESS, c SUCCESS");
}

// A-080
#[test]
fn a_cancelled_task_lets_its_calls_end_starts_nothing_and_can_be_taken_up_again() {
    let mut world = world("read");
    world.cancel();
    assert_eq!(
        (world.state.status(), world.running()),
        (TaskStatus::Executing, vec!["a".to_owned()])
    );
    world.succeed("a", json!({"id": 7}));
    assert_eq!(world.statuses(), "a SUCCESS, b CANCELLED, c SUCCESS");
    assert_eq!(world.ending(), &TaskEnding::Cancelled { reason: "enough".into() });
    assert_eq!(world.state.status(), TaskStatus::Cancelled);
    world.reopen(2, &[]);
    world.run();
    assert_eq!(world.state.status(), TaskStatus::Completed);
}

// A-080
#[test]
fn a_cancelled_task_with_nothing_in_flight_ends_at_once_and_closes_its_questions() {
    let mut waiting = world("write");
    waiting.fail("a", unavailable("write"));
    waiting.cancel();
    assert_eq!(waiting.statuses(), "a CANCELLED, b CANCELLED, c SUCCESS");
    assert_eq!(waiting.state.wake_at(), None);
    let mut asked = asking(OnUnresolved::Ask);
    asked.succeed("b", json!({}));
    asked.cancel();
    assert_eq!(asked.statuses(), "a CANCELLED, b SUCCESS, d CANCELLED");
    assert!(asked.state.questions.is_empty());
}

// A-080
#[test]
fn a_task_that_was_asking_asks_again_when_it_is_taken_up_again() {
    let mut world = asking(OnUnresolved::Ask);
    world.succeed("b", json!({}));
    world.cancel();
    world.reopen(2, &[]);
    world.answer(values(json!({"/n": 3, "/to/0": "lin"})));
    world.run();
    assert_eq!(world.statuses(), "a SUCCESS, b SUCCESS, d SUCCESS");
}
