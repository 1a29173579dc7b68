//! The checksum chain of a task: each link covers the entry and the previous link.

use sha2::{Digest, Sha256};

/// A link of the chain. The predecessor of the first link is all zeros.
pub type ChainLink = [u8; 16];

/// Returns the link of an entry whose text is `body`.
pub fn link(previous: &ChainLink, seq: u64, at: u64, body: &[u8]) -> ChainLink {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(seq.to_le_bytes());
    hash.update(at.to_le_bytes());
    hash.update(body);
    let mut link = ChainLink::default();
    for (to, from) in link.iter_mut().zip(hash.finalize()) {
        *to = from;
    }
    link
}
