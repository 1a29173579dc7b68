//! Listens to the bytes of a streamed answer, up to the reply.
//!
//! - in: the body of an HTTP answer with status 200, cut anywhere
//! - out: what may be shown at once, and at the end a [`Reply`] or a [`Fault`]
//! - never: forgets an error, or minds when the endpoint sent a whole body instead of a stream

use super::body;
use super::classify;
use super::fault::ModelFault;
use super::reasoning::Delta;
use super::reply::ModelReply;
use super::sse::{self, LONGEST, SseEvent, SseReader};
use super::stream::Assembler;

/// Listens to one answer.
#[derive(Debug)]
pub struct Listener {
    form: BodyForm,
    reader: SseReader,
    assembler: Assembler,
    /// The bytes that are no stream.
    raw: Vec<u8>,
    prompt_estimate: u64,
    failed: Option<ModelFault>,
}

/// What the bytes turn out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyForm {
    Unknown,
    Stream,
    Body,
}

impl Listener {
    /// For the answer to a request that has about this many tokens.
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

    /// Takes the next bytes and gives what may be shown. After a fault there is only that fault.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ModelFault> {
        if let Some(fault) = &self.failed {
            return Err(fault.clone());
        }
        let heard = self.hear(bytes);
        self.failed = heard.as_ref().err().cloned();
        heard
    }

    /// The reply, when the bytes have ended.
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
                // The last event may be cut anywhere, and then it is none.
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
            if self.raw.len() + bytes.len() > LONGEST {
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

/// What a byte tells of the form: blanks and the byte order mark tell nothing.
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
