//! The suite `conformance`: every required case of the supported JSON Schema drafts.

mod jsonschema;

pub(crate) use jsonschema::run;
