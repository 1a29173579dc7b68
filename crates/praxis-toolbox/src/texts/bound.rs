//! How long a text may be.

use crate::trouble::ToolTrouble;

/// The longest text.
pub(super) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Refuses an argument that is too long.
pub(super) fn check(at: &str, text: &str) -> Result<(), ToolTrouble> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let most = MOST_BYTES / 1024 / 1024;
    Err(ToolTrouble::argument(at, format!("the text is longer than {most} MiB: give a part of it")))
}
