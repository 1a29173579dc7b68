//! Why a query gave no rows, and the fault that the engine reads.

use super::guard::SqlRefused;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;

/// How much of a database's own words is kept.
const SHOWN: usize = 2000;

/// Why there are no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SqlTrouble {
    /// An argument is not what is taken: where it stands, and why.
    Argument(String, String),
    /// The call never can be made as it is.
    Refused(Bilingual),
    /// Nothing was reached.
    Unreachable(String),
    /// The connection broke while something ran that may have taken effect.
    Broke(String),
    /// The database said no.
    Failed {
        /// Its words.
        message: String,
        /// Whether it may say yes later.
        retryable: bool,
    },
    /// It took too long.
    Late,
    /// A row is longer than all rows may be.
    TooLarge,
}

impl SqlTrouble {
    /// The database said no, and will again.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), retryable: false }
    }

    /// The database did not do it, and may later.
    pub(super) fn passing(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), retryable: true }
    }

    /// A statement that the guard did not let through, as the argument that it came in.
    pub(super) fn guarded(refused: &SqlRefused) -> Self {
        Self::Argument("/sql".to_owned(), format!("{}: {}", refused.code, refused.words.en))
    }

    /// The fault that the engine reads.
    pub(super) fn into_fault(self, tool: &ToolId, timeout_ms: u64, max_bytes: u64) -> Fault {
        let tool = tool.clone();
        match self {
            Self::Argument(pointer, detail) => {
                Fault::ParamsInvalid { errors: vec![FieldError { pointer, detail }] }
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
                Fault::ToolFailed { tool, message, retryable, retry_after_ms: None }
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
