//! The tools and flows that a flow may call.

use super::compile::Flows;
use crate::call::own_tools::calls;
use crate::call::tool::{Tool, Toolbox};
use crate::ids::ToolId;

/// The tools and flows that a flow may call.
#[derive(Clone, Copy)]
pub struct FlowEnvironment<'a> {
    /// The tools.
    pub toolbox: &'a Toolbox,
    /// The flows, by name.
    pub flows: &'a Flows,
}

impl<'a> FlowEnvironment<'a> {
    /// Returns the tool of this name: one of the engine's own calls, or else one of the toolbox.
    pub fn tool(&self, call: &str) -> Option<&'a Tool> {
        let id = ToolId::from(call);
        calls().get(&id).or_else(|| self.toolbox.get(&id)).map(AsRef::as_ref)
    }
}
