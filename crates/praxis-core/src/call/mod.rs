//! What a step invokes: tools, their contracts and schemas.

pub mod tool;

pub mod own;

pub mod chunk;

pub mod schema;

pub mod not_empty;

pub mod manifest;
