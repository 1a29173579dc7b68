//! Tools that are HTTP requests.
//!
//! A host that stands in a manifest is trusted as written. A host that comes from an argument or a
//! redirect is resolved once, must have public addresses only, and is connected to at those.

mod call;

mod page;

mod request;

mod redirect;

mod guard;

mod public;

mod reply;

mod later;

pub use call::HttpCall;
pub use guard::{Guard, Resolve};
pub(crate) use page::{Page, Pages};
pub use public::{Network, is_public};
pub(crate) use reply::causes;
