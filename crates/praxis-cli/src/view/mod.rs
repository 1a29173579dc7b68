//! What people see: lines, colours, progress. Nothing is decided here.

pub(crate) mod text;

pub(crate) mod screen;

pub(crate) mod mending;

pub(crate) mod rescue;

pub(crate) mod course;

pub(crate) mod seed;

pub(crate) mod story;

mod story_steps;

mod story_flow;

pub(crate) mod live;

pub(crate) mod origin;

pub(crate) mod wanted;

pub(crate) mod answer;

pub(crate) mod cost;

pub(crate) mod graph;

pub(crate) mod voice;

pub(crate) mod yaml;

pub(crate) mod flow_yaml;
