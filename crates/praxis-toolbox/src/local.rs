//! Runs the blocking function of a built-in tool as a `Callable`, off the engine's threads.
//!
//! - in: an `Invocation`
//! - out: the output of the function, or its `BuiltinError` as a fault; an output over 64 MiB is a fault
//! - never: lets an effect happen after the future was dropped; pure work may continue

use super::builtins::Builtins;
use super::error::BuiltinError;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_core::payload::text_is_within;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream, whole};
use praxis_fence::Fence;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum size of an output as JSON text.
const MOST_OUTPUT: usize = 64 * 1024 * 1024;

/// The function of a tool, from arguments and `CallContext` to the output.
pub(crate) type ToolFunction = fn(Value, &CallContext) -> Result<Value, BuiltinError>;

/// The data of a call besides its arguments.
pub(crate) struct CallContext {
    /// The number of the attempt, from one.
    pub(crate) attempt: u32,
    /// The idempotency key.
    pub(crate) key: String,
    /// The folder in which the tools keep their own files.
    pub(crate) home: PathBuf,
    /// The files of the user that the tools may access.
    pub(crate) fence: Arc<Fence>,
    /// The gate for effects; closed once the call was dropped.
    pub(crate) gate: EffectGate,
}

/// A tool that is one blocking function.
pub(crate) struct LocalTool {
    tool: ToolId,
    home: PathBuf,
    fence: Arc<Fence>,
    work: ToolFunction,
}

impl LocalTool {
    /// Creates the tool `name`.
    pub(crate) fn new(name: &str, of: &Builtins, work: ToolFunction) -> Self {
        let fence = Arc::new(Fence::around(&of.folders));
        Self { tool: ToolId::from(name), home: of.home.clone(), fence, work }
    }

    fn checked_output(&self, result: Result<Value, BuiltinError>) -> Result<Value, FailedCall> {
        let output = result.map_err(|error| error.into_fault(&self.tool))?;
        if text_is_within(&output, MOST_OUTPUT) {
            return Ok(output);
        }
        let limit = MOST_OUTPUT as u64;
        Err(Fault::OutputTooLarge { tool: self.tool.clone(), limit }.into())
    }
}

impl Callable for LocalTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        let Invocation { attempt, key, arguments, .. } = invocation;
        let gate = EffectGate::default();
        let (home, fence) = (self.home.clone(), Arc::clone(&self.fence));
        let job = CallContext { attempt, key, home, fence, gate: gate.clone() };
        let (work, dropped) = (self.work, CloseOnDrop(gate));
        whole(async move {
            let _dropped = dropped;
            let working = tokio::task::spawn_blocking(move || work(arguments, &job));
            match working.await {
                Ok(result) => self.checked_output(result),
                // The engine catches panics and extracts their messages.
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => Err(Fault::Interrupted { tool: self.tool.clone() }.into()),
            }
        })
    }
}

/// A gate for the effects of a call, open until it is closed.
#[derive(Clone, Default)]
pub(crate) struct EffectGate(Arc<Mutex<bool>>);

impl EffectGate {
    /// Runs one short effect if the gate is open. Closing the gate waits for its end.
    pub(crate) fn run<T>(&self, effect: impl FnOnce() -> T) -> Result<T, BuiltinError> {
        let closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *closed { Err(BuiltinError::Dropped) } else { Ok(effect()) }
    }

    /// Fails if the gate is closed; ends long work whose result nobody waits for.
    pub(crate) fn check(&self) -> Result<(), BuiltinError> {
        self.run(|| ())
    }

    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

struct CloseOnDrop(EffectGate);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{invocation, local, paused_runtime};
    use praxis_engine::seams::gathered;
    use serde_json::json;
    use std::sync::atomic::{AtomicU8, Ordering};
    use std::time::Duration;

    static SEEN: AtomicU8 = AtomicU8::new(0);

    fn wait_for_the_gate(_: Value, job: &CallContext) -> Result<Value, BuiltinError> {
        SEEN.store(1, Ordering::SeqCst);
        while job.gate.check().is_ok() {
            std::thread::yield_now();
        }
        let effect = job.gate.run(|| SEEN.store(9, Ordering::SeqCst));
        SEEN.fetch_add(1, Ordering::SeqCst);
        effect.map(|()| Value::Null)
    }

    fn give_bytes(length: Value, _: &CallContext) -> Result<Value, BuiltinError> {
        let length = usize::try_from(length.as_u64().unwrap_or_default()).unwrap_or_default();
        Ok(Value::String("x".repeat(length)))
    }

    #[test]
    fn an_output_may_be_64_mib_long_and_no_longer() {
        let local = local("giving", give_bytes);
        let give = |bytes: usize| {
            let given = local.exec(invocation(1, "k", json!(bytes)));
            paused_runtime()
                .block_on(gathered(given))
                .map(drop)
                .map_err(|failed| failed.fault.code())
        };
        // Two bytes for the quotes, one for the comma that `text_is_within` adds.
        assert_eq!(give(MOST_OUTPUT - 3), Ok(()));
        assert_eq!(give(MOST_OUTPUT - 2), Err("output_too_large"));
    }

    #[test]
    fn a_dropped_call_ends_and_has_no_effect_any_more() {
        let local = local("waiting", wait_for_the_gate);
        let runtime = paused_runtime();
        runtime.block_on(async {
            let call = local.exec(invocation(1, "k", json!({})));
            assert!(tokio::time::timeout(Duration::ZERO, gathered(call)).await.is_err());
        });
        // Shutting the runtime down waits for the blocking work, which ends because the gate closed.
        drop(runtime);
        // 0: the call was dropped before its work began.
        assert!(matches!(SEEN.load(Ordering::SeqCst), 0 | 2));
    }
}
