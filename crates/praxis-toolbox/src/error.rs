//! The errors of the built-in tools.

use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_fence::{NotAFile, OutsideFence, may_pass};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The error of a built-in tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BuiltinError {
    /// The arguments do not deserialize.
    #[error("{0}")]
    Arguments(String),
    /// One argument is invalid.
    #[error("{why}")]
    Argument {
        /// The JSON pointer of the argument, such as `/rows/3/load_mw`.
        at: String,
        /// The reason, and what would be accepted.
        why: String,
    },
    /// The call is not allowed.
    #[error("{}", .0.en)]
    Refused(Bilingual),
    /// A permanent failure: the same call would fail again.
    #[error("{0}")]
    Failed(String),
    /// A transient failure: the same call may succeed later.
    #[error("{0}")]
    Busy(String),
    /// The future of the call was dropped.
    #[error("the call was dropped")]
    Dropped,
}

impl BuiltinError {
    /// Builds the error for an invalid argument.
    pub(crate) fn argument(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Argument { at: at.into(), why: why.into() }
    }

    /// Builds the error for an I/O error: transient for a full or busy disk, permanent for a missing file.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("`{}` cannot be {doing}: {error}", path.display());
        if may_pass(error) { Self::Busy(message) } else { Self::Failed(message) }
    }

    /// Converts to the `Fault` for the engine.
    pub(crate) fn into_fault(self, tool: &ToolId) -> Fault {
        let (tool, message) = (tool.clone(), self.to_string());
        match self {
            Self::Arguments(detail) => invalid(String::new(), detail),
            Self::Argument { at, why } => invalid(at, why),
            Self::Refused(why) => Fault::refused(tool, why),
            Self::Failed(_) => Fault::ToolFailed {
                tool,
                message,
                message_zh: String::new(),
                retryable: false,
                retry_after_ms: None,
            },
            Self::Busy(_) => Fault::ToolFailed {
                tool,
                message,
                message_zh: String::new(),
                retryable: true,
                retry_after_ms: None,
            },
            Self::Dropped => Fault::Cancelled { reason: message },
        }
    }
}

impl From<OutsideFence> for BuiltinError {
    fn from(outside: OutsideFence) -> Self {
        Self::Refused(outside.words().into())
    }
}

impl From<NotAFile> for BuiltinError {
    fn from(no_file: NotAFile) -> Self {
        let message = no_file.to_string();
        if no_file.may_pass() { Self::Busy(message) } else { Self::Failed(message) }
    }
}

fn invalid(pointer: String, detail: String) -> Fault {
    Fault::ParamsInvalid { errors: vec![FieldError::untranslated(pointer, detail)] }
}

/// Deserializes the arguments of a call.
pub(crate) fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, BuiltinError> {
    serde_json::from_value(value).map_err(|error| BuiltinError::Arguments(error.to_string()))
}
