//! What the checks found.

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What has to be changed.
    pub(crate) errors: Vec<String>,
    /// What is worth knowing.
    pub(crate) notes: Vec<String>,
}

impl Findings {
    pub(crate) fn error(&mut self, message: String) {
        self.errors.push(message);
    }

    pub(crate) fn note(&mut self, message: String) {
        self.notes.push(message);
    }
}
