//! What reads a flow: the fields, the nodes and the loops each have a part of it in their own files.

use super::problems::FlowProblems;

/// What reads a flow: the siblings of this file have more of it.
pub(super) struct FlowReader<'a> {
    pub(super) slips: &'a mut FlowProblems,
    pub(super) nodes: usize,
}
