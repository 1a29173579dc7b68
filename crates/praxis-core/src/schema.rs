//! JSON Schemas of tools, compiled once and used often.
//!
//! - in: a schema of draft 2020-12, or of the draft that its `$schema` names
//! - out: the validation of values, with errors by JSON pointer
//! - never: fetches referenced documents

pub mod coerce;

pub mod description;

mod violation;

pub(crate) mod walk;

use crate::field_error::FieldError;
use crate::pointer::unescaped;
use crate::schema::violation::violation;
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum number of errors reported for one value.
const MOST_ERRORS: usize = 12;

/// A compiled schema, of draft 2020-12 unless `$schema` names another. References to other documents are never
/// fetched.
#[derive(Clone, Debug)]
pub struct Schema(jsonschema::Validator);

impl Schema {
    /// Compiles a schema, or returns the reason why it is invalid.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        jsonschema::validator_for(schema).map(Self).map_err(|error| why(&error.to_string()))
    }

    /// Compiles a schema that refers to other documents, given by their URIs.
    pub fn compile_with(
        schema: &Value,
        resources: &BTreeMap<String, Value>,
    ) -> Result<Self, String> {
        let registry = jsonschema::Registry::new().extend(resources);
        let registry = registry.and_then(jsonschema::RegistryBuilder::prepare);
        let registry = registry.map_err(|error| why(&error.to_string()))?;
        let built = jsonschema::options().with_registry(&registry).build(schema);
        built.map(Self).map_err(|error| why(&error.to_string()))
    }

    /// Compiles a schema that validates `format`, which current drafts treat as an annotation.
    pub fn with_formats(schema: &Value) -> Result<Self, String> {
        let built = jsonschema::options().should_validate_formats(true).build(schema);
        built.map(Self).map_err(|error| why(&error.to_string()))
    }

    /// Returns all errors of a schema itself, by JSON pointer.
    pub fn problems(schema: &Value) -> Vec<FieldError> {
        let told = |error: jsonschema::ValidationError<'_>| violation(&error);
        let found: Vec<FieldError> = match jsonschema::meta::validator_for(schema) {
            Ok(meta) => meta.iter_errors(schema).map(told).collect(),
            Err(_) => vec![],
        };
        if !found.is_empty() {
            return found;
        }
        let why = Self::compile(schema).err();
        why.map(|detail| FieldError::untranslated("", detail)).into_iter().collect()
    }

    /// Returns up to `most` violations of a value.
    pub(crate) fn faults(&self, value: &Value, most: usize) -> Vec<SchemaFlaw> {
        self.0.iter_errors(value).take(most).map(|error| SchemaFlaw::of(&error)).collect()
    }

    /// Returns true if a value is valid.
    pub fn fits(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Returns the errors of a value, by JSON pointer.
    pub fn errors(&self, value: &Value) -> Vec<FieldError> {
        if self.0.is_valid(value) {
            return vec![];
        }
        let told = |error: jsonschema::ValidationError<'_>| violation(&error);
        self.0.iter_errors(value).take(MOST_ERRORS).map(told).collect()
    }
}

/// A violation of a schema by a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaFlaw {
    /// The JSON pointer into the value.
    pub(crate) at: String,
    /// The JSON pointer of the violated keyword in the schema.
    pub(crate) keyword_at: String,
    /// The kind of violation.
    pub(crate) how: SchemaBreach,
}

/// The kinds of violation that `slot` tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SchemaBreach {
    /// A required property is missing.
    Lacks(String),
    /// No alternative of `anyOf` or `oneOf` matches.
    NoneOf,
    /// The value differs from `const`, or is not in `enum`.
    OtherValue,
    /// The type is wrong.
    OtherType,
    /// Any other violation.
    Otherwise,
}

impl SchemaFlaw {
    fn of(error: &jsonschema::ValidationError<'_>) -> Self {
        use jsonschema::error::ValidationErrorKind as Kind;
        let lacks =
            if let Kind::Required { property } = error.kind() { property.as_str() } else { None };
        let how = match (lacks, error.kind().keyword()) {
            (Some(name), _) => SchemaBreach::Lacks(name.to_owned()),
            (None, "anyOf" | "oneOf") => SchemaBreach::NoneOf,
            (None, "const" | "enum") => SchemaBreach::OtherValue,
            (None, "type") => SchemaBreach::OtherType,
            (None, _) => SchemaBreach::Otherwise,
        };
        let (at, keyword_at) = (error.instance_path(), error.schema_path());
        Self { at: at.to_string(), keyword_at: keyword_at.to_string(), how }
    }
}

/// Reduces the error for an unresolved external reference to the reference, without the library's advice.
fn why(said: &str) -> String {
    let elsewhere = said.strip_prefix("Resource '").and_then(|rest| rest.split_once('\''));
    match elsewhere.filter(|(_, rest)| rest.contains("registry")) {
        Some((address, _)) => format!("it refers to `{address}`, which is not read"),
        None => said.to_owned(),
    }
}

/// Returns the names of the properties that a schema requires.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns true if an object of this schema can have a field. Without `properties` any field is possible; with them
/// only those listed, unless the schema allows others explicitly.
pub fn may_have(schema: &Value, field: &str) -> bool {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return true };
    let open = schema.get("patternProperties").is_some()
        || schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
    open || properties.contains_key(field)
}

/// Returns the schema at a JSON pointer of the value.
pub fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, token| {
        let key = unescaped(token);
        schema.get("properties").and_then(|p| p.get(&key)).or_else(|| schema.get("items"))
    })
}
