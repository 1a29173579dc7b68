//! What runs when: rows.

use crate::world::{broken, reads, silent, task, unavailable};
use praxis_core::decide::decide;
use praxis_core::effect::Effect;
use praxis_core::fault::Fault;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::{PlanOutcome, TaskEnding};
use praxis_core::state::{Counters, State, TaskStatus};
use serde_json::{Value, json};

//
#[test]
fn a_diamond_runs_its_middle_at_once_and_its_end_after_both() {
    let mut world = task(reads(&["a", "b: a", "c: a", "d: b c"])).start();
    assert_eq!(world.running(), ["a"]);
    world.succeed("a", json!({}));
    assert_eq!(world.running(), ["b", "c"]);
    world.succeed("c", json!({}));
    assert_eq!(world.running(), ["b"]);
    world.succeed("b", json!({}));
    world.succeed("d", json!({}));
    assert_eq!(world.trace(), "a #1\na ok\nb #1\nc #1\nc ok\nb ok\nd #1\nd ok\ncompleted");
    assert_eq!(world.state.result_of, ["d".into()]);
}

//
#[test]
fn a_single_step_is_a_whole_task() {
    let mut world = task(reads(&["only"])).start();
    world.run();
    assert_eq!(world.trace(), "only #1\nonly ok\ncompleted");
    assert_eq!(world.state.status(), TaskStatus::Completed);
}

//
#[test]
fn no_level_waits_for_the_slowest_of_the_level_before() {
    let mut world = task(reads(&["slow", "a", "b: a", "c: b"])).start();
    world.succeed("a", json!({}));
    world.succeed("b", json!({}));
    assert_eq!(world.running(), ["slow", "c"]);
}

//
#[test]
fn as_many_calls_run_at_once_as_the_task_allows() {
    let ids: Vec<String> = (0..20).map(|n| format!("s{n}")).collect();
    let steps = reads(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    for (change, widest) in [((8, true, 1), 8), ((3, true, 1), 3), ((8, false, 1), 1)] {
        let (most, parallel, min) = change;
        let mut world = task(steps.clone())
            .options(|options| {
                options.parallel_max_concurrent = most;
                options.parallel = parallel;
                options.parallel_min_steps = min;
            })
            .start();
        world.run();
        assert_eq!((world.widest, world.ending()), (widest, &TaskEnding::Completed), "{change:?}");
    }
}

//
#[test]
fn a_plan_with_fewer_steps_than_the_least_runs_one_at_a_time() {
    for (least, widest) in [(3, 1), (2, 2), (0, 2)] {
        let mut world = task(reads(&["a", "b"])).options(|o| o.parallel_min_steps = least).start();
        world.run();
        assert_eq!(world.widest, widest, "{least}");
    }
}

//
#[test]
fn a_tools_own_limit_holds_its_steps_back_and_no_others() {
    let steps = json!([
        {"step_id": "l1", "tool": "limited"}, {"step_id": "l2", "tool": "limited"},
        {"step_id": "l3", "tool": "limited"}, {"step_id": "r1", "tool": "read"},
        {"step_id": "r2", "tool": "read"},
    ]);
    let limited = json!({"id": "limited", "builtin": "l", "limits": {"concurrent": 1}});
    let mut world = task(steps).tool(limited).start();
    assert_eq!(world.running(), ["l1", "r1", "r2"]);
    world.succeed("r1", json!({}));
    assert_eq!(world.running(), ["l1", "r2"]);
    world.fail("l1", broken("limited"));
    assert_eq!(world.running(), ["l2", "r2"]);
    world.run();
    assert_eq!(world.statuses(), "l1 ERROR, l2 SUCCESS, l3 SUCCESS, r1 SUCCESS, r2 SUCCESS");
}

//
#[test]
fn the_longest_chain_goes_first_and_expected_times_count() {
    let one_at_a_time = |steps| {
        let mut world = task(steps).options(|o| o.parallel_max_concurrent = 1).start();
        let mut order = vec![];
        while let Some(id) = world.running().first().cloned() {
            world.succeed(&id, json!({}));
            order.push(id);
        }
        order.join(" ")
    };
    assert_eq!(one_at_a_time(reads(&["x", "y", "a", "b: a", "c: b"])), "a b x y c");
    let timed = json!([
        {"step_id": "quick", "tool": "read", "expected_duration_sec": 1},
        {"step_id": "after_quick", "tool": "read", "expected_duration_sec": 1, "depends_on": ["quick"]},
        {"step_id": "slow", "tool": "read", "expected_duration_sec": 60},
    ]);
    assert_eq!(one_at_a_time(timed), "slow quick after_quick");
}

//
#[test]
fn the_same_state_gives_the_same_decision() {
    let world = task(reads(&["a", "b", "c: a"])).options(|o| o.parallel_max_concurrent = 1).start();
    let replayed = State::replay(&world.journal[..3]).unwrap();
    let first = vec![Effect::Make(world.state.context.index_of("a").unwrap())];
    assert_eq!((decide(&replayed), decide(&replayed.clone())), (first.clone(), first));
}

//
#[test]
fn a_second_plan_while_steps_wait_for_a_slot_starts_none_of_them_twice() {
    let mut world = task(reads(&["a", "b"])).options(|o| o.parallel_max_concurrent = 1).start();
    world.plan(2, &json!([{"step_id": "c", "tool": "read", "depends_on": []}]));
    world.run();
    assert_eq!(world.trace().matches("b #1").count(), 1);
    assert_eq!(world.statuses(), "a SUCCESS, b SUCCESS, c SUCCESS");
}

//
#[test]
fn a_second_plan_that_lengthens_a_chain_starts_no_waiting_step_twice() {
    let mut world = task(reads(&["a", "b"])).options(|o| o.parallel_max_concurrent = 1).start();
    let steps = world.state.steps.iter().map(|step| step.plan.clone()).take(1);
    let longer = steps.map(|mut step| {
        (step.id, step.depends_on) = ("c".into(), vec!["b".into()]);
        step
    });
    world.fold(Event::planned(2, longer.collect())).unwrap();
    world.tell(Event::closed(2, PlanOutcome::Complete));
    world.run();
    assert_eq!(world.statuses(), "a SUCCESS, b SUCCESS, c SUCCESS");
}

//
#[test]
fn a_failure_skips_what_depends_on_it_and_other_branches_go_on() {
    let mut world = task(reads(&["a", "b: a", "c: b", "x", "y: x", "z: b y"])).start();
    world.fail("a", broken("read"));
    assert_eq!(world.running(), ["x"]);
    world.run();
    assert_eq!(world.statuses(), "a ERROR, b SKIPPED, c SKIPPED, x SUCCESS, y SUCCESS, z SKIPPED");
    let fault = Fault::StepsFailed { steps: vec!["a".into()] };
    assert_eq!(world.ending(), &TaskEnding::Failed { fault });
}

//
#[test]
fn two_failures_at_once_are_both_named_and_running_steps_finish() {
    let mut world = task(reads(&["a", "b", "c", "d: a b", "e: c"])).start();
    world.fail("b", broken("read"));
    world.fail("a", broken("read"));
    assert_eq!(world.running(), ["c"]);
    world.run();
    assert_eq!(world.statuses(), "a ERROR, b ERROR, c SUCCESS, d SKIPPED, e SUCCESS");
    let fault = Fault::StepsFailed { steps: vec!["a".into(), "b".into()] };
    assert_eq!(world.ending(), &TaskEnding::Failed { fault });
}

//
#[test]
fn a_panic_is_a_failure_of_its_step_alone() {
    let mut world = task(reads(&["a", "b", "c: b"])).start();
    let panicked = || Fault::Panicked { tool: "read".into(), message: "oh".into() };
    for _ in 0..3 {
        world.fail("a", panicked());
        world.sleep();
    }
    world.fail("a", panicked());
    world.run();
    assert_eq!(world.statuses(), "a ERROR, b SUCCESS, c SUCCESS");
}

//
#[test]
fn a_transient_failure_is_tried_three_times_more_with_longer_waits_and_then_fails() {
    let mut world = task(reads(&["a", "b: a"])).start();
    let mut waits = vec![];
    for _ in 0..3 {
        let failed_at = world.now;
        world.fail("a", unavailable("read"));
        assert_eq!(world.state.status(), TaskStatus::Executing);
        world.sleep();
        waits.push(world.now - failed_at);
    }
    world.fail("a", unavailable("read"));
    assert_eq!(
        world.trace(),
        "a #1\na tool_unavailable, later again\na due\n\
         a #2\na tool_unavailable, later again\na due\n\
         a #3\na tool_unavailable, later again\na due\n\
         a #4\na tool_unavailable\nfailed: steps failed: a"
    );
    for (wait, least) in waits.iter().zip([1000, 2000, 4000]) {
        assert!((least..least + least / 4).contains(wait), "{waits:?}");
    }
    assert_eq!(world.calls(), ["a~1 {}"; 4]);
}

//
#[test]
fn a_tools_own_retries_and_a_failure_that_no_retry_mends_are_respected() {
    let steps = json!([{"step_id": "a", "tool": "once"}, {"step_id": "b", "tool": "read"}]);
    let once = json!({"id": "once", "builtin": "o", "retries": 1, "retry_delay": "1s"});
    let mut world = task(steps).tool(once).start();
    world.fail("b", broken("read"));
    world.fail("a", unavailable("once"));
    world.sleep();
    world.fail("a", unavailable("once"));
    assert_eq!(world.statuses(), "a ERROR, b ERROR");
}

//
#[test]
fn retries_are_counted_for_each_step_also_while_others_run_and_for_the_task() {
    let mut world = task(reads(&["a", "b", "c: a b"])).start();
    for id in ["a", "b"] {
        world.fail(id, unavailable("read"));
    }
    let waiting = Counters { step_retry_count: 2, consecutive_failures: 2, ..Counters::default() };
    assert_eq!(world.state.counters, waiting);
    while !world.state.agenda.timers.is_empty() {
        world.sleep();
    }
    world.fail("a", silent("read"));
    world.succeed("b", json!({}));
    world.sleep();
    world.succeed("a", json!({}));
    let of = |id: &str| world.state.step(id).unwrap().retries;
    assert_eq!([of("a"), of("b"), of("c")], [2, 1, 0]);
    let after = Counters { step_retry_count: 3, consecutive_failures: 0, ..Counters::default() };
    assert_eq!(world.state.counters, after);
}

//
#[test]
fn counters_have_the_documents_names_and_survive_a_restart() {
    let mut world = task(reads(&["a", "b"])).start();
    world.fail("a", unavailable("read"));
    world.plan(2, &json!([{"step_id": "c", "tool": "read"}]));
    world.fail("b", broken("read"));
    let restarted = State::replay(&world.journal).unwrap();
    assert_eq!(
        serde_json::to_value(restarted.counters).unwrap(),
        json!({"step_retry_count": 1, "single_step_repair_count": 0, "task_replan_count": 1,
            "consecutive_failures": 2})
    );
}

// What cannot be read back must not be written: a row deeper than serde_json reads would lose the task.
#[test]
fn arguments_that_could_not_be_read_back_are_refused() {
    let deep = |levels: usize, inmost: Value| (0..levels).fold(inmost, |value, _| json!([value]));
    for (around, within, refused) in [(50, 40, false), (90, 90, true)] {
        let steps = json!([
            {"step_id": "a", "tool": "read"},
            {"step_id": "b", "tool": "read", "parameters": {"x": deep(around, json!("{{a.output}}"))}},
        ]);
        let mut world = task(steps).start();
        world.succeed("a", deep(within, json!(1)));
        let fault = world.state.step("b").unwrap().fault.as_ref().map(Fault::code);
        assert_eq!(fault, refused.then_some("params_invalid"), "{around} around {within}");
    }
}
