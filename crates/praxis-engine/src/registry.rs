//! Registers tools written in Rust: each describes itself, and is validated when it is added.
//!
//! - in: implementations of [`NativeCall`]; the manifests of other tools, and the [`ConnectTools`] for these
//! - out: one `Toolbox` for requests, and one [`ConnectTools`] for the engine
//! - never: accepts an invalid tool, or one whose id is taken

use crate::seams::{Callable, ConnectTools, FailedCall, Invocation, OutputStream};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use praxis_core::call::native::check_native;
use praxis_core::call::tool::Toolbox;
use praxis_core::call::tool::{Tool, Transport};
use praxis_core::ids::ToolId;
use praxis_core::problem::Problem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tool that is implemented in Rust and describes itself.
pub trait NativeCall: Callable {
    /// Returns the description of the tool: [`Tool::native`] with the fields that differ from the defaults. Called
    /// once, when the tool is added.
    fn info(&self) -> Tool;

    /// Prepares a call: opens a connection, checks a file or a permission. Runs before every attempt, within its
    /// timeout. A failure is the failure of the step, and its fault decides about a retry.
    fn init<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<(), FailedCall>> {
        let _ = invocation;
        futures::future::ready(Ok(())).boxed()
    }
}

/// All tools of a program: native ones, and those of manifests.
pub struct Registry {
    toolbox: Toolbox,
    natives: BTreeMap<ToolId, Arc<dyn NativeCall>>,
    others: Arc<dyn ConnectTools>,
}

impl Registry {
    /// Creates a registry with these manifests, which `connect` makes callable.
    pub fn over(toolbox: Toolbox, connect: Arc<dyn ConnectTools>) -> Self {
        Self { toolbox, natives: BTreeMap::new(), others: connect }
    }

    /// Adds a tool; or returns all problems and leaves the registry unchanged.
    pub fn add(&mut self, call: impl NativeCall + 'static) -> Result<(), Vec<Problem>> {
        let tool = check_native(call.info(), &self.toolbox)?;
        self.natives.insert(tool.id.clone(), Arc::new(call));
        self.toolbox.insert(tool.id.clone(), Arc::new(tool));
        Ok(())
    }

    /// Returns the tools that plans and flows may use.
    pub fn toolbox(&self) -> Arc<Toolbox> {
        Arc::new(self.toolbox.clone())
    }
}

impl Default for Registry {
    /// Creates a registry without tools.
    fn default() -> Self {
        Self::over(Toolbox::new(), Arc::new(NoTransports))
    }
}

impl ConnectTools for Registry {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        let named =
            matches!(&tool.transport, Transport::Builtin(name) if *name == tool.id.as_str());
        match self.natives.get(&tool.id).filter(|_| named) {
            Some(call) => Ok(Arc::new(InitialisedTool(Arc::clone(call)))),
            None => self.others.connect(tool),
        }
    }
}

/// A connector that knows no transport.
struct NoTransports;

impl ConnectTools for NoTransports {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        Err(format!("nobody added a call `{}`", tool.id))
    }
}

/// A native tool whose `init` runs before each call.
struct InitialisedTool(Arc<dyn NativeCall>);

impl Callable for InitialisedTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        let begun = async move {
            self.0.init(&invocation).await?;
            Ok::<_, FailedCall>(self.0.exec(invocation))
        };
        begun.into_stream().try_flatten().boxed()
    }
}
