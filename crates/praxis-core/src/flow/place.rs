//! Places in a flow file, as messages name them.

use super::file::Item;

/// Places in a flow file, as messages name them.
pub struct Place;

impl Place {
    /// The place of a node.
    pub fn item(at: &str, item: &Item) -> String {
        format!("{at}nodes.{}", item.id)
    }
}
