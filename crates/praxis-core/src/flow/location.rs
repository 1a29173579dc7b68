//! Places in a flow file, in the form that messages use.

use super::file::FlowItem;

/// Places in a flow file, in the form that messages use.
pub struct FlowLocation;

impl FlowLocation {
    /// Returns the place of a node.
    pub fn item(at: &str, item: &FlowItem) -> String {
        format!("{at}nodes.{}", item.id)
    }
}
