//! Failures of a statement, and their faults.

use super::guard::SqlRefused;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;

/// Maximum characters of a database's message.
const SHOWN: usize = 2000;

/// Failure of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SqlTrouble {
    /// Invalid argument: its JSON pointer and the reason.
    Argument(String, String),
    /// A call that can never succeed as it is.
    Refused(Bilingual),
    /// No connection to the database.
    Unreachable(String),
    /// A connection that broke while a statement ran that may have taken effect.
    Broke(String),
    /// An error that the database reported.
    Failed {
        /// The message of the database.
        message: String,
        /// True if a retry may succeed.
        retryable: bool,
    },
    /// Timeout.
    Late,
    /// A row that exceeds the byte limit of the whole result.
    TooLarge,
}

impl SqlTrouble {
    /// Creates an error that a retry would repeat.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), retryable: false }
    }

    /// Creates an error that a retry may avoid.
    pub(super) fn passing(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), retryable: true }
    }

    /// Turns a refused statement into an invalid argument `/sql`.
    pub(super) fn guarded(refused: &SqlRefused) -> Self {
        Self::Argument("/sql".to_owned(), format!("{}: {}", refused.code, refused.words.en))
    }

    /// Converts the failure to a `Fault`.
    pub(super) fn into_fault(self, tool: &ToolId, timeout_ms: u64, max_bytes: u64) -> Fault {
        let tool = tool.clone();
        match self {
            Self::Argument(pointer, detail) => {
                Fault::ParamsInvalid { errors: vec![FieldError::untranslated(pointer, detail)] }
            }
            Self::Refused(why) => Fault::refused(tool, why),
            Self::Unreachable(message) => {
                Fault::ToolUnavailable { tool, message: shortened(message) }
            }
            Self::Broke(message) => {
                Fault::ToolBroke { tool, message: shortened(message), retry_after_ms: None }
            }
            Self::Failed { message, retryable } => {
                let message = shortened(message);
                Fault::tool_failed(tool, Bilingual::untranslated(message), retryable)
            }
            Self::Late => Fault::Timeout { tool, after_ms: timeout_ms },
            Self::TooLarge => Fault::OutputTooLarge { tool, limit: max_bytes },
        }
    }
}

fn shortened(message: String) -> String {
    match message.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", message.get(..at).unwrap_or_default()),
        None => message,
    }
}
