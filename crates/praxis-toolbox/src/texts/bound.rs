//! The size limit of a text.

use crate::error::BuiltinError;

/// The maximum size of a text.
pub(super) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Rejects an argument that is too long.
pub(super) fn check(at: &str, text: &str) -> Result<(), BuiltinError> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let most = MOST_BYTES / 1024 / 1024;
    let en = format!("the text is longer than {most} MiB; pass only a part of it");
    Err(BuiltinError::argument(at, (en, format!("文本超过 {most} MiB；请只传入其中一部分"))))
}
