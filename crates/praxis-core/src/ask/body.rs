//! Reads a reply that came as a whole body.
//!
//! - in: the body of an HTTP response with status 200
//! - out: a [`ModelReply`] or a [`ModelFault`]
//! - never: trusts the content type, or applies other rules than for a stream

use super::classify;
use super::fault::ModelFault;
use super::listen::Listener;
use super::reply::ModelReply;
use super::sse::MAX_LINE_BYTES;
use super::stream::Assembler;

/// Reads a whole body; `prompt_estimate` is the estimated number of tokens of the request.
pub fn read(body: &str, prompt_estimate: u64) -> Result<ModelReply, ModelFault> {
    let text = body.trim_start_matches('\u{feff}').trim();
    if text.len() > MAX_LINE_BYTES {
        let message = format!("the answer is longer than {MAX_LINE_BYTES} bytes");
        return Err(ModelFault::ModelUnreadable { message });
    }
    if classify::is_page(text) {
        let message = classify::page_words(text);
        return Err(ModelFault::ModelNotAnEndpoint { status: 200, message });
    }
    // Some endpoints stream even if the request does not ask for it.
    if ["data:", "event:", ":"].iter().any(|field| text.starts_with(field)) {
        let mut listener = Listener::new(prompt_estimate);
        listener.feed(text.as_bytes())?;
        return listener.end();
    }
    let mut assembler = Assembler::new(prompt_estimate);
    assembler.take(text)?;
    assembler.end(true)
}
