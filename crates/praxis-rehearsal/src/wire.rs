//! What goes over the wire: a head, pieces of a body at their times, and what follows them.
//!
//! - in: bytes with the time at which they are due
//! - out: the same bytes, cut as a hostile network would cut them
//! - never: changes a byte

use serde::Deserialize;

/// One HTTP answer, or what is sent in the place of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireAnswer {
    /// The status line and the headers. Without them nothing is sent at all.
    pub head: Option<AnswerHead>,
    /// The body.
    pub pieces: Vec<BodyPiece>,
    /// How the client is to know where the body ends.
    pub framing: Framing,
    /// What follows the body.
    pub then: AfterBody,
}

/// The head of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerHead {
    /// The HTTP status.
    pub status: u16,
    /// Further headers; those of framing are added.
    pub headers: Vec<(String, String)>,
}

/// A piece of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPiece {
    /// When it is sent, in milliseconds after the request was taken up.
    pub due_ms: u64,
    /// What is sent. Each piece is a chunk of its own, so that a client sees where it was cut.
    pub bytes: Vec<u8>,
}

/// How a client knows where a body ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Each piece is a chunk, and an empty one ends them.
    #[default]
    Chunked,
    /// So many bytes are announced, whether they come or not.
    Length(usize),
    /// The end of the connection is the end of the body.
    Close,
}

/// What follows a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AfterBody {
    /// The end, in order.
    #[default]
    End,
    /// The connection is closed, whatever was announced.
    Cut,
    /// The connection breaks.
    Reset,
    /// Nothing, until the client leaves.
    Hold,
    /// The same again and again.
    Pour(PouredBody),
}

/// The same bytes again and again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PouredBody {
    /// What is sent.
    pub piece: Vec<u8>,
    /// The pause after each.
    pub every_ms: u64,
    /// How often; until the client leaves if none.
    pub times: Option<u64>,
    /// What comes after the last.
    pub tail: Vec<u8>,
}

impl WireAnswer {
    /// A whole JSON answer, at once.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::whole(status, "application/json", body.to_string().into_bytes())
    }

    /// A whole answer, at once.
    pub fn whole(status: u16, content_type: &str, bytes: Vec<u8>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        let framing = Framing::Length(bytes.len());
        let pieces = vec![BodyPiece { due_ms: 0, bytes }];
        Self { head: Some(AnswerHead { status, headers }), pieces, framing, then: AfterBody::End }
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        if let Some(head) = &mut self.head {
            head.headers.push((name.to_owned(), value.into()));
        }
        self
    }
}

/// How a stream is cut into chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkMode {
    /// Everything at once, at the end.
    Whole,
    /// One event a chunk.
    #[default]
    Event,
    /// So many bytes a chunk, wherever events and characters end.
    Every(usize),
    /// One byte a chunk.
    OneByte,
    /// Cut inside of every character of several bytes, every `\r\n` and every `data:`.
    Seams,
}

impl ChunkMode {
    /// Cuts pieces anew. The bytes and their order stay, and nothing is sent before it is due.
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

/// Joins the bytes again, with a cut wherever `cuts` says so, given what is before it and the byte after.
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
