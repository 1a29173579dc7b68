//! What the tests of the tools share.

use super::connect;
use praxis_core::fault::Fault;
use praxis_core::ids::{StepId, TaskId};
use praxis_engine::seams::Invocation;
use serde_json::Value;
use std::path::Path;
use tokio::runtime::{Builder, Runtime};

/// A runtime whose clock runs ahead when nothing else is to do.
pub(crate) fn paused_runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// A call to be made.
pub(crate) fn invocation(attempt: u32, key: &str, arguments: Value) -> Invocation {
    let (task, step) = (TaskId::from("task_1"), StepId::from("step_1"));
    Invocation { task, step, attempt, key: key.to_owned(), arguments, timeout_ms: 1000 }
}

/// Makes a tool's first call.
pub(crate) fn run(name: &str, home: &Path, arguments: Value) -> Result<Value, Fault> {
    run_as(name, home, invocation(1, "task_1/step_1~1", arguments))
}

/// Makes this call.
pub(crate) fn run_as(name: &str, home: &Path, invocation: Invocation) -> Result<Value, Fault> {
    let call = connect(name, home).unwrap();
    paused_runtime().block_on(call.exec(invocation)).map_err(|failed| failed.fault)
}

/// The words of a tool's failure, and whether it may be tried again.
pub(crate) fn failed(result: Result<Value, Fault>) -> (String, bool) {
    match result {
        Err(Fault::ToolFailed { message, retryable, .. }) => (message, retryable),
        other => panic!("not a tool's failure: {other:?}"),
    }
}
