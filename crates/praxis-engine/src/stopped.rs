//! Reasons for which a driver stops before its task ends.

use crate::seams::{AppendError, BlobError};
use praxis_core::problem::Problem;

/// The reason for which a driver stopped before its task ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverStopped {
    /// The append failed.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A blob could not be stored or read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// An event did not fit the state; the task on disk is unchanged.
    #[error("{0}")]
    Illegal(#[from] praxis_core::IllegalEvent),
    /// The goal cannot be planned and is refused.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    NoPlan(Vec<Problem>),
    /// Background work failed.
    #[error("planning failed: {0}")]
    Work(String),
    /// An event could not be serialized, or a selected tool could not be pinned.
    #[error("cannot record an event: {0}")]
    Unwritable(String),
}

impl DriverStopped {
    /// Returns true if the journal is broken, so that no task can be driven any more.
    pub(crate) fn is_journal_broken(&self) -> bool {
        matches!(self, Self::Append(AppendError::Broken(_)))
    }
}
