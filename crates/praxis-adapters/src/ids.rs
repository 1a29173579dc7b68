//! New task ids: unique, and sortable by time.

use praxis_core::ids::TaskId;
use std::sync::{Mutex, PoisonError};
use ulid::Generator;

/// Generates `task_<ulid>` ids that increase within the process.
#[derive(Default)]
pub struct TaskIds(Mutex<Generator>);

impl TaskIds {
    /// Generates an id.
    pub fn next(&self) -> TaskId {
        let mut generator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The generator overflows after 2^80 ids within one millisecond; a fresh ULID is good enough then.
        let ulid = generator.generate().unwrap_or_else(|_| ulid::Ulid::generate());
        TaskId::from(format!("task_{}", ulid.to_string().to_lowercase()))
    }
}
