//! Tools that are HTTP requests.
//!
//! A host that stands in a manifest is trusted as written. A host that comes from an argument or a
//! redirect is resolved once, must have public addresses only, and is connected to at those.

mod call;

mod guard;

mod request;

pub use call::HttpCall;
pub use guard::{Guard, Resolve, is_public};
