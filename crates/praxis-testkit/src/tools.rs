//! Scripted tools: every call is logged and answered by its script.

use futures::TryFutureExt;
use futures::future::BoxFuture;
use praxis_core::call::manifest::read;
use praxis_core::call::tool::Toolbox;
use praxis_core::call::tool::{Tool, Transport};
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Callable, ConnectTools, FailedCall, Invocation, OutputStream, whole};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The script of a tool: answers an `Invocation`.
pub type ToolScript =
    Arc<dyn Fn(Invocation) -> BoxFuture<'static, Result<Value, Fault>> + Send + Sync>;

/// The script of a tool that streams its output.
pub type StreamingScript = Arc<dyn Fn(Invocation) -> OutputStream<'static> + Send + Sync>;

/// A toolbox whose tools are scripts.
#[derive(Clone, Default)]
pub struct ScriptedTools {
    scripts: BTreeMap<String, StreamingScript>,
    toolbox: Toolbox,
    quiet: bool,
    calls: Arc<Mutex<Vec<Invocation>>>,
}

impl ScriptedTools {
    /// Adds a tool that returns its output whole.
    #[must_use]
    pub fn with(self, manifest: Value, script: ToolScript) -> Self {
        let pieces = move |invocation| whole(script(invocation).map_err(FailedCall::from));
        self.speaking(manifest, Arc::new(pieces))
    }

    /// Adds a tool that streams its output. `manifest` needs no transport; only `sql` is kept.
    ///
    /// # Panics
    /// If the manifest is refused: the test is wrong.
    #[must_use]
    #[expect(clippy::panic, reason = "a test was written wrong")]
    pub fn speaking(mut self, mut manifest: Value, script: StreamingScript) -> Self {
        let id = manifest.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(map) = manifest.as_object_mut().filter(|map| !map.contains_key("sql")) {
            map.insert("builtin".to_owned(), Value::from(id.as_str()));
        }
        let tools = read(&manifest).unwrap_or_else(|problems| panic!("bad manifest: {problems:?}"));
        self.toolbox.extend(tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))));
        self.scripts.insert(id, script);
        self
    }

    /// Adds a tool that answers at once.
    #[must_use]
    pub fn answering(
        self,
        manifest: Value,
        answer: impl Fn(&Invocation) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        let script: ToolScript = Arc::new(move |invocation| {
            let answer = answer(&invocation);
            Box::pin(async move { answer })
        });
        self.with(manifest, script)
    }

    /// Creates a toolbox of one tool that answers at once and does not log its calls, for benchmarks.
    #[must_use]
    pub fn quiet(
        manifest: Value,
        answer: impl Fn(&Invocation) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self { quiet: true, ..Self::default() }.answering(manifest, answer)
    }

    /// Returns the tools as a `Toolbox`.
    pub fn toolbox(&self) -> Arc<Toolbox> {
        Arc::new(self.toolbox.clone())
    }

    /// Returns the logged calls, in the order in which they started.
    pub fn calls(&self) -> Vec<Invocation> {
        self.log().clone()
    }

    /// Returns the number of calls for a step.
    pub fn calls_of(&self, step: &str) -> usize {
        self.log().iter().filter(|call| call.step.as_str() == step).count()
    }

    fn log(&self) -> MutexGuard<'_, Vec<Invocation>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct ScriptedTool {
    script: StreamingScript,
    quiet: bool,
    calls: Arc<Mutex<Vec<Invocation>>>,
}

impl Callable for ScriptedTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        if !self.quiet {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.push(invocation.clone());
        }
        (self.script)(invocation)
    }
}

impl ConnectTools for ScriptedTools {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        let name = match &tool.transport {
            Transport::Builtin(name) => name.as_str(),
            Transport::Sql(_) => tool.id.as_str(),
            Transport::Own(_) | Transport::Command(_) | Transport::Http(_) => {
                return Err("not scripted".to_owned());
            }
        };
        let script = self.scripts.get(name).ok_or_else(|| format!("no script for `{name}`"))?;
        let (script, calls) = (Arc::clone(script), Arc::clone(&self.calls));
        Ok(Arc::new(ScriptedTool { script, quiet: self.quiet, calls }))
    }
}

/// Returns a `ToolId`.
pub fn tool(id: &str) -> ToolId {
    ToolId::from(id)
}
