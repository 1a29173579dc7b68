//! `echo`, `noop` and `sleep`: tools for experiments.

use super::error::{BuiltinError, arguments};
use futures::future::ready;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Callable, Invocation, OutputStream, whole};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// The tool `echo`, which returns its arguments.
pub(crate) struct EchoTool;

impl Callable for EchoTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(ready(Ok(invocation.arguments)))
    }
}

/// The tool `noop`, which does nothing and succeeds.
pub(crate) struct NoopTool;

impl Callable for NoopTool {
    fn exec(&self, _: Invocation) -> OutputStream<'_> {
        whole(ready(Ok(json!({"ok": true}))))
    }
}

/// The tool `sleep`, which waits for a given time.
pub(crate) struct SleepTool;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SleepSpan {
    ms: u64,
}

impl Callable for SleepTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(async move {
            let refused = |error: BuiltinError| error.into_fault(&ToolId::from("sleep"));
            let SleepSpan { ms } = arguments(invocation.arguments).map_err(refused)?;
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok(json!({"slept_ms": ms}))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use praxis_core::fault::Fault;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn echo_gives_its_arguments_back_and_noop_is_content() {
        let arguments = json!({"a": [1, {"b": "{{c}}"}]});
        assert_eq!(run("echo", Path::new("."), arguments.clone()), Ok(arguments));
        assert_eq!(run("noop", Path::new("."), json!({})), Ok(json!({"ok": true})));
    }

    #[test]
    fn sleep_waits_by_the_clock_of_the_runtime() {
        let hour = 3_600_000;
        assert_eq!(
            run("sleep", Path::new("."), json!({"ms": hour})),
            Ok(json!({"slept_ms": hour}))
        );
        let refused = run("sleep", Path::new("."), json!({"ms": -1}));
        assert!(matches!(refused, Err(Fault::ParamsInvalid { .. })));
    }
}
