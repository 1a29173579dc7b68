//! Turns a healthy answer into the output of a broken endpoint.
//!
//! - in: a `Profile`, and the answer that a healthy endpoint would give
//! - out: the `WireAnswer` to send
//! - never: damages anything but what the profile names

use super::profiles::{BodyFlood, Damage, KEY, Profile, ProfileBody, ProfileEnding, SOON};
use super::speak::{self, AnswerPart, LineEnds, PartKind};
use super::wire::{AfterBody, AnswerHead, BodyPiece, PouredBody, WireAnswer};
use flate2::Compression;
use flate2::write::GzEncoder;
use praxis_core::time::Timestamp;
use serde_json::json;
use std::io::Write;

/// Bytes per write of a 100 MB flood, and the number of writes.
const GULP: usize = 64 << 10;
const GULPS: u64 = 1600;

/// The inputs of a fault besides the answer.
#[derive(Clone, Debug, Default)]
pub struct Circumstance {
    /// The current time.
    pub now: Timestamp,
    /// The `authorization` header of the client.
    pub authorization: String,
    /// The line ending of the stream.
    pub line_ends: LineEnds,
}

impl Profile {
    pub(super) fn wire(&self, healthy: Vec<AnswerPart>, at: &Circumstance) -> WireAnswer {
        let streams = healthy.iter().all(|part| part.kind != PartKind::Body);
        let fill = |text: &str| fill(text, at);
        let header = |(name, value): &(&str, &str)| ((*name).to_owned(), fill(value));
        let head = self.head.map(|(status, headers)| {
            // An answer that is not streamed must not claim to be an event stream, whatever else is wrong with it.
            let is_stream = |header: &&(&str, &str)| streams || header.1 != "text/event-stream";
            AnswerHead { status, headers: headers.iter().filter(is_stream).map(header).collect() }
        });
        let pieces = match self.body {
            _ if head.is_none() => Vec::new(),
            ProfileBody::Text(text) => {
                vec![BodyPiece { due_ms: 0, bytes: fill(text).into_bytes() }]
            }
            ProfileBody::Answer(damage) => damage.apply(healthy, at),
        };
        let then = match (self.flood, self.ending) {
            (Some(flood), _) => AfterBody::Pour(flood.pour(at.line_ends)),
            (None, ProfileEnding::End) => AfterBody::End,
            (None, ProfileEnding::Cut) => AfterBody::Cut,
            (None, ProfileEnding::Reset) => AfterBody::Reset,
            (None, ProfileEnding::Hold) => AfterBody::Hold,
        };
        WireAnswer { head, pieces: self.paced(pieces), framing: self.framing, then }
    }

    /// Splits the body into single bytes, `byte_ms` apart, if the profile is that slow.
    fn paced(&self, pieces: Vec<BodyPiece>) -> Vec<BodyPiece> {
        if self.byte_ms == 0 {
            return pieces;
        }
        let bytes = pieces.into_iter().flat_map(|piece| piece.bytes);
        let due = (0_u64..).map(|number| number.saturating_mul(self.byte_ms));
        bytes.zip(due).map(|(byte, due_ms)| BodyPiece { due_ms, bytes: vec![byte] }).collect()
    }
}

/// Fills in the placeholders whose values are only known at the time of the call.
fn fill(text: &str, at: &Circumstance) -> String {
    text.replace(SOON, &date(at.now.plus_ms(2000))).replace(KEY, &at.authorization)
}

/// Formats a time as an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(at: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (written, days) = (at.to_string(), at.0 / 86_400_000);
    let part = |from: usize, to: usize| written.get(from..to).unwrap_or_default();
    let weekday = usize::try_from(days % 7).ok().and_then(|day| DAYS.get(day));
    let month = part(5, 7).parse().ok().and_then(|month: usize| MONTHS.get(month.checked_sub(1)?));
    let (weekday, month) = (weekday.copied().unwrap_or("Thu"), month.copied().unwrap_or("Jan"));
    format!("{weekday}, {} {month} {} {} GMT", part(8, 10), part(0, 4), part(11, 19))
}

impl Damage {
    fn apply(self, parts: Vec<AnswerPart>, at: &Circumstance) -> Vec<BodyPiece> {
        let middle = middle(&parts);
        let pieces = match self {
            Self::Nothing => pieces(&parts, |_| true),
            Self::NoDone => pieces(&parts, |part| part.kind != PartKind::Done),
            Self::NoEnd => return without_end(&parts),
            Self::Twice => twice(pieces(&parts, |_| true), middle),
            Self::Cut => half(pieces(&parts, |_| true), middle),
            Self::Broken(data) => {
                let mut begun = pieces(&parts, |_| true);
                begun.truncate(middle);
                let event = speak::event(&fill(data, at), at.line_ends);
                begun.push(BodyPiece { due_ms: 0, bytes: event.into_bytes() });
                begun
            }
            Self::BadUtf8 => {
                let mut all = pieces(&parts, |_| true);
                if let Some(piece) = all.get_mut(middle) {
                    let at = piece.bytes.len() / 2;
                    piece.bytes.insert(at, 0xff);
                }
                all
            }
            Self::Gzip => vec![packed(&pieces(&parts, |_| true))],
        };
        in_order(pieces)
    }
}

/// Returns the index of the middle delta; 0 for a body that is not streamed.
fn middle(parts: &[AnswerPart]) -> usize {
    let said = parts.iter().filter(|part| part.kind == PartKind::Said).count();
    parts.iter().take_while(|part| part.kind == PartKind::Opening).count() + said / 2
}

fn pieces(parts: &[AnswerPart], keeps: impl Fn(&AnswerPart) -> bool) -> Vec<BodyPiece> {
    let piece = |part: &AnswerPart| BodyPiece {
        due_ms: part.due_ms,
        bytes: part.text.clone().into_bytes(),
    };
    parts.iter().filter(|part| keeps(part)).map(piece).collect()
}

/// Keeps the opening and the deltas only; half of a body that is not streamed.
fn without_end(parts: &[AnswerPart]) -> Vec<BodyPiece> {
    match parts {
        [part] if part.kind == PartKind::Body => half(pieces(parts, |_| true), 0),
        _ => pieces(parts, |part| matches!(part.kind, PartKind::Opening | PartKind::Said)),
    }
}

fn twice(mut pieces: Vec<BodyPiece>, middle: usize) -> Vec<BodyPiece> {
    if let Some(again) = pieces.get(middle).cloned().filter(|_| pieces.len() > 1) {
        pieces.insert(middle, again);
    }
    pieces
}

/// Keeps everything up to the middle piece, and half of that piece.
fn half(mut pieces: Vec<BodyPiece>, middle: usize) -> Vec<BodyPiece> {
    pieces.truncate(middle + 1);
    if let Some(last) = pieces.last_mut() {
        last.bytes.truncate(last.bytes.len() / 2);
    }
    pieces
}

fn packed(pieces: &[BodyPiece]) -> BodyPiece {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let due_ms = pieces.last().map_or(0, |piece| piece.due_ms);
    let written = pieces.iter().try_for_each(|piece| gzip.write_all(&piece.bytes));
    // Writing to memory does not fail.
    BodyPiece { due_ms, bytes: written.and_then(|()| gzip.finish()).unwrap_or_default() }
}

/// Makes due times non-decreasing: an inserted piece is due with the piece before it.
fn in_order(mut pieces: Vec<BodyPiece>) -> Vec<BodyPiece> {
    let mut latest = 0;
    for piece in &mut pieces {
        latest = latest.max(piece.due_ms);
        piece.due_ms = latest;
    }
    pieces
}

impl BodyFlood {
    fn pour(self, line_ends: LineEnds) -> PouredBody {
        let words = |text: &str| {
            let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
            speak::event(&json!({"choices": [choice]}).to_string(), line_ends).into_bytes()
        };
        let slow = |piece| PouredBody { piece, every_ms: 10, times: None, tail: Vec::new() };
        let fast = |piece, tail| PouredBody { piece, every_ms: 0, times: Some(GULPS), tail };
        match self {
            Self::Words => slow(words("more ")),
            Self::Pings => slow(b": ping\n\n".to_vec()),
            Self::Events => {
                let finish =
                    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
                let finish = speak::event(&finish.to_string(), line_ends);
                let done = speak::event("[DONE]", line_ends);
                fast(words(&"x".repeat(GULP)), (finish + &done).into_bytes())
            }
            Self::Line => fast(vec![b'x'; GULP], b"\n\n".to_vec()),
        }
    }
}

#[cfg(test)]
#[path = "damage_tests.rs"]
mod tests;
