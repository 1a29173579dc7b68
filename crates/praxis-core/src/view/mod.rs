//! Views of a journal for people and clients: event stream, step accounts, origins of arguments, history text,
//! comparison of two tasks.

pub mod stream;

pub mod stream_goal;

pub mod change;

pub mod seed;

pub mod seed_table;

mod seed_task;

mod seed_flow;

mod seed_step;

mod seed_slot;

mod seed_envelope;

pub mod why;

pub mod account;

mod account_words;

pub mod history;

pub mod compare;
