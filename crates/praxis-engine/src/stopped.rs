//! Reasons for which a task is not driven any further.

use crate::seams::{AppendError, BlobError};
use praxis_core::problem::Problem;

/// Why a driver stopped before its task ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverStopped {
    /// The append was refused.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A blob could not be stored or read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The engine contradicted itself; the task is as it was on disk.
    #[error("{0}")]
    Illegal(#[from] praxis_core::IllegalEvent),
    /// The goal cannot be planned, and is not taken in.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    NoPlan(Vec<Problem>),
    /// Work that needs no model broke off.
    #[error("planning broke off: {0}")]
    Work(String),
    /// An event could not be written as JSON.
    #[error("an event cannot be written: {0}")]
    Unwritable(String),
}

impl DriverStopped {
    /// Whether no task can be driven any more.
    pub(crate) fn is_of_the_journal(&self) -> bool {
        matches!(self, Self::Append(AppendError::Broken(_)))
    }
}
