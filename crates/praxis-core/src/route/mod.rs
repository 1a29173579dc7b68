//! Routes a request to its intent, scene and workflow.
//!
//! - in: the text of a request; scenes and workflows as documents
//! - out: an intent, a scene, a workflow and its plan; or every problem of a file
//! - never: asks a model, reads a file

mod fields;

pub mod intent;

pub mod scene;

mod scene_file;

pub mod workflow;

mod workflow_file;

pub mod instantiate;
