//! Where a model is, and the bounds within which it is asked.

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// As the endpoint calls the model.
    pub model: String,
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// The value of `authorization`, usually `Bearer secret:NAME`.
    pub authorization: Option<String>,
    /// Bounds on one call.
    pub bounds: CallBounds,
}

/// Bounds on one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallBounds {
    /// Until the answer begins. A model may have to be loaded first.
    pub first_ms: u64,
    /// Between two pieces of the answer.
    pub silence_ms: u64,
    /// All tries together.
    pub total_ms: u64,
    /// Tries at most.
    pub tries: u32,
    /// The longest answer.
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
