//! Helpers for the tests of the tools.

use super::catalog::connect;
use super::local::{LocalTool, ToolFunction};
use super::{Builtins, EXAMPLES, ExampleProject, WebClient, WebPage, WebRequest, tools};
use futures::future::{BoxFuture, FutureExt, ready};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::ids::{StepId, TaskId, ToolId};
use praxis_engine::seams::{FailedCall, Invocation, gathered};
use praxis_fence::FolderGrants;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use url::Url;

/// Returns a runtime whose clock advances by itself when the runtime is idle.
pub(crate) fn paused_runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Returns the tools that are always available, and those of all examples.
pub(crate) fn all_tools() -> Vec<Tool> {
    tools().into_iter().chain(EXAMPLES.iter().flat_map(ExampleProject::tools)).collect()
}

/// Builds an `Invocation`.
pub(crate) fn invocation(attempt: u32, key: &str, arguments: Value) -> Invocation {
    let (task, step) = (TaskId::from("task_1"), StepId::from("step_1"));
    let (key, written) = (key.to_owned(), BTreeMap::new());
    Invocation { task, step, attempt, key, arguments, timeout_ms: 1000, written }
}

/// Runs the first attempt of a tool call.
pub(crate) fn run(name: &str, home: &Path, arguments: Value) -> Result<Value, Fault> {
    run_as(name, home, invocation(1, "task_1/step_1~1", arguments))
}

/// Runs a tool call. The tool keeps its files in `home` and may access all files there.
pub(crate) fn run_as(name: &str, home: &Path, invocation: Invocation) -> Result<Value, Fault> {
    let call = connect(name, &builtins(home)).unwrap();
    paused_runtime().block_on(gathered(call.exec(invocation))).map_err(|failed| failed.fault)
}

/// Runs a call of a tool that needs no files.
pub(crate) fn ask(name: &str, arguments: Value) -> Result<Value, Fault> {
    run(name, Path::new("/nonexistent"), arguments)
}

/// Wraps a function as a tool.
pub(crate) fn local(name: &str, work: ToolFunction) -> LocalTool {
    LocalTool::new(name, &builtins(Path::new(".")), work)
}

/// Returns built-in tools that may access the files in `home` and no host.
pub(crate) fn builtins(home: &Path) -> Builtins {
    let folders = FolderGrants { allowed: vec![home.to_owned()], ..FolderGrants::default() };
    Builtins { home: home.to_owned(), folders, web: Arc::new(NoWebClient) }
}

struct NoWebClient;

impl WebClient for NoWebClient {
    fn send<'a>(
        &'a self,
        tool: &'a ToolId,
        _: WebRequest,
        _: &'a Invocation,
    ) -> BoxFuture<'a, Result<Value, FailedCall>> {
        ready(Err(unreachable_host(tool))).boxed()
    }

    fn get<'a>(
        &'a self,
        tool: &'a ToolId,
        _: Url,
        _: &'a Invocation,
    ) -> BoxFuture<'a, Result<WebPage, FailedCall>> {
        ready(Err(unreachable_host(tool))).boxed()
    }
}

fn unreachable_host(tool: &ToolId) -> FailedCall {
    Fault::ToolUnavailable { tool: tool.clone(), message: "no host is there".to_owned() }.into()
}

/// Returns the message of a tool failure, and true if it is retryable.
pub(crate) fn failed(result: Result<Value, Fault>) -> (String, bool) {
    match result {
        Err(Fault::ToolFailed { message, retryable, .. }) => (message, retryable),
        other => panic!("not a tool's failure: {other:?}"),
    }
}

/// Returns the pointer and the message of a rejected argument.
pub(crate) fn refused(result: Result<Value, Fault>) -> String {
    match result {
        Err(Fault::ParamsInvalid { errors }) => {
            errors.iter().map(|error| format!("{} {}", error.pointer, error.detail)).collect()
        }
        other => panic!("the arguments were taken: {other:?}"),
    }
}
