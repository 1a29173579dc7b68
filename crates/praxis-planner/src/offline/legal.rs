//! Validates a value against the schema of a parameter, including formats.

use praxis_core::schema::Schema;
use praxis_core::schema::description::TRANSLATIONS;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Schema keywords that add no rule beyond the shape of the value.
const PLAIN: [&str; 7] =
    ["type", "description", TRANSLATIONS, "default", "title", "examples", "properties"];

/// A schema that is compiled on first use.
#[derive(Clone, Debug, Default)]
pub struct LazySchema(Option<Arc<LazyCompiled>>);

#[derive(Debug)]
struct LazyCompiled {
    schema: Value,
    compiled: OnceLock<Option<Schema>>,
}

/// Always equal: it is derived from the `schema` of the same `ToolField`, which is compared itself.
impl PartialEq for LazySchema {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LazySchema {
    /// Keeps a schema that has rules; without rules everything is allowed.
    pub(super) fn of(schema: &Value) -> Self {
        let has_rules = schema
            .as_object()
            .is_some_and(|fields| fields.keys().any(|key| !PLAIN.contains(&key.as_str())));
        let lazy = || LazyCompiled { schema: schema.clone(), compiled: OnceLock::new() };
        Self(has_rules.then(|| Arc::new(lazy())))
    }

    /// Returns true if a value is valid. A schema that does not compile allows everything.
    pub fn allows(&self, value: &Value) -> bool {
        let Some(lazy) = &self.0 else { return true };
        let schema = lazy.compiled.get_or_init(|| Schema::with_formats(&lazy.schema).ok());
        schema.as_ref().is_none_or(|schema| schema.fits(value))
    }
}
