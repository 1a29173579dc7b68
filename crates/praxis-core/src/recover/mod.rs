//! Recovery from failures: retries, repairs by rule or by a model, questions to the user, and replanning.

pub mod retry;

pub mod known;

pub mod tool_hints;

pub mod rule;

pub mod own;

pub mod widen;

pub mod fewer;

pub mod remedy;

pub mod ladder;

pub mod infer;

pub mod reflect;

pub mod revise;

pub mod shared_answer;

pub mod unanswered;

pub mod fill;

pub mod keep_done;
