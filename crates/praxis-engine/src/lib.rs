//! Drives tasks: performs the effects that core decides on, through seams, and appends what comes back.
//!
//! The only place that awaits decisions. Nothing here decides, and nothing here touches the world but through a seam.
//! The modules stand in a fixed order, drawn in `docs/ARCHITECTURE.md`: each knows only modules that stand before it.

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
