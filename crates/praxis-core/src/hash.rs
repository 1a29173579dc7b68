//! Content hashes, by which stored contents are named.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a content in lower-case hex.
pub fn content_hash(content: &[u8]) -> String {
    use std::fmt::Write;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(content) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
