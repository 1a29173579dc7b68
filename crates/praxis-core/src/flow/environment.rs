//! What a flow stands on: the tools and flows that it may call.

use super::compile::Flows;
use crate::call::own_tools::calls;
use crate::call::tool::{Tool, Toolbox};
use crate::ids::ToolId;

/// What a flow stands on.
#[derive(Clone, Copy)]
pub struct FlowEnvironment<'a> {
    /// The tools that it may call.
    pub toolbox: &'a Toolbox,
    /// The flows that it may call.
    pub flows: &'a Flows,
}

impl<'a> FlowEnvironment<'a> {
    /// The tool behind a name: one of Praxis' own, else one of the toolbox.
    pub fn tool(&self, call: &str) -> Option<&'a Tool> {
        let id = ToolId::from(call);
        calls().get(&id).or_else(|| self.toolbox.get(&id)).map(AsRef::as_ref)
    }
}
