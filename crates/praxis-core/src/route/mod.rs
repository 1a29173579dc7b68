//! Where a request belongs: its intent, its scene, its workflow, and how it goes on from what was before.
//!
//! - in: the words of a request; scenes and workflows as their files describe them
//! - out: an intent, a scene, a workflow and its plan, a strategy; or every problem of a file
//! - never: asks a model, reads a file

mod fields;

pub mod intent;

pub mod scene;

mod scene_file;

pub mod workflow;

mod workflow_file;

pub mod instantiate;

mod cues;

pub mod strategy;
