//! What is wrong with one part of a value.

use serde::{Deserialize, Serialize};

/// What is wrong with one part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// The JSON pointer.
    pub pointer: String,
    /// What is wrong there.
    pub detail: String,
}
