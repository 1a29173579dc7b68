//! One file per command. Commands take input, call the engine and print; they make no decisions about tasks.

pub(crate) mod run;

pub(crate) mod plan;

pub(crate) mod ask_person;

mod form;

mod edit;

pub(crate) mod orders;

pub(crate) mod retry;

pub(crate) mod tool;

mod tool_search;

pub(crate) mod experience;

pub(crate) mod inbox;

pub(crate) mod answer;

mod approve;

pub(crate) mod owner;

pub(crate) mod fork;

pub(crate) mod recorded_views;

pub(crate) mod erase;

pub(crate) mod example;

pub(crate) mod explain;

pub(crate) mod doctor;

pub(crate) mod inspect;

pub(crate) mod ending;

pub(crate) mod follow;

pub(crate) mod ps;

mod address;

mod ledgers;

pub(crate) mod show;

mod show_step;

mod show_asks;

mod show_reply;

mod show_revisions;

mod show_taught;

pub(crate) mod watch;

pub(crate) mod why;

pub(crate) mod config;

pub(crate) mod model;

mod model_list;

mod model_standing;

mod model_probe;

mod model_rehearse;

pub(crate) mod test;

mod recorded;

pub(crate) mod completion;

pub(crate) mod library;

pub(crate) mod scene;

pub(crate) mod workflow;

pub(crate) mod prompt;

pub(crate) mod flow;

mod flow_run;

mod flow_list;

mod flow_show;

mod flow_fmt;

mod flow_diff;
