//! How values get from step to step: three layers of data, one grammar of placeholders, one pass.

pub mod path;

pub mod lex;

pub mod context;

pub mod scope;

pub mod template;

pub mod resolve;

mod missing;

pub mod catalog;
