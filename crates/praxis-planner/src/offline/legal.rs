//! Whether a value may be given to a parameter: its schema says so, formats included.

use praxis_core::schema::Schema;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Keywords that say nothing which the shape of a value does not say already.
const PLAIN: [&str; 6] = ["type", "description", "default", "title", "examples", "properties"];

/// A schema that is compiled when it is first asked.
#[derive(Clone, Debug, Default)]
pub struct LazySchema(Option<Arc<LazyCompiled>>);

#[derive(Debug)]
struct LazyCompiled {
    schema: Value,
    compiled: OnceLock<Option<Schema>>,
}

/// Two slots are the same if what is written of them is; this is made of that.
impl PartialEq for LazySchema {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LazySchema {
    /// The rules of a schema; none where it has none.
    pub(super) fn of(schema: &Value) -> Self {
        let has_rules = schema
            .as_object()
            .is_some_and(|fields| fields.keys().any(|key| !PLAIN.contains(&key.as_str())));
        let lazy = || LazyCompiled { schema: schema.clone(), compiled: OnceLock::new() };
        Self(has_rules.then(|| Arc::new(lazy())))
    }

    /// Whether a value keeps them. A schema that cannot be read has no rules.
    pub fn allows(&self, value: &Value) -> bool {
        let Some(lazy) = &self.0 else { return true };
        let schema = lazy.compiled.get_or_init(|| Schema::with_formats(&lazy.schema).ok());
        schema.as_ref().is_none_or(|schema| schema.fits(value))
    }
}
