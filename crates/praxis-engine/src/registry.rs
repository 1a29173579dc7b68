//! Calls that programs bring along, written in Rust: each says what it is, and is checked when it is added.
//!
//! - in: calls of one's own; the manifests of others, and who makes those callable
//! - out: one toolbox for requests, and one [`Connect`] for the engine
//! - never: takes a call that is not sound, or one whose name is taken

use crate::seams::{Callable, ConnectTools, FailedCall, Invocation, OutputStream};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use praxis_core::call::native::beside;
use praxis_core::call::tool::Toolbox;
use praxis_core::call::tool::{Tool, Transport};
use praxis_core::ids::ToolId;
use praxis_core::problem::Problem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A call that says itself what it is.
pub trait NativeCall: Callable {
    /// Its name, what it does, what it takes and gives, how far it reaches: [`Tool::native`] with what is to
    /// be otherwise. Asked once, when it is added.
    fn info(&self) -> Tool;

    /// What has to be there before it can be made: a connection, a file, a right. Runs before every attempt,
    /// within its deadline. A failure here is the step's failure: its fault says whether it is tried again.
    fn init<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<(), FailedCall>> {
        let _ = invocation;
        futures::future::ready(Ok(())).boxed()
    }
}

/// All tools of a program: those it brings along, and those of manifests.
pub struct Registry {
    toolbox: Toolbox,
    natives: BTreeMap<ToolId, Arc<dyn NativeCall>>,
    others: Arc<dyn ConnectTools>,
}

impl Registry {
    /// A registry that begins with these manifests, which `connect` makes callable.
    pub fn over(toolbox: Toolbox, connect: Arc<dyn ConnectTools>) -> Self {
        Self { toolbox, natives: BTreeMap::new(), others: connect }
    }

    /// Takes a call in; or says every reason why not, and stays as it was.
    pub fn add(&mut self, call: impl NativeCall + 'static) -> Result<(), Vec<Problem>> {
        let tool = beside(call.info(), &self.toolbox)?;
        self.natives.insert(tool.id.clone(), Arc::new(call));
        self.toolbox.insert(tool.id.clone(), Arc::new(tool));
        Ok(())
    }

    /// What plans and flows may use.
    pub fn toolbox(&self) -> Arc<Toolbox> {
        Arc::new(self.toolbox.clone())
    }
}

impl Default for Registry {
    /// A registry without any tool.
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

/// Makes nothing callable.
struct NoTransports;

impl ConnectTools for NoTransports {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        Err(format!("nobody added a call `{}`", tool.id))
    }
}

/// A call whose `init` comes first.
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
