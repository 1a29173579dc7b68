//! The production implementations of the engine's seams, one small module each.

pub mod folder;

pub mod sqlite;

pub mod blobs;

pub mod snapshots;

pub mod ids;

pub mod library;

pub mod secrets;

mod secret_mask;

mod answer;

pub mod command;

pub mod keeper;

pub mod http;

pub mod sql;

pub mod model;

pub mod connect;

pub mod control;

pub mod experience;
