//! What reads a flow: the fields, the nodes and the loops each have a part of it in their own files.

use super::slip::Slips;

/// What reads a flow: the siblings of this file have more of it.
pub(super) struct Reader<'a> {
    pub(super) slips: &'a mut Slips,
    pub(super) nodes: usize,
}
