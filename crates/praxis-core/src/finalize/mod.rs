//! What is made of a task when somebody asks for it whole: the account of its steps, its history as text, its likeness to another.

pub mod account;

mod account_words;

pub mod history;

pub mod compare;
