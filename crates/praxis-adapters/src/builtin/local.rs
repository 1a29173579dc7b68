//! Runs a tool's plain function away from the engine's threads, and keeps the promise of `Call`.
//!
//! - in: an invocation
//! - out: what the function gave, its trouble as a fault
//! - never: lets an effect happen after the future was dropped; reading and counting may run out

use super::trouble::Trouble;
use futures::future::BoxFuture;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Call, Failed, Invocation};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a tool does: the arguments and the job in, the output out.
pub(crate) type Work = fn(Value, &Job) -> Result<Value, Trouble>;

/// What a tool knows of the call besides its arguments.
pub(crate) struct Job {
    /// The attempt, from one.
    pub(crate) attempt: u32,
    /// The idempotency key.
    pub(crate) key: String,
    /// Where the tools keep files.
    pub(crate) home: PathBuf,
    /// Whether effects are still wanted.
    pub(crate) gate: Gate,
}

/// A tool that is one blocking function.
pub(crate) struct Local {
    tool: ToolId,
    home: PathBuf,
    work: Work,
}

impl Local {
    /// The tool `name`, which keeps its files in `home`.
    pub(crate) fn new(name: &str, home: &Path, work: Work) -> Self {
        Self { tool: ToolId::from(name), home: home.to_owned(), work }
    }
}

impl Call for Local {
    fn exec(&self, invocation: Invocation) -> BoxFuture<'_, Result<Value, Failed>> {
        let Invocation { attempt, key, arguments, .. } = invocation;
        let gate = Gate::default();
        let job = Job { attempt, key, home: self.home.clone(), gate: gate.clone() };
        let (work, dropped) = (self.work, CloseOnDrop(gate));
        Box::pin(async move {
            let _dropped = dropped;
            let working = tokio::task::spawn_blocking(move || work(arguments, &job));
            match working.await {
                Ok(result) => result.map_err(|trouble| trouble.into_fault(&self.tool).into()),
                // The engine contains panics and finds their words.
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => Err(Fault::Interrupted { tool: self.tool.clone() }.into()),
            }
        })
    }
}

/// Lets effects through until it is closed.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<Mutex<bool>>);

impl Gate {
    /// Lets one short effect through. Closing waits until it is over.
    pub(crate) fn pass<T>(&self, effect: impl FnOnce() -> T) -> Result<T, Trouble> {
        let closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *closed { Err(Trouble::Dropped) } else { Ok(effect()) }
    }

    /// Ends long work whose result nobody waits for.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        self.pass(|| ())
    }

    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

struct CloseOnDrop(Gate);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::testing::{invocation, paused_runtime};
    use serde_json::json;
    use std::sync::atomic::{AtomicU8, Ordering};
    use std::time::Duration;

    static SEEN: AtomicU8 = AtomicU8::new(0);

    fn wait_for_the_gate(_: Value, job: &Job) -> Result<Value, Trouble> {
        SEEN.store(1, Ordering::SeqCst);
        while job.gate.check().is_ok() {
            std::thread::yield_now();
        }
        let effect = job.gate.pass(|| SEEN.store(9, Ordering::SeqCst));
        SEEN.fetch_add(1, Ordering::SeqCst);
        effect.map(|()| Value::Null)
    }

    #[test]
    fn a_dropped_call_ends_and_has_no_effect_any_more() {
        let local = Local::new("waiting", Path::new("."), wait_for_the_gate);
        let runtime = paused_runtime();
        runtime.block_on(async {
            let call = local.exec(invocation(1, "k", json!({})));
            assert!(tokio::time::timeout(Duration::ZERO, call).await.is_err());
        });
        // Shutting the runtime down waits for the blocking work, which ends because the gate closed.
        drop(runtime);
        // A call that never began to work is as good as one that ended.
        assert!(matches!(SEEN.load(Ordering::SeqCst), 0 | 2));
    }
}
