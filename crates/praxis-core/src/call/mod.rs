//! Tools that a step can call: manifests, contracts, transports and call policy.

pub mod approval;

pub mod tool;

pub mod own;

pub mod native;

pub mod chunk;

pub mod http;

pub mod http_check;

pub mod not_empty;

pub mod sql;

pub mod manifest;

pub mod own_tools;

pub mod risk;

pub mod success_rule;
