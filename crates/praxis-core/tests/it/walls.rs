//! The time of a task, which counts while something runs or could: rows.

use crate::world::{World, reads, task, unavailable, values};
use praxis_core::fault::Fault;
use praxis_core::journal::event::Event;
use praxis_core::journal::options::OnLimit;
use praxis_core::journal::outcome::TaskEnding;
use praxis_core::journal::question::{QuestionAnswer, QuestionSubject};
use praxis_core::state::TaskStatus;
use praxis_core::time::Timestamp;
use serde_json::json;

/// `a`, then `b`, with ten seconds for both.
fn ten_seconds(on_wall: OnLimit) -> World {
    let setup = task(reads(&["a", "b: a"]));
    let setup = setup.options(|o| (o.task_timeout_ms, o.on_wall) = (10_000, on_wall));
    setup.start()
}

//
#[test]
fn a_task_that_used_up_its_time_lets_its_calls_end_and_fails() {
    let mut world = ten_seconds(OnLimit::Fail);
    assert_eq!(world.state.deadline(), Some(Timestamp(11_000)));
    world.sleep();
    assert_eq!(world.running(), ["a"]);
    world.succeed("a", json!({}));
    assert_eq!(world.statuses(), "a SUCCESS, b CANCELLED");
    let fault = Fault::TaskTimeout { after_ms: 10_000 };
    assert_eq!(world.ending(), &TaskEnding::Failed { fault });
}

//
#[test]
fn a_person_may_give_a_task_more_time_and_nothing_starts_before() {
    let mut world = ten_seconds(OnLimit::Ask);
    world.sleep();
    assert_eq!(world.question().about, QuestionSubject::Time { after_ms: 10_000 });
    world.succeed("a", json!({}));
    assert_eq!(world.statuses(), "a SUCCESS, b INIT");
    assert_eq!(
        (world.state.status(), world.state.waits_for()),
        (TaskStatus::Waiting, Some("budget"))
    );
    world.now += 1_000_000;
    world.answer(QuestionAnswer::MoreTime { ms: 5000 });
    assert_eq!(
        (world.running(), world.state.deadline()),
        (vec!["b".to_owned()], Some(Timestamp(world.now + 5000)))
    );
    world.sleep();
    assert_eq!(world.question().about, QuestionSubject::Time { after_ms: 15_000 });
}

//
#[test]
fn a_person_may_give_a_task_up_at_the_wall() {
    let mut world = ten_seconds(OnLimit::Ask);
    world.sleep();
    world.answer(QuestionAnswer::GiveUp { reason: "enough".into() });
    world.succeed("a", json!({}));
    let fault = Fault::TaskTimeout { after_ms: 10_000 };
    assert_eq!(world.ending(), &TaskEnding::Failed { fault });
}

//
#[test]
fn a_task_whose_last_call_ends_at_the_wall_needs_no_answer() {
    let mut world = ten_seconds(OnLimit::Ask);
    world.succeed("a", json!({}));
    world.sleep();
    world.succeed("b", json!({}));
    assert_eq!(world.ending(), &TaskEnding::Completed);
    assert!(world.state.questions.is_empty());
}

//
#[test]
fn time_stands_still_while_only_questions_and_timers_are_open() {
    let steps = json!([{"step_id": "a", "tool": "read", "parameters": {"v": "{{x}}"}}]);
    let mut world = task(steps).options(|options| options.task_timeout_ms = 10_000).start();
    assert_eq!(world.state.deadline(), None);
    world.now += 1_000_000;
    world.answer(values(json!({"/v": 1})));
    world.now += 4000;
    world.fail("a", unavailable("read"));
    assert_eq!((world.state.active_ms, world.state.deadline()), (4000, None));
    world.sleep();
    assert_eq!(world.state.deadline(), Some(Timestamp(world.now + 6000)));
}

//
#[test]
fn the_time_between_two_engines_does_not_count() {
    let mut world = ten_seconds(OnLimit::Fail);
    world.now += 1_000_000;
    world.tell(Event::Woken { by: "engine 2".into() });
    world.now += 3000;
    world.lose("a");
    assert_eq!((world.state.active_ms, world.running()), (3000, vec!["a".to_owned()]));
}

//
#[test]
fn a_reopened_task_has_its_whole_time_again() {
    let mut world = ten_seconds(OnLimit::Fail);
    world.sleep();
    world.succeed("a", json!({}));
    world.reopen(2, &[]);
    assert_eq!(world.state.deadline(), Some(Timestamp(world.now + 10_000)));
    world.run();
    assert_eq!(world.ending(), &TaskEnding::Completed);
}

//
#[test]
fn times_beyond_all_bounds_count_as_the_longest_and_break_nothing() {
    let longest = format!("{}ms", u64::MAX);
    let steps = json!([
        {"step_id": "short", "tool": "read"},
        {"step_id": "a", "tool": "read", "expected_duration_sec": longest},
        {"step_id": "b", "tool": "read", "expected_duration_sec": longest, "depends_on": ["a"]},
    ]);
    let setup = task(steps).options(|o| {
        (o.parallel, o.task_timeout_ms, o.on_wall) = (false, 10_000, OnLimit::Ask);
    });
    let mut world = setup.start();
    assert_eq!(world.running(), ["a"]);
    world.sleep();
    world.answer(QuestionAnswer::MoreTime { ms: u64::MAX });
    world.tell(Event::TimeUsedUp { after_ms: 10_000 });
    world.answer(QuestionAnswer::MoreTime { ms: u64::MAX });
    assert_eq!(world.state.deadline(), Some(Timestamp(u64::MAX)));
}
