//! The reader of flow files. Its methods are in the sibling modules `read`, `fields`, `names` and `loops`.

use super::problems::FlowProblems;

/// The state of reading a flow file: the problems found and the number of nodes so far.
pub(super) struct FlowReader<'a> {
    pub(super) findings: &'a mut FlowProblems,
    pub(super) nodes: usize,
}
