//! Fingerprints of tool calls, to count identical ones.

use crate::hash::content_hash;
use crate::ids::ToolId;
use crate::payload::Payload;

/// Returns a short hash of the tool and its arguments.
pub fn fingerprint(tool: &ToolId, arguments: &Payload) -> String {
    let arguments = match arguments {
        Payload::Json(value) => value.to_string(),
        Payload::Blob(stored) => stored.blob.to_string(),
    };
    let hash = content_hash(format!("{tool}\n{arguments}").as_bytes());
    hash.chars().take(16).collect()
}
