//! Why a tool in the binary could not do its work.

use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_fence::{NotAFile, OutsideFence, may_pass};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;
use std::path::Path;

/// Why the work was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ToolTrouble {
    /// The arguments are not what the tool takes.
    #[error("{0}")]
    Arguments(String),
    /// One argument is not what the tool takes: where it stands, as a JSON pointer, and why.
    #[error("{why}")]
    Argument {
        /// `/rows/3/load_mw`.
        at: String,
        /// Why, and what would be taken.
        why: String,
    },
    /// The call is not allowed.
    #[error("{}", .0.en)]
    Refused(Bilingual),
    /// The same call would fail again.
    #[error("{0}")]
    Failed(String),
    /// The same call may succeed later.
    #[error("{0}")]
    Busy(String),
    /// Nobody waits for the call any more.
    #[error("the call was dropped")]
    Dropped,
}

impl ToolTrouble {
    /// An argument that is not what the tool takes.
    pub(crate) fn argument(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Argument { at: at.into(), why: why.into() }
    }

    /// An error of the file system. A full or busy disk may be better later; a missing file may not.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("`{}` cannot be {doing}: {error}", path.display());
        if may_pass(error) { Self::Busy(message) } else { Self::Failed(message) }
    }

    /// The fault that the engine reads.
    pub(crate) fn into_fault(self, tool: &ToolId) -> Fault {
        let (tool, message) = (tool.clone(), self.to_string());
        match self {
            Self::Arguments(detail) => invalid(String::new(), detail),
            Self::Argument { at, why } => invalid(at, why),
            Self::Refused(why) => Fault::refused(tool, why),
            Self::Failed(_) => {
                Fault::ToolFailed { tool, message, retryable: false, retry_after_ms: None }
            }
            Self::Busy(_) => {
                Fault::ToolFailed { tool, message, retryable: true, retry_after_ms: None }
            }
            Self::Dropped => Fault::Cancelled { reason: message },
        }
    }
}

impl From<OutsideFence> for ToolTrouble {
    fn from(outside: OutsideFence) -> Self {
        Self::Refused(outside.words().into())
    }
}

impl From<NotAFile> for ToolTrouble {
    fn from(no_file: NotAFile) -> Self {
        let message = no_file.to_string();
        if no_file.may_pass() { Self::Busy(message) } else { Self::Failed(message) }
    }
}

fn invalid(pointer: String, detail: String) -> Fault {
    Fault::ParamsInvalid { errors: vec![FieldError { pointer, detail }] }
}

/// Reads arguments into the words of a tool.
pub(crate) fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, ToolTrouble> {
    serde_json::from_value(value).map_err(|error| ToolTrouble::Arguments(error.to_string()))
}
