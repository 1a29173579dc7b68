//! The stop signal of running calls.

use praxis_core::dataflow::context::StepIndex;
use std::collections::BTreeSet;

/// The set of running calls that are to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopSignal {
    /// True if all calls are to stop.
    pub(crate) all: bool,
    /// The dropped steps whose calls are to stop.
    pub(crate) steps: BTreeSet<StepIndex>,
}
