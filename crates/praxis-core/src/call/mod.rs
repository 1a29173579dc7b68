//! What a step invokes: tools, their contracts and schemas.

pub mod tool;

pub mod schema;

pub mod not_empty;

pub mod sql;

pub mod manifest;
