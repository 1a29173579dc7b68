//! The scheduler in virtual time.

use praxis_suites::scheduler::virtual_time;
use praxis_suites::scheduler::{generate, workflow};
use std::path::PathBuf;

#[test]
fn a_wide_workflow_takes_as_long_as_an_ideal_scheduler_would() {
    let run = virtual_time::run(&generate::wide()).unwrap();
    assert!(run.is_exact() && run.is_near(), "{run:?}");
}

#[test]
fn real_workflows_take_as_long_as_an_ideal_scheduler_would() {
    let Some(data) = std::env::var_os("PRAXIS_SUITES").map(PathBuf::from) else {
        eprintln!("!!! SKIPPED: PRAXIS_SUITES is not set, the workflows are not run");
        return;
    };
    let workflows = workflow::read(&data.join("wfinstances")).unwrap();
    assert!(!workflows.is_empty());
    for workflow in &workflows {
        let run = virtual_time::run(workflow).unwrap();
        assert!(run.is_exact() && run.is_near(), "{}: {run:?}", workflow.name);
    }
}
