//! Language models: which there are, where they are, and how they are asked.

mod fields;

mod presets;

mod entry;

mod catalogue;

mod vocabulary;

mod endpoint;

mod schema;

mod card;

mod cards;

mod lesson;

mod limits;

mod order;

mod wire;

mod post;

mod client;

mod pool;

mod probe_words;

mod probe_asks;

mod probe;

#[cfg(feature = "gateway")]
pub mod gateway;

mod models;

pub use card::{CallsCome, Card, Rung, Thoughts};
pub use cards::{Counts, Known, Last, Memory, kept};
pub use catalogue::{Catalogue, Entry, File, OFFLINE, Place, ROLES};
pub use client::OpenAi;
pub use endpoint::{Bounds, Endpoint};
pub use entry::{is_name, name_words, plain_key, unknown_preset};
pub use limits::{Limiter, Limits, Permit, Pressure, TooLate};
pub use models::{Around, Facts, Models, Standing};
pub use pool::Pool;
pub use presets::{Preset, presets};
pub use probe::{Measured, Row};
pub use probe_words::{Feature, Grade};
pub use vocabulary::Vocabulary;
