//! What follows a failure: another attempt, a check, a question, a new beginning.

pub mod retry;

pub mod known;

pub mod heed;

pub mod rule;

pub mod own;

pub mod widen;

pub mod fewer;

pub mod remedy;

pub mod help;

pub mod infer;

pub mod reflect;

pub mod revise;

pub mod shared;

pub mod unanswered;

pub mod fill;

pub mod anew;
