//! Data flow between steps: three layers of data, one placeholder grammar, one resolution pass.

pub mod path;

pub mod lex;

pub mod context;

pub mod scope;

pub mod template;

pub mod resolve;

mod missing;

pub mod catalog;
