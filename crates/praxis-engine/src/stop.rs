//! Which of the running calls are to stop.

use praxis_core::dataflow::context::StepIndex;
use std::collections::BTreeSet;

/// Which calls are to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopSignal {
    /// All of them.
    pub(crate) all: bool,
    /// Those of steps that were given up.
    pub(crate) steps: BTreeSet<StepIndex>,
}
