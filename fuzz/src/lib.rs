//! What the fuzz targets share: bytes cut into texts, and a task built from a plan.

pub mod bytes;

pub mod task;
