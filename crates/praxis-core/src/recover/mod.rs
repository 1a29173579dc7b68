//! What follows a failure: another attempt, a check, a question, a new beginning.

pub mod retry;

pub mod question;

pub mod fill;

pub mod anew;
