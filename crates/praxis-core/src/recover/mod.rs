//! What follows a failure: another attempt, a check, a question.

pub mod retry;

pub mod question;
