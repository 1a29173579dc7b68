//! Whether schemas mean what their standard says: every required case of the drafts that are claimed.

mod jsonschema;

pub(crate) use jsonschema::run;
