//! New task ids: sortable by time, unlike any other.

use praxis_core::ids::TaskId;
use std::sync::{Mutex, PoisonError};
use ulid::Generator;

/// Makes `task_<ulid>` ids that grow within the process.
#[derive(Default)]
pub struct TaskIds(Mutex<Generator>);

impl TaskIds {
    /// A new id.
    pub fn next(&self) -> TaskId {
        let mut generator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Within one millisecond the generator can run out after 2^80 ids; then a fresh one will do.
        let ulid = generator.generate().unwrap_or_else(|_| ulid::Ulid::generate());
        TaskId::from(format!("task_{}", ulid.to_string().to_lowercase()))
    }
}
