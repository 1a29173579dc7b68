//! Places in a flow file, as messages name them.

use super::file::FlowItem;

/// Places in a flow file, as messages name them.
pub struct FlowLocation;

impl FlowLocation {
    /// The place of a node.
    pub fn item(at: &str, item: &FlowItem) -> String {
        format!("{at}nodes.{}", item.id)
    }
}
