//! Tools that are HTTP requests.
//!
//! A host that stands in a manifest is trusted as written. A host that comes from an argument or a
//! redirect is resolved once, must have public addresses only, and is connected to at those. Tools in
//! the binary reach the hosts only that the settings grant by name.

mod call;

mod page;

mod request;

mod redirect;

mod guard;

mod hosts;

mod public;

mod reply;

mod later;

pub use call::HttpCall;
pub use guard::{Guard, Resolve};
pub use hosts::Hosts;
pub(crate) use page::{Page, Pages};
pub use public::{Network, is_public};
pub(crate) use reply::causes;
