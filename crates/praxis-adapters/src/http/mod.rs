//! Tools that are HTTP requests.
//!
//! A host that stands in a manifest or in a flow is trusted as written. One that comes from an argument or a
//! redirect is resolved once, must have public addresses only, and is connected to at those. Tools in
//! the binary reach the hosts only that the settings grant by name.

mod call;

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
pub(crate) use call::{append, method};
pub(crate) use carrier::{Asked, Carrier, Sent};
pub(crate) use content::Content;
pub(crate) use credentials::Credentials;
pub use guard::{Guard, Resolve};
pub use hosts::Hosts;
pub(crate) use page::{Page, Pages};
pub(crate) use pairs::plain;
pub use public::{Network, is_public};
pub(crate) use reply::causes;
pub(crate) use request::Address;
pub(crate) use shape::Shape;
pub(crate) use upload::{Attached, Upload};
pub(crate) use written::is_written;
