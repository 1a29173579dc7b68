//! Tools that are HTTP requests.
//!
//! A host written in a manifest or a flow is trusted. A host from an argument or a redirect is resolved once, must
//! have public addresses only, and is connected to at those addresses. Built-in tools reach an untrusted host only if
//! the settings grant it by name.

mod call;

mod web;

mod page;

mod request;

mod pairs;

mod content;

mod upload;

mod credentials;

mod carrier;

mod redirect;

mod guard;

mod hosts;

mod public;

mod written;

mod reply;

mod unpack;

mod shape;

mod later;

pub use call::HttpCall;
pub use guard::{Guard, Resolve};
pub use hosts::Hosts;
pub use public::{Network, is_public};
pub(crate) use reply::causes;
pub use web::GuardedWeb;
