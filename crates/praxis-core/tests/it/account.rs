//! The account of a step: whose word its output is, what was sent, and where that came from.

use crate::world::{World, silent, task, unavailable};
use praxis_core::dataflow::resolve::{MissReason, OnUnresolved};
use praxis_core::fault::Fault;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::CheckVerdict;
use praxis_core::journal::question::QuestionAnswer;
use praxis_core::lang::Lang;
use praxis_core::payload::Payload;
use praxis_core::view::account::{Accounts, StepResolution};
use praxis_core::view::compare::compare;
use praxis_core::view::history::history;
use praxis_core::view::why::{ArgumentOrigin, ValueOrigin};
use serde_json::{Value, json};

/// `a` sends what the name `v` has; `w` writes that name too, and neither waits for the other.
fn world(tool: &str) -> World {
    let checked = json!({"id": "checked", "builtin": "c", "check_with": "read"});
    let steps = json!([
        {"step_id": "a", "tool": tool, "parameters": {"v": "{{v}}"}},
        {"step_id": "w", "tool": "read"},
    ]);
    task(steps).metadata(json!({"v": 1})).tool(checked).start()
}

fn accounts(world: &World) -> Accounts {
    Accounts::read(&world.journal).unwrap()
}

fn only(accounts: &Accounts, step: &str) -> ArgumentOrigin {
    let mut reasons = accounts.reasons(&step.into());
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    reasons.remove(0)
}

//
#[test]
fn the_origin_of_a_retried_call_is_that_of_its_first_attempt() {
    let mut world = world("read");
    world.fail("a", unavailable("read"));
    world.succeed("w", json!({"v": 2}));
    world.sleep();
    world.succeed("a", json!({}));
    let accounts = accounts(&world);
    let reason = only(&accounts, "a");
    assert_eq!((reason.value, reason.source), (Some(json!(1)), ValueOrigin::Initial));
    assert_eq!((reason.lookup, accounts.how(&"a".into())), (None, StepResolution::Called));
}

//
#[test]
fn where_record_and_look_up_differ_the_record_wins_and_the_reason_says_so() {
    let mut world = world("read");
    world.run();
    for entry in &mut world.journal {
        if let Event::StepStarted { step, arguments, .. } = &mut entry.event
            && step.as_str() == "a"
        {
            *arguments = Payload::json(json!({"v": 5}));
        }
    }
    let reason = only(&accounts(&world), "a");
    assert_eq!((reason.value, reason.lookup), (Some(json!(5)), Some(json!(1))));
}

//
#[test]
fn an_output_after_doubt_is_the_word_of_the_check_or_of_the_person() {
    let mut checked = world("checked");
    checked.fail("a", silent("checked"));
    checked.verdict("a", CheckVerdict::Done { output: Payload::json(json!({"id": 7})) });
    assert_eq!(accounts(&checked).how(&"a".into()), StepResolution::Checked);
    let mut answered = world("write");
    answered.fail("a", silent("write"));
    let question = answered.question().id;
    answered.answer(QuestionAnswer::Done { output: json!({"id": 7}) });
    let how = accounts(&answered).how(&"a".into());
    assert_eq!(how, StepResolution::Answered { by: "lin".into(), question });
    assert_eq!(only(&accounts(&answered), "a").value, Some(json!(1)), "what was sent stays known");
}

//
#[test]
fn a_refused_step_says_what_it_missed_and_a_step_that_never_ran_what_it_would_send() {
    let steps = json!([
        {"step_id": "a", "tool": "read", "parameters": {"v": "{{nowhere}}"}},
        {"step_id": "b", "tool": "read", "parameters": {"x": "{{m}}", "y": "{{a.outputs.id}}"}},
    ]);
    let setup = task(steps).metadata(json!({"m": 1}));
    let world = setup.options(|options| options.on_unresolved = OnUnresolved::Error).start();
    let accounts = accounts(&world);
    assert_eq!(accounts.how(&"a".into()), StepResolution::Refused);
    let why = |reason: &ArgumentOrigin| match &reason.source {
        ValueOrigin::Missing { miss } => Some(miss.why),
        _ => None,
    };
    assert_eq!(why(&only(&accounts, "a")), Some(MissReason::NoSuchName));
    let later = accounts.reasons(&"b".into());
    assert_eq!(accounts.how(&"b".into()), StepResolution::NotRun);
    assert_eq!((&later[0].value, why(&later[0])), (&Some(json!(1)), None));
    assert_eq!((&later[1].value, why(&later[1])), (&None, Some(MissReason::StepFailed)));
}

//
#[test]
fn what_stands_below_a_telling_key_is_hidden_in_origins_and_differences() {
    let steps = json!([{"step_id": "a", "tool": "read", "parameters": {
        "credentials": {"user": "lin", "pins": ["{{pin}}", 5]}, "db password": "{{pin}}",
    }}]);
    let run = |pin: &str| task(steps.clone()).metadata(json!({ "pin": pin })).start();
    let (left, right) = (accounts(&run("k-1")), accounts(&run("k-2")));
    let told = serde_json::to_string(&left.reasons(&"a".into())).unwrap();
    assert!(!told.contains("k-1") && !told.contains("lin") && !told.contains('5'), "{told}");
    assert_eq!(left.reasons(&"a".into()).len(), 4);
    let found = compare(&left, &right);
    let hidden: Vec<&str> = found
        .iter()
        .filter(|one| (&one.left, &one.right) == (&json!("***"), &json!("***")))
        .map(|one| one.what.as_str())
        .collect();
    assert_eq!(hidden, ["sent credentials", "sent db password"]);
}

//
#[test]
fn the_history_shows_a_step_that_was_given_up_and_every_step_once() {
    let mut world = world("write");
    world.fail("a", silent("write"));
    let count = |text: &str, line: &str| text.lines().filter(|found| *found == line).count();
    let doubt = history(&world.journal, &accounts(&world), Lang::En);
    assert_eq!(count(&doubt, "- in_doubt: 1") + count(&doubt, "- failure: 0"), 2, "{doubt}");
    world.answer(QuestionAnswer::GiveUp { reason: "too late".into() });
    world.succeed("w", json!({}));
    let told = history(&world.journal, &accounts(&world), Lang::En);
    assert_eq!(count(&told, "- in_doubt: 0") + count(&told, "- failure: 1"), 2, "{told}");
    assert_eq!(count(&told, "### a #1") + count(&told, "### a"), 2, "{told}");
    assert!(told.contains("- Error: abandoned: too late (given_up)"), "{told}");
}

//
#[test]
fn a_failed_attempt_stays_visible_after_the_step_succeeded() {
    let mut world = world("read");
    world.fail("a", unavailable("read"));
    world.sleep();
    world.run();
    let told = history(&world.journal, &accounts(&world), Lang::En);
    assert!(told.contains("## ❌ Steps that failed (0)"), "{told}");
    assert!(told.contains("## ↻ Earlier failed attempts (1)"), "{told}");
    assert!(told.contains("### a #1 (succeeded later)"), "{told}");
}

#[test]
fn two_runs_differ_in_attempts_where_both_made_calls() {
    let (mut left, mut right) = (world("read"), world("read"));
    left.run();
    right.fail("a", unavailable("read"));
    right.sleep();
    right.run();
    let found = compare(&accounts(&left), &accounts(&right));
    let told: Vec<(&str, &Value, &Value)> =
        found.iter().map(|one| (one.what.as_str(), &one.left, &one.right)).collect();
    assert_eq!(told, [("attempts", &json!(1), &json!(2))]);
    assert_eq!(compare(&accounts(&left), &accounts(&left)), []);
}

#[test]
fn no_advice_speaks_of_the_stderr_that_only_programs_have() {
    for fault in [
        Fault::ToolBroke { tool: "t".into(), message: "cut".into(), retry_after_ms: None },
        Fault::Panicked { tool: "t".into(), message: "oh".into() },
    ] {
        for lang in [Lang::En, Lang::Zh] {
            assert!(!fault.next(lang).contains("stderr"), "{fault:?}");
        }
    }
}
