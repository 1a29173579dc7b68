//! The bytes of an answer: its head, the pieces of its body with their times, and the action after them.
//!
//! - in: bytes with the time at which they are due
//! - out: the same bytes, cut as a hostile network would cut them
//! - never: changes a byte

use serde::Deserialize;

/// One HTTP answer, or the bytes sent in place of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireAnswer {
    /// The status line and the headers. If `None`, nothing is sent at all.
    pub head: Option<AnswerHead>,
    /// The body.
    pub pieces: Vec<BodyPiece>,
    /// The way in which the client learns the end of the body.
    pub framing: Framing,
    /// The action after the body.
    pub then: AfterBody,
}

/// The head of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerHead {
    /// The HTTP status.
    pub status: u16,
    /// The headers, except those of the framing, which are added.
    pub headers: Vec<(String, String)>,
}

/// A piece of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPiece {
    /// The time at which it is sent, in milliseconds after the answer started.
    pub due_ms: u64,
    /// The content. Each piece is a separate chunk, so that a client sees where the body was cut.
    pub bytes: Vec<u8>,
}

/// The way in which a client learns the end of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Each piece is a chunk, and an empty chunk ends the body.
    #[default]
    Chunked,
    /// A `content-length` of this many bytes is announced, even if fewer are sent.
    Length(usize),
    /// The end of the connection is the end of the body.
    Close,
}

/// The action after a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AfterBody {
    /// Ends the body and closes the connection properly.
    #[default]
    End,
    /// Closes the connection, whatever length was announced.
    Cut,
    /// Resets the connection.
    Reset,
    /// Sends nothing, and waits until the client leaves.
    Hold,
    /// Repeats the same bytes.
    Pour(PouredBody),
}

/// Bytes that are repeated after a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PouredBody {
    /// The bytes to repeat.
    pub piece: Vec<u8>,
    /// The pause after each, in milliseconds.
    pub every_ms: u64,
    /// The number of repetitions; until the client leaves if `None`.
    pub times: Option<u64>,
    /// The bytes after the last repetition.
    pub tail: Vec<u8>,
}

impl WireAnswer {
    /// Creates a whole JSON answer, due at once.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::whole(status, "application/json", body.to_string().into_bytes())
    }

    /// Creates a whole answer, due at once.
    pub fn whole(status: u16, content_type: &str, bytes: Vec<u8>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        let framing = Framing::Length(bytes.len());
        let pieces = vec![BodyPiece { due_ms: 0, bytes }];
        Self { head: Some(AnswerHead { status, headers }), pieces, framing, then: AfterBody::End }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        if let Some(head) = &mut self.head {
            head.headers.push((name.to_owned(), value.into()));
        }
        self
    }
}

/// The way in which a stream is cut into chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkMode {
    /// Everything in one chunk, at the end.
    Whole,
    /// One event per chunk.
    #[default]
    Event,
    /// This many bytes per chunk, regardless of the boundaries of events and characters.
    Every(usize),
    /// One byte per chunk.
    OneByte,
    /// Cuts inside every multi-byte character, every `\r\n` and every `data:`.
    Seams,
}

impl ChunkMode {
    /// Cuts the pieces again. The bytes and their order stay, and nothing is sent before it is due.
    pub fn cut(self, pieces: Vec<BodyPiece>) -> Vec<BodyPiece> {
        match self {
            Self::Event => pieces,
            Self::Whole => regroup(&pieces, |_, _| false),
            Self::OneByte => regroup(&pieces, |_, _| true),
            Self::Every(size) => regroup(&pieces, |group, _| group.len() >= size.max(1)),
            Self::Seams => regroup(&pieces, is_seam),
        }
    }
}

/// Regroups the bytes; a cut falls where `cuts`, given the bytes of the group so far and the next byte, returns true.
fn regroup(pieces: &[BodyPiece], cuts: impl Fn(&[u8], u8) -> bool) -> Vec<BodyPiece> {
    let mut groups: Vec<BodyPiece> = Vec::new();
    for piece in pieces {
        for byte in &piece.bytes {
            match groups.last_mut().filter(|group| !cuts(&group.bytes, *byte)) {
                Some(group) => {
                    group.bytes.push(*byte);
                    group.due_ms = piece.due_ms;
                }
                None => groups.push(BodyPiece { due_ms: piece.due_ms, bytes: vec![*byte] }),
            }
        }
    }
    groups
}

fn is_seam(before: &[u8], next: u8) -> bool {
    let in_character = (0x80..0xc0).contains(&next);
    let in_line_end = before.ends_with(b"\r") && next == b'\n';
    let in_field = before.ends_with(b"da") && next == b't';
    in_character || in_line_end || in_field
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces() -> Vec<BodyPiece> {
        let piece = |due_ms, text: &str| BodyPiece { due_ms, bytes: text.as_bytes().to_vec() };
        vec![piece(1, "data: 好\r\n\r\n"), piece(2, "data: x\n\n")]
    }

    fn cut(chunks: ChunkMode) -> Vec<(u64, Vec<u8>)> {
        chunks.cut(pieces()).into_iter().map(|piece| (piece.due_ms, piece.bytes)).collect()
    }

    #[test]
    fn however_a_stream_is_cut_its_bytes_stay() {
        let all: Vec<u8> = pieces().into_iter().flat_map(|piece| piece.bytes).collect();
        let ways = [
            ChunkMode::Whole,
            ChunkMode::Event,
            ChunkMode::OneByte,
            ChunkMode::Every(3),
            ChunkMode::Seams,
        ];
        for way in ways.into_iter().chain([ChunkMode::Every(0)]) {
            let cut = cut(way);
            assert_eq!(cut.iter().flat_map(|(_, bytes)| bytes.clone()).collect::<Vec<_>>(), all);
            assert!(cut.is_sorted_by_key(|(due, _)| *due), "{way:?}");
        }
        assert_eq!(cut(ChunkMode::Whole).len(), 1);
        assert_eq!(cut(ChunkMode::OneByte).len(), all.len());
        assert_eq!(cut(ChunkMode::Every(4))[3], (2, b"\nda".iter().chain(b"t").copied().collect()));
    }

    #[test]
    fn seams_are_cut_inside_of_characters_line_ends_and_fields() {
        let cut: Vec<Vec<u8>> = cut(ChunkMode::Seams).into_iter().map(|(_, bytes)| bytes).collect();
        let expected: [&[u8]; 7] =
            [b"da", b"ta: \xe5", b"\xa5", b"\xbd\r", b"\n\r", b"\nda", b"ta: x\n\n"];
        assert_eq!(cut, expected);
    }
}
