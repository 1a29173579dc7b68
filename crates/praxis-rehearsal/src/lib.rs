//! A model endpoint that says what it is told: for tests, and for rehearsals without a model.
//!
//! What it says comes from a [`Voice`]: a [`Script`], a [`Cassette`] of recorded calls, or an [`Oracle`]
//! that errs as often as it is told to. How it says it, fast or slow, whole or in pieces, healthy or broken,
//! is its [`Setup`].

pub mod asked;

pub mod answer;

pub mod voice;

pub mod script;

pub mod cassette;

pub mod record;

pub mod oracle;

pub mod degrade;

pub mod spoil;

pub mod chance;

pub mod latency;

pub mod profiles;

pub mod fault;

pub mod damage;

pub mod speak;

pub mod wire;

pub mod setup;

mod http;

mod proxy;

pub mod log;

mod mind;

pub mod serve;

pub use answer::{Answer, Calling, Tokens};
pub use asked::Asked;
pub use cassette::Cassette;
pub use degrade::{Degrader, Injected, Rates};
pub use fault::{Fault, Library, Planned};
pub use log::{Call, Report};
pub use oracle::{Degraded, Oracle};
pub use proxy::Upstream;
pub use record::Recorder;
pub use script::Script;
pub use serve::Server;
pub use setup::{Limits, Setup};
pub use spoil::Spoiled;
pub use voice::{Account, Turn, Voice};
pub use wire::Chunks;
