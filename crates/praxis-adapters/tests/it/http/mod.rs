//! HTTP tools against a real server on this machine.

mod rig;

mod request;

mod answer;

mod effect;

mod redirect;

mod forms;

mod guard;

mod get;

mod api_request;

mod api_files;

mod api_answer;

mod api_tool;

mod api_hosts;

mod api_bodies;

mod api_apart;
