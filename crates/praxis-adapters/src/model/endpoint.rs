//! A model endpoint and the limits of one call to it.

/// A model endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The name of the model at the endpoint.
    pub model: String,
    /// The URL without `/chat/completions`.
    pub base_url: String,
    /// The value of the `authorization` header, usually `Bearer secret:NAME`.
    pub authorization: Option<String>,
    /// The limits of one call.
    pub bounds: CallBounds,
}

/// The limits of one model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallBounds {
    /// The timeout until the answer begins. The model may have to be loaded first.
    pub first_ms: u64,
    /// The timeout between two chunks of the answer.
    pub silence_ms: u64,
    /// The timeout of all tries together.
    pub total_ms: u64,
    /// The maximum number of tries.
    pub tries: u32,
    /// The maximum size of an answer in bytes.
    pub answer_bytes: u64,
}

impl Default for CallBounds {
    fn default() -> Self {
        Self {
            first_ms: 120_000,
            silence_ms: 60_000,
            total_ms: 600_000,
            tries: 4,
            answer_bytes: 16 * 1024 * 1024,
        }
    }
}
