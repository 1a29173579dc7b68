//! Reads the bytes of a streamed reply.
//!
//! - in: the body of an HTTP response with status 200, in arbitrary chunks
//! - out: deltas that may be shown at once, and at the end a [`ModelReply`] or a [`ModelFault`]
//! - never: drops an error, or fails because the endpoint sent a whole body instead of a stream

use super::body;
use super::classify;
use super::fault::ModelFault;
use super::reasoning::Delta;
use super::reply::ModelReply;
use super::sse::{self, MAX_LINE_BYTES, SseEvent, SseReader};
use super::stream::Assembler;

/// Reader of one streamed reply.
#[derive(Debug)]
pub struct Listener {
    form: BodyForm,
    reader: SseReader,
    assembler: Assembler,
    /// The bytes of a body that is not a stream.
    raw: Vec<u8>,
    prompt_estimate: u64,
    failed: Option<ModelFault>,
}

/// The form of the received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyForm {
    Unknown,
    Stream,
    Body,
}

impl Listener {
    /// Creates a listener; `prompt_estimate` is the estimated number of tokens of the request.
    pub fn new(prompt_estimate: u64) -> Self {
        Self {
            form: BodyForm::Unknown,
            reader: SseReader::default(),
            assembler: Assembler::new(prompt_estimate),
            raw: Vec::new(),
            prompt_estimate,
            failed: None,
        }
    }

    /// Takes the next bytes and returns the deltas that may be shown. After a fault, every call returns that fault.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ModelFault> {
        if let Some(fault) = &self.failed {
            return Err(fault.clone());
        }
        let heard = self.hear(bytes);
        self.failed = heard.as_ref().err().cloned();
        heard
    }

    /// Returns the reply after the last bytes.
    pub fn end(mut self) -> Result<ModelReply, ModelFault> {
        if let Some(fault) = self.failed {
            return Err(fault);
        }
        if self.form == BodyForm::Body {
            let text =
                String::from_utf8(self.raw).map_err(|_| broken(sse::BrokenStream::NotUtf8))?;
            return body::read(&text, self.prompt_estimate);
        }
        for event in self.reader.end() {
            match take(&mut self.assembler, &event) {
                // The last event may be cut anywhere; an unreadable one is ignored.
                Err(ModelFault::ModelUnreadable { .. }) | Ok(_) => {}
                Err(fault) => return Err(fault),
            }
        }
        self.assembler.end(self.reader.is_done())
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ModelFault> {
        if self.form == BodyForm::Unknown {
            self.form = bytes.iter().copied().find_map(form).unwrap_or(BodyForm::Unknown);
        }
        if self.form == BodyForm::Body {
            if self.raw.len() + bytes.len() > MAX_LINE_BYTES {
                return Err(broken(sse::BrokenStream::TooLong));
            }
            self.raw.extend_from_slice(bytes);
            return Ok(Vec::new());
        }
        let mut shown = Vec::new();
        for event in self.reader.feed(bytes).map_err(broken)? {
            shown.extend(take(&mut self.assembler, &event)?);
        }
        Ok(shown)
    }
}

fn take(assembler: &mut Assembler, event: &SseEvent) -> Result<Vec<Delta>, ModelFault> {
    match assembler.take(&event.data) {
        Err(ModelFault::ModelUnreadable { .. }) if event.name == "error" => {
            Err(ModelFault::ModelErrorInAnswer { message: classify::short(&event.data) })
        }
        taken => taken,
    }
}

/// Returns the form that a first byte indicates; `None` for blanks and the byte order mark.
fn form(byte: u8) -> Option<BodyForm> {
    match byte {
        b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => None,
        b'{' | b'<' | b'[' => Some(BodyForm::Body),
        _ => Some(BodyForm::Stream),
    }
}

fn broken(why: sse::BrokenStream) -> ModelFault {
    ModelFault::ModelUnreadable { message: why.to_string() }
}
