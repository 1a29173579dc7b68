//! Reads server-sent events from a byte stream.
//!
//! - in: bytes, in arbitrary chunks
//! - out: complete events, in order, until `[DONE]`
//! - never: holds more than [`MAX_LINE_BYTES`] bytes of a line or an event, or guesses at invalid UTF-8

use thiserror::Error;

/// Maximum number of bytes of one line, and of the data of one event.
pub const MAX_LINE_BYTES: usize = 16 << 20;

const DONE: &str = "[DONE]";

/// A server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The value of the `event:` line; empty without one.
    pub name: String,
    /// The values of the `data:` lines, joined with line feeds.
    pub data: String,
}

/// The reason why the bytes are not a stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BrokenStream {
    /// A line or an event is longer than [`MAX_LINE_BYTES`].
    #[error("a line of the stream is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The bytes are not UTF-8.
    #[error("the stream is not valid UTF-8")]
    NotUtf8,
}

/// Incremental parser of server-sent events.
#[derive(Debug, Default)]
pub struct SseReader {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    after_return: bool,
    begun: bool,
    done: bool,
}

impl SseReader {
    /// Takes the next bytes and returns the events that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, BrokenStream> {
        let (mut events, mut rest) = (Vec::new(), bytes);
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (piece, after) = rest.split_at(end);
            let (ending, after) = after.split_first().unwrap_or((&b'\n', after));
            // The line feed after a carriage return does not end a second line.
            let is_second_half = piece.is_empty() && self.after_return && *ending == b'\n';
            self.after_return = *ending == b'\r';
            rest = after;
            if !is_second_half {
                self.hold(piece)?;
                self.end_line(&mut events)?;
            }
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.hold(rest)?;
        }
        Ok(events)
    }

    /// Returns true if `[DONE]` came. Everything after it is ignored.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Returns the last event if no blank line followed it. It may be cut anywhere.
    pub fn end(&mut self) -> Vec<SseEvent> {
        let mut events = Vec::new();
        if self.end_line(&mut events).is_ok() {
            self.dispatch(&mut events);
        }
        events
    }

    fn hold(&mut self, piece: &[u8]) -> Result<(), BrokenStream> {
        if self.done {
            return Ok(());
        }
        if self.line.len() + piece.len() > MAX_LINE_BYTES {
            return Err(BrokenStream::TooLong);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) -> Result<(), BrokenStream> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8(line).map_err(|_| BrokenStream::NotUtf8)?;
        let first = !std::mem::replace(&mut self.begun, true);
        let line = if first { line.trim_start_matches('\u{feff}') } else { &line };
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.data(value, events)?,
            "event" => value.clone_into(&mut self.event.name),
            // Comments, `id`, `retry` and unknown fields are ignored.
            _ => {}
        }
        Ok(())
    }

    fn data(&mut self, value: &str, events: &mut Vec<SseEvent>) -> Result<(), BrokenStream> {
        // JSON never continues with `{` after `}`, so the endpoint forgot the blank line between two events.
        let ended = self.event.data.trim_end().ends_with('}');
        let begins = value.starts_with('{') || value.trim() == DONE;
        if self.has_data && ended && begins {
            self.dispatch(events);
        }
        if self.event.data.len() + value.len() >= MAX_LINE_BYTES {
            return Err(BrokenStream::TooLong);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push('\n');
        }
        self.event.data.push_str(value);
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        let had_data = std::mem::take(&mut self.has_data);
        if event.data.trim() == DONE {
            self.done = true;
        }
        if had_data && !self.done && !event.data.trim().is_empty() {
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: &[u8]) -> (Vec<String>, bool) {
        let mut reader = SseReader::default();
        let mut events = reader.feed(bytes).unwrap();
        events.extend(reader.end());
        (events.into_iter().map(|event| event.data).collect(), reader.is_done())
    }

    #[test]
    fn lines_end_in_any_way_and_fields_need_no_space() {
        let text =
            "\u{feff}data:a\r\n\r\n: ping\r\revent: x\rdata: b\rdata: c\r\rid: 7\n\ndata\n\n";
        assert_eq!(data(text.as_bytes()), (vec!["a".to_owned(), "b\nc".to_owned()], false));
    }

    #[test]
    fn nothing_after_done_counts_and_a_last_event_needs_no_blank_line() {
        let done = data(b"data: 1\n\ndata: [DONE]\n\ndata: 2\n\n");
        assert_eq!(done, (vec!["1".to_owned()], true));
        assert_eq!(data(b"data: 1\n\ndata: 2"), (vec!["1".to_owned(), "2".to_owned()], false));
        assert_eq!(data(b"data: {}\ndata: {}\ndata: [DONE]\n").0, ["{}", "{}"]);
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut reader = SseReader::default();
        let piece = vec![b'x'; MAX_LINE_BYTES / 2];
        assert_eq!(reader.feed(&piece), Ok(vec![]));
        assert_eq!(reader.feed(&piece), Ok(vec![]));
        assert_eq!(reader.feed(b"x"), Err(BrokenStream::TooLong));
        assert_eq!(SseReader::default().feed(b"data: \xff\n"), Err(BrokenStream::NotUtf8));
    }

    #[test]
    fn many_data_lines_of_one_event_are_bounded_too() {
        let mut reader = SseReader::default();
        let line = [b"data: ".as_slice(), &vec![b'x'; MAX_LINE_BYTES / 2], b"\n"].concat();
        assert_eq!(reader.feed(&line), Ok(vec![]));
        assert_eq!(reader.feed(&line), Err(BrokenStream::TooLong));
    }
}
