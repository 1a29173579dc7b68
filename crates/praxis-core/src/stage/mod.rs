//! Shared parts of the stages that ask a model: requests, answers, the log and figures in prompts, and questions to
//! the user.

pub mod question;

pub mod goal_log_text;

pub mod figures;

pub mod compose;

pub mod reading;
