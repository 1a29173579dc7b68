//! HTTP tools against a real server on this machine.

mod rig;

mod request;

mod answer;

mod effect;

mod redirect;

mod forms;

mod guard;

mod get;
