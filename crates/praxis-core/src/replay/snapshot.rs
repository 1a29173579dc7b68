//! A state as text, so that a long journal need not be folded from its first event.
//!
//! - in: a state that the fold made, and the entry that it ends with
//! - out: a text that gives that very state back, to the same build and over the same journal
//! - never: the truth. Whoever cannot read one, or finds it over another entry, folds the journal

use crate::fold::IllegalEvent;
use crate::hash::content_hash;
use crate::journal::event::Entry;
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The sources of the fold: a state is read by the build that wrote it and by no other.
const FOLD: &str = env!("PRAXIS_FOLD");
/// A longer one is not made: it would be held beside the state that it shows.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The reader of JSON goes no deeper.
const MOST_LEVELS: usize = 127;

/// A state that was kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct StateSnapshot {
    /// The hash of the entry that it ends with.
    ends_with: String,
    state: State,
}

#[derive(Serialize)]
struct SnapshotInFile<'a> {
    ends_with: String,
    state: &'a State,
}

/// Writes a state down; none if it would be too long, or too deep to be read again.
pub fn write(state: &State, last: &Entry) -> Option<Vec<u8>> {
    let mut text = BoundedReader(Vec::new());
    serde_json::to_writer(&mut text, &SnapshotInFile { ends_with: mark(last), state }).ok()?;
    if deepest(&text.0) > MOST_LEVELS {
        return None;
    }
    let mut kept = format!("{FOLD} {}\n", content_hash(&text.0)).into_bytes();
    kept.append(&mut text.0);
    Some(kept)
}

/// Reads what [`write`] wrote; none if it was changed since, or written by another build.
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
    /// The state after the entries of its journal that begin with the one that it ends with; none if
    /// they begin with another.
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

/// How many brackets are open at most at one place of a JSON text.
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

struct BoundedReader(Vec<u8>);

impl Write for BoundedReader {
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
