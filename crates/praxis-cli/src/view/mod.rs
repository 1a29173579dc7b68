//! Text output for people: lines, colours, progress. Contains no decisions.

pub(crate) mod text;

pub(crate) mod screen;

pub(crate) mod recovery_lines;

pub(crate) mod state_words;

pub(crate) mod goal_lines;

pub(crate) mod seed;

pub(crate) mod story;

mod story_steps;

mod story_flow;

pub(crate) mod live;

pub(crate) mod origin;

pub(crate) mod value_words;

pub(crate) mod answer;

pub(crate) mod cost;

pub(crate) mod graph;

pub(crate) mod live_text;

pub(crate) mod yaml;

pub(crate) mod flow_yaml;
