//! Several operations in one step: rows and C-018.

use crate::world::{World, broken, silent, task};
use praxis_core::fault::Fault;
use praxis_core::journal::outcome::TaskEnding;
use praxis_core::lang::Lang;
use serde_json::{Value, json};

/// A step `s` with three actions, `c` after `a`; `before` and `after` are plain steps.
fn steps() -> Value {
    json!([
        {"step_id": "before", "tool": "read"},
        {"step_id": "s", "depends_on": ["before"], "actions": [
            {"action_id": "c", "tool": "read", "depends_on": ["a"]},
            {"action_id": "a", "tool": "read"},
            {"action_id": "b", "tool": "read"},
        ]},
        {"step_id": "after", "tool": "read", "depends_on": ["s"],
            "parameters": {"sum": "{{a.output}} + {{b.output}}", "all": "{{s.output}}"}},
        {"step_id": "plain", "tool": "read"},
    ])
}

fn started() -> World {
    let mut world = task(steps()).start();
    world.succeed("before", json!({}));
    world
}

//
#[test]
fn actions_run_at_once_after_the_steps_dependencies_and_after_their_own() {
    let mut world = task(steps()).start();
    assert_eq!(world.running(), ["before", "plain"]);
    world.succeed("before", json!({}));
    assert_eq!(world.running(), ["a", "b", "plain"]);
    world.succeed("a", json!(25));
    assert_eq!(world.running(), ["c", "b", "plain"]);
}

//
#[test]
fn the_output_has_a_line_for_each_action_in_the_order_of_the_plan_and_each_is_addressable() {
    let mut world = started();
    world.succeed("b", json!(64));
    world.succeed("a", json!(25));
    world.succeed("c", json!({"k": "v"}));
    let lines = "[c] ✅ {\"k\":\"v\"}\n[a] ✅ 25\n[b] ✅ 64";
    assert_eq!(world.output("s"), json!(lines));
    let sent = json!({"sum": "25 + 64", "all": lines});
    assert_eq!(world.calls().last().unwrap(), &format!("after~1 {sent}"));
    assert_eq!(world.state.step("s").unwrap().tool().as_str(), "parallel_actions");
}

//
#[test]
fn any_failed_action_fails_the_step_after_all_of_them_ended() {
    let mut world = started();
    world.fail("a", broken("read"));
    assert_eq!(world.running(), ["b", "plain"]);
    world.succeed("b", json!("fine"));
    assert_eq!(
        world.output("s"),
        json!("[c] ❌ skipped\n[a] ❌ tool `read` failed: no\n[b] ✅ fine")
    );
    let fault = Fault::ActionsFailed { actions: vec!["c".into(), "a".into()] };
    assert_eq!(world.state.step("s").unwrap().fault, Some(fault));
    world.run();
    assert_eq!(
        world.statuses(),
        "before SUCCESS, a ERROR, c SKIPPED, b SUCCESS, s ERROR, after SKIPPED, plain SUCCESS"
    );
    let fault = Fault::StepsFailed { steps: vec!["a".into(), "s".into()] };
    assert_eq!(world.ending(), &TaskEnding::Failed { fault });
}

//
#[test]
fn a_timeout_and_a_panic_stand_in_their_lines_in_the_tasks_language() {
    let once = json!({"id": "once", "builtin": "o", "risk": "read", "retries": 0});
    let steps = json!([{"step_id": "s", "actions": [
        {"action_id": "a", "tool": "once"}, {"action_id": "b", "tool": "once"},
        {"action_id": "c", "tool": "once", "depends_on": ["b"]},
    ]}]);
    let lines = |lang| {
        let setup = task(steps.clone()).tool(once.clone());
        let mut world = setup.options(|options| options.lang = lang).start();
        world.fail("a", silent("once"));
        world.fail("b", Fault::Panicked { tool: "once".into(), message: "boom".into() });
        world.output("s")
    };
    assert_eq!(
        lines(Lang::En),
        json!(
            "[a] ❌ tool `once` did not answer within 30 s\n[b] ❌ tool `once` crashed: boom\n[c] ❌ skipped"
        )
    );
    assert_eq!(
        lines(Lang::Zh),
        json!("[a] ❌ 工具 `once` 在 30 秒内未响应\n[b] ❌ 工具 `once` 崩溃：boom\n[c] ❌ 已跳过")
    );
}

//
#[test]
fn a_step_whose_dependency_failed_is_skipped_with_all_its_actions() {
    let mut world = task(steps()).start();
    world.fail("before", broken("read"));
    world.run();
    assert_eq!(
        world.statuses(),
        "before ERROR, a SKIPPED, c SKIPPED, b SKIPPED, s SKIPPED, after SKIPPED, plain SUCCESS"
    );
}

// C-018
#[test]
fn an_action_is_found_by_its_id_with_its_plan_its_output_and_its_fault() {
    let mut world = started();
    world.succeed("b", json!({"n": 1}));
    world.fail("a", broken("read"));
    let step = world.state.step("b").unwrap();
    assert_eq!((step.plan.id.as_str(), world.output("b")), ("b", json!({"n": 1})));
    assert_eq!(world.state.step("a").unwrap().fault, Some(broken("read")));
    assert!(world.state.step("nobody").is_none());
}
