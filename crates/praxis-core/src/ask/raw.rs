//! Raw request and response bodies, within bounds.
//!
//! - in: bytes in chunks
//! - out: their text; a long one as its beginning and end, with the number of bytes left out between them
//! - never: holds more than a few times [`MOST`]

use serde::{Deserialize, Serialize};

/// Maximum number of bytes kept of each body.
pub const MOST: usize = 256 * 1024;
/// Number of these bytes kept from the end, where an endpoint sends the finish reason and the usage.
const END: usize = 64 * 1024;

/// The bodies of the request and the response behind a reply, with secrets hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawReply {
    /// The request body.
    pub sent: String,
    /// The response body, chunks joined. `None` if the reply contained a secret, which could be split between chunks
    /// and escape hiding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

/// Recorder of the bytes of one body.
#[derive(Clone, Debug, Default)]
pub struct RawRecorder {
    head: Vec<u8>,
    tail: Vec<u8>,
    passed: usize,
}

impl RawRecorder {
    /// Creates a recorder that holds one text.
    pub fn of(text: &str) -> Self {
        let mut tape = Self::default();
        tape.take(text.as_bytes());
        tape
    }

    /// Takes the next bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.passed = self.passed.saturating_add(bytes.len());
        let room = (MOST - END).saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Trims only when the tail has doubled, so that each byte is moved about once.
        if self.tail.len() > 2 * END {
            self.tail.drain(..self.tail.len() - END);
        }
    }

    /// Returns the text of the recorded bytes.
    pub fn text(mut self) -> String {
        let surplus = self.tail.len().saturating_sub(END);
        self.tail.drain(..surplus);
        let left_out = self.passed - self.head.len() - self.tail.len();
        if left_out > 0 {
            self.head.extend_from_slice(format!("\n…[{left_out} bytes]…\n").as_bytes());
        }
        self.head.append(&mut self.tail);
        String::from_utf8_lossy(&self.head).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_is_kept_whole_however_it_comes() {
        let text = "负荷预测 data".repeat(1000);
        assert_eq!(RawRecorder::of(&text).text(), text);
        let mut byte_by_byte = RawRecorder::default();
        for byte in text.as_bytes() {
            byte_by_byte.take(&[*byte]);
        }
        assert_eq!(byte_by_byte.text(), text);
        let exactly = "x".repeat(MOST);
        assert_eq!(RawRecorder::of(&exactly).text(), exactly);
    }

    #[test]
    fn of_what_is_long_the_beginning_and_the_end_are_kept_and_the_rest_is_counted() {
        for piece in [1000, 70_000, 5_000_000] {
            let text = format!("begin{}end", "x".repeat(3_999_992));
            let mut tape = RawRecorder::default();
            for piece in text.as_bytes().chunks(piece) {
                tape.take(piece);
                assert!(tape.head.len() + tape.tail.len() <= MOST + END);
            }
            let kept = tape.text();
            assert!(kept.starts_with("begin") && kept.ends_with("end"));
            assert!(kept.contains(&format!("\n…[{} bytes]…\n", 4_000_000 - MOST)), "{piece}");
        }
    }
}
