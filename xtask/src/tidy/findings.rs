//! The findings of the checks.

/// Errors and notes of the checks.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Problems that must be fixed.
    pub(crate) errors: Vec<String>,
    /// Information that fails nothing.
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
