//! Fakes for the engine's seams, and the conformance suites that every implementation of a seam must pass.

pub mod memory;

pub mod experiences;

pub mod tools;

pub mod model;

pub mod goal;

pub mod world;

pub mod conformance;

pub mod server;

pub mod virtual_time;

pub mod real_time;
