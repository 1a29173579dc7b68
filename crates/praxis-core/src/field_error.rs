//! A validation error in one part of a value.

use serde::{Deserialize, Serialize};

/// A validation error in one part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// The JSON pointer to the part.
    pub pointer: String,
    /// The description of the error.
    pub detail: String,
}
