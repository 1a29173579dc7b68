//! Only legal transitions, and nothing after the end: row A-080.

use crate::world::{World, broken, question_id, reads, silent, task};
use praxis_core::IllegalEvent;
use praxis_core::fault::Fault;
use praxis_core::intake::unanswered::UnansweredAction;
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::outcome::{CallOutcome, CheckVerdict, PlanOutcome, TaskEnding};
use praxis_core::journal::question::{Question, QuestionAnswer, QuestionSubject};
use praxis_core::journal::submission::Submission;
use praxis_core::payload::Payload;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::Timestamp;
use serde_json::json;

fn started(step: &str, attempt: u32, generation: u32) -> Event {
    Event::StepStarted {
        step: step.into(),
        attempt,
        generation,
        tool: None,
        arguments: Payload::json(json!({})),
        holes: vec![],
        reserved: None,
    }
}

fn succeeded(step: &str, attempt: u32) -> Event {
    let outcome = CallOutcome::Succeeded(Payload::json(json!({})));
    Event::StepFinished { step: step.into(), attempt, outcome, retry_at: None, usage: None }
}

fn finished(ending: TaskEnding) -> Event {
    Event::TaskFinished { ending, result_of: vec![] }
}

fn failed() -> Event {
    finished(TaskEnding::Failed { fault: Fault::TaskTimeout { after_ms: 0 } })
}

fn cancel() -> Event {
    Event::CancelRequested { reason: "x".into(), by: "lin".into() }
}

fn reopened(epoch: u32) -> Event {
    Event::TaskReopened { epoch, invalidated: vec![], contracts: vec![], by: "lin".into() }
}

fn closed(revision: u32, outcome: PlanOutcome) -> Event {
    Event::closed(revision, outcome)
}

fn asks_for_time() -> Event {
    let (id, about) = (question_id(9), QuestionSubject::Time { after_ms: 0 });
    Event::QuestionAsked {
        question: Question {
            id,
            step: None,
            within_ms: None,
            otherwise: UnansweredAction::Deny,
            about,
        },
    }
}

fn answered(question: u32, answer: QuestionAnswer) -> Event {
    Event::QuestionAnswered { question: question_id(question), answer, by: "lin".into() }
}

fn checked(step: &str) -> Event {
    let verdict = CheckVerdict::Done { output: Payload::json(json!({})) };
    Event::CheckFinished { step: step.into(), verdict }
}

fn submission(world: &World) -> Box<Submission> {
    Box::new(Submission::clone(world.state.submission.as_ref().unwrap()))
}

/// Every kind of event, as it could follow in some task with the step `a` in its first attempt.
fn every_event(world: &World) -> Vec<Event> {
    vec![
        Event::TaskSubmitted(submission(world)),
        Event::planned(2, vec![]),
        closed(1, PlanOutcome::Complete),
        closed(1, PlanOutcome::Cut),
        started("a", 1, 1),
        started("a", 2, 1),
        succeeded("a", 1),
        Event::StepRefused { step: "a".into(), fault: broken("read") },
        Event::RetryDue { step: "a".into() },
        Event::CheckStarted { step: "a".into() },
        checked("a"),
        asks_for_time(),
        answered(1, QuestionAnswer::NotDone),
        Event::TimeUsedUp { after_ms: 1 },
        cancel(),
        finished(TaskEnding::Completed),
        failed(),
    ]
}

fn assert_none_is_legal(world: &World, events: Vec<Event>) {
    for event in events {
        let refused = world.would(event.clone());
        let seq = world.state.seq + 1;
        assert!(refused.is_err_and(|illegal| illegal.seq == seq), "{event:?}");
    }
}

//
#[test]
fn a_task_goes_from_planning_through_executing_and_waiting_to_its_end() {
    let steps = json!([{"step_id": "a", "tool": "read", "parameters": {"v": "{{x}}"}}]);
    let mut world = task(steps.clone()).submitted();
    assert_eq!(State::default().status(), TaskStatus::Pending);
    assert_eq!(world.state.status(), TaskStatus::Planning);
    world.plan(1, &steps);
    assert_eq!(world.state.status(), TaskStatus::Waiting);
    assert_eq!(world.state.waits_for(), Some("param"));
    world.answer(crate::world::values(json!({"/v": 1})));
    assert_eq!(world.state.status(), TaskStatus::Executing);
    world.run();
    assert_eq!(world.state.status(), TaskStatus::Completed);
    assert!(world.state.status().is_final());
}

//
#[test]
fn an_illegal_event_is_refused_with_its_number_and_the_reason() {
    let world = task(reads(&["a", "b: a"])).start();
    let seq = world.state.seq + 1;
    for (event, why) in [
        (started("b", 1, 1), "the step is not ready for this attempt"),
        (started("a", 1, 1), "the step is not ready for this attempt"),
        (started("nobody", 1, 1), "the plan has no such step"),
        (succeeded("a", 2), "this attempt is not running"),
        (succeeded("b", 1), "this attempt is not running"),
        (Event::RetryDue { step: "a".into() }, "the step is not waiting for a retry"),
        (Event::StepRefused { step: "b".into(), fault: broken("read") }, "the step is not ready"),
        (Event::CheckStarted { step: "a".into() }, "the step is not in doubt"),
        (checked("a"), "the step is not in doubt"),
        (answered(1, QuestionAnswer::NotDone), "the question is not open"),
        (finished(TaskEnding::Completed), "calls are still running"),
        (Event::TaskSubmitted(submission(&world)), "the task was already submitted"),
        (closed(2, PlanOutcome::Complete), "this plan version is not open"),
        (Event::planned(3, vec![]), "the plan version is not the next one"),
        (reopened(2), "only a failed or cancelled task can be reopened"),
    ] {
        assert_eq!(world.would(event.clone()), Err(IllegalEvent { seq, why }), "{event:?}");
    }
}

//
#[test]
fn numbers_without_gaps_and_times_that_never_go_back_are_asked_of_every_entry() {
    let world = task(reads(&["a"])).start();
    let entry = |seq, at| Entry { seq, at: Timestamp(at), event: succeeded("a", 1) };
    let told = |entry: Entry| world.state.clone().apply(&entry).map_err(|e| (e.seq, e.why));
    let next = world.state.seq + 1;
    assert_eq!(told(entry(next, world.now)), Ok(()));
    assert_eq!(
        told(entry(next + 1, world.now)),
        Err((next + 1, "its sequence number is not the next one"))
    );
    assert_eq!(
        told(entry(next - 1, world.now)),
        Err((next - 1, "its sequence number is not the next one"))
    );
    assert_eq!(
        told(entry(next, world.now - 1)),
        Err((next, "its time is before that of the previous event"))
    );
}

//
#[test]
fn nothing_can_happen_before_the_task_is_submitted() {
    let world = task(reads(&["a"])).start();
    let empty = World {
        state: State::default(),
        journal: vec![],
        now: 0,
        toolbox: world.toolbox.clone(),
        widest: 0,
    };
    let mut events = every_event(&world);
    events.remove(0);
    events.extend([reopened(1), closed(0, PlanOutcome::Complete)]);
    events.push(Event::Woken { by: "engine".into() });
    assert_none_is_legal(&empty, events);
}

//
#[test]
fn an_end_is_final_and_only_a_failed_or_cancelled_task_can_be_reopened() {
    let mut completed = task(reads(&["a"])).start();
    completed.run();
    let mut failed = task(reads(&["a"])).start();
    failed.fail("a", broken("read"));
    let mut cancelled = task(json!([{"step_id": "a", "tool": "write"}])).start();
    cancelled.fail("a", silent("write"));
    cancelled.cancel();
    for world in [&completed, &failed, &cancelled] {
        assert_none_is_legal(world, every_event(world));
        assert_none_is_legal(world, vec![reopened(1), reopened(3)]);
    }
    assert_none_is_legal(&completed, vec![reopened(2)]);
    for world in [&failed, &cancelled] {
        assert_eq!(world.would(reopened(2)), Ok(()));
    }
}

//
#[test]
fn a_task_that_is_stopping_takes_no_plan_and_starts_nothing() {
    let mut world = task(reads(&["a", "b"])).options(|o| o.parallel_max_concurrent = 1).start();
    world.cancel();
    assert_eq!(world.running(), ["a"]);
    assert_none_is_legal(
        &world,
        vec![
            started("b", 1, 1),
            closed(1, PlanOutcome::Complete),
            Event::planned(2, vec![]),
            Event::TimeUsedUp { after_ms: 1 },
            asks_for_time(),
        ],
    );
}

//
#[test]
fn a_task_with_open_steps_is_not_completed() {
    let mut world =
        task(json!([{"step_id": "a", "tool": "read", "parameters": {"v": "{{x}}"}}])).start();
    assert_none_is_legal(&world, vec![finished(TaskEnding::Completed)]);
    world.cancel();
    assert_eq!(world.statuses(), "a CANCELLED");
}

//
#[test]
fn a_verdict_that_nobody_asked_for_is_refused() {
    let mut world = task(json!([{"step_id": "a", "tool": "write"}])).start();
    world.fail("a", silent("write"));
    assert_eq!(world.question().about.kind(), "in_doubt");
    assert_none_is_legal(&world, vec![checked("a")]);
}

//
#[test]
fn an_answer_that_does_not_fit_its_question_is_refused() {
    let mut doubt = task(json!([{"step_id": "a", "tool": "write"}])).start();
    doubt.fail("a", silent("write"));
    let param =
        task(json!([{"step_id": "a", "tool": "read", "parameters": {"v": "{{x}}"}}])).start();
    let values = || crate::world::values(json!({"/v": 1}));
    let done = || QuestionAnswer::Done { output: json!({}) };
    let more = || QuestionAnswer::MoreTime { ms: 1 };
    for (world, answers) in [
        (&doubt, vec![values(), more()]),
        (&param, vec![done(), QuestionAnswer::NotDone, QuestionAnswer::DoAgain, more()]),
    ] {
        for answer in answers {
            assert!(world.question().check(&answer).is_err(), "{answer:?}");
            assert_none_is_legal(world, vec![answered(1, answer)]);
        }
    }
}
