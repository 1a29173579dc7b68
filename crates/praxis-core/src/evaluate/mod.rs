//! Judges the outcome of a task: promise, result, extraction and judgement.

pub mod judge;

pub mod result;

pub mod extract;

pub mod promise;
