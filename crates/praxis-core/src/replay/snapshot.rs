//! Snapshots of a `State`, so that a long journal need not be folded from its first event.
//!
//! - in: a folded state, and the last entry that it contains
//! - out: bytes that restore the same state, for the same build and the same journal
//! - never: authoritative. If a snapshot is unreadable or ends with another entry, the journal is folded

use crate::fold::IllegalEvent;
use crate::hash::content_hash;
use crate::journal::event::Entry;
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The hash of this crate's sources: a snapshot is read only by the build that wrote it.
const FOLD: &str = env!("PRAXIS_FOLD");
/// The maximum size. A snapshot is held in memory beside the state.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The nesting limit of the JSON reader.
const MOST_LEVELS: usize = 127;

/// A snapshot that was read back.
#[derive(Debug, Serialize, Deserialize)]
pub struct StateSnapshot {
    /// The hash of the last entry in the state.
    ends_with: String,
    state: State,
}

#[derive(Serialize)]
struct SnapshotRef<'a> {
    ends_with: String,
    state: &'a State,
}

/// Writes a snapshot, or returns `None` if it would be too large, or nested too deeply to be read.
pub fn write(state: &State, last: &Entry) -> Option<Vec<u8>> {
    let mut text = BoundedWriter(Vec::new());
    serde_json::to_writer(&mut text, &SnapshotRef { ends_with: mark(last), state }).ok()?;
    if deepest(&text.0) > MOST_LEVELS {
        return None;
    }
    let mut kept = format!("{FOLD} {}\n", content_hash(&text.0)).into_bytes();
    kept.append(&mut text.0);
    Some(kept)
}

/// Reads the bytes of [`write`]; returns `None` if they were changed or written by another build.
pub fn read(kept: &[u8]) -> Option<StateSnapshot> {
    let end = kept.iter().position(|byte| *byte == b'\n')?;
    let (head, text) = (kept.get(..end)?, kept.get(end + 1..)?);
    let expected = format!("{FOLD} {}", content_hash(text));
    if head != expected.as_bytes() {
        return None;
    }
    serde_json::from_slice(text).ok()
}

impl StateSnapshot {
    /// Applies the journal entries after the snapshot. `entries` must begin with the last entry in the snapshot,
    /// otherwise the result is `None`.
    pub fn continued(self, entries: &[Entry]) -> Option<Result<State, IllegalEvent>> {
        let (first, rest) = entries.split_first()?;
        if first.seq != self.state.seq || mark(first) != self.ends_with {
            return None;
        }
        let mut state = self.state;
        Some(rest.iter().try_for_each(|entry| state.apply(entry)).map(|()| state))
    }
}

fn mark(entry: &Entry) -> String {
    content_hash(serde_json::to_string(entry).unwrap_or_default().as_bytes())
}

/// Returns the maximum nesting depth of a JSON text.
fn deepest(text: &[u8]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

struct BoundedWriter(Vec<u8>);

impl Write for BoundedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
