//! A streamed plan that breaks off: after every step, and in the middle of every step.

use crate::goal_rig::{Pursued, Pursuit};
use crate::ledger::InFlight;
use praxis_core::state::TaskStatus;
use praxis_core::state::step::StepStatus;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Four steps: two that read, one that changes something, and one that reads what it gave.
fn steps() -> Vec<Value> {
    let step = |id: &str, tool: &str, x: Value, needs: &[&str]| {
        json!({"step_id": id, "step_name": format!("name of {id}"), "tool": tool,
            "parameters": {"x": x}, "depends_on": needs})
    };
    vec![
        step("a", "look", json!(1), &[]),
        step("b", "look", json!("{{a.outputs.receipt}}"), &["a"]),
        step("c", "pay", json!(3), &[]),
        step("d", "look", json!("{{c.outputs.receipt}}"), &["c"]),
    ]
}

/// A goal whose plan breaks off after so many steps and so many quarters of the next.
fn pursuit(whole: usize, quarters: usize) -> Pursuit {
    let all = json!({"plan_description": "p", "steps": steps()});
    let mut cut = all.clone();
    cut["cut_after"] = json!([whole, quarters]);
    let file = json!({
        "goal": "do it",
        "tools": [{"id": "look", "risk": "read", "retries": 0}, {"id": "pay", "risk": "write", "retries": 0,
            "check_with": "seen"}, {"id": "seen", "risk": "read"}],
        "world": {"seen": {"checks": "known"}},
        "manner": {"approval": "allow"},
        "model": {"planning": [cut, all]},
    });
    Pursuit { name: format!("cut_{whole}_{quarters}"), file }
}

/// What is wrong with how it ended: every step of the plan succeeded, once.
fn surprise(run: &Pursued) -> Option<String> {
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    for step in run.state.steps.iter().filter(|step| step.status == StepStatus::Success) {
        *done.entry(step.plan.name.as_str()).or_default() += 1;
    }
    let once = done.len() == steps().len() && done.values().all(|times| *times == 1);
    let paid = run.effects();
    let right = run.state.status() == TaskStatus::Completed
        && once
        && paid.len() == 1
        && paid.values().all(|times| *times == 1);
    (!right).then(|| {
        let (end, story) = (run.end(), run.story().join("\n    "));
        format!("{end} {done:?} {paid:?}\n    {story}")
    })
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_is_cut_anywhere_keeps_what_ran_and_plans_the_rest_and_no_step_runs_twice() {
    let mut wrong = String::new();
    let places = (0..4).flat_map(|whole| (0..4).map(move |quarters| (whole, quarters)));
    for (whole, quarters) in places.chain([(4, 0)]) {
        let run = pursuit(whole, quarters).run().await;
        let cut = run.story().iter().any(|line| line.starts_with("closed 1: Cut"));
        if let Some(found) = surprise(&run).or((!cut && whole > 0).then(|| "never cut".to_owned()))
        {
            wrong.push_str(&format!("{whole} and {quarters}/4: {found}\n"));
            continue;
        }
        let both = [InFlight::Unsent, InFlight::Acted];
        let crashes =
            (1..=run.entries.len() as u64).flat_map(|seq| both.map(|in_flight| (seq, in_flight)));
        for (seq, in_flight) in crashes {
            let again = run.crashed_after(seq, in_flight).await;
            let place = format!("{whole} and {quarters}/4 after {seq}, {in_flight:?}");
            let found = surprise(&again).map(|found| format!("{place}: {found}\n"));
            wrong.push_str(&found.unwrap_or_default());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.chars().take(6000).collect::<String>());
}
