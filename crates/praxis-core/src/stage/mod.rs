//! What all stages that ask share: requests put together, answers read, the log and the figures that prompts show, questions to people.

pub mod question;

pub mod goal_log_text;

pub mod figures;

pub mod compose;

pub mod reading;
