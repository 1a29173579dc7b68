//! Drives tasks: performs the effects that core decides on, through seams, and appends the results to the journal.
//!
//! The only crate that awaits: core decides, and every access to the outside world goes through a seam. The modules
//! are layered as drawn in `docs/ARCHITECTURE.md`: each imports only modules of lower layers.

pub mod seams;

pub mod clock;

pub mod tools;

pub mod registry;

mod held_blobs;

mod unstored_blobs;

mod library_cache;

mod stop;

pub mod stopped;

mod work_pool;

pub mod arrival;

mod roster;

pub mod engine;

mod large;

mod snapshots;

mod trace;

mod driver;

mod work;

mod perform;

mod ask_model;

mod take;

mod drive;

pub mod wake;

pub mod refused;

pub mod submit;

mod earlier_work;

pub mod pursue;

mod retry;

pub mod renew;

pub mod fork;

pub mod order;
