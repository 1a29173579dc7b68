//! JSON Schemas of tools: compiled once, asked often.
//!
//! - in: a schema of draft 2020-12, or of the draft that its `$schema` names
//! - out: whether values fit it, and what is wrong with them place by place
//! - never: fetches what a schema refers to elsewhere

pub mod coerce;

use crate::field_error::FieldError;
use crate::pointer::unescaped;
use serde_json::Value;
use std::collections::BTreeMap;

/// How many errors of one value are told.
const MOST_ERRORS: usize = 12;

/// A compiled schema. Without `$schema` it is one of draft 2020-12. References to other documents are
/// never fetched.
#[derive(Clone, Debug)]
pub struct Schema(jsonschema::Validator);

impl Schema {
    /// Compiles a schema, or says why it is none.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        jsonschema::validator_for(schema).map(Self).map_err(|error| why(&error.to_string()))
    }

    /// Compiles a schema that refers to other documents, which are given by their addresses.
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

    /// Compiles a schema that holds texts to their `format`, which drafts of today only note.
    pub fn with_formats(schema: &Value) -> Result<Self, String> {
        let built = jsonschema::options().should_validate_formats(true).build(schema);
        built.map(Self).map_err(|error| why(&error.to_string()))
    }

    /// Everything that is wrong with a schema itself, place by place.
    pub fn problems(schema: &Value) -> Vec<FieldError> {
        let told = |error: jsonschema::ValidationError<'_>| FieldError {
            pointer: error.instance_path().to_string(),
            detail: error.to_string(),
        };
        let found: Vec<FieldError> = match jsonschema::meta::validator_for(schema) {
            Ok(meta) => meta.iter_errors(schema).map(told).collect(),
            Err(_) => vec![],
        };
        if !found.is_empty() {
            return found;
        }
        let why = Self::compile(schema).err();
        why.map(|detail| FieldError { pointer: String::new(), detail }).into_iter().collect()
    }

    /// What a value lacks and what is wrong with it, place by place, up to a number.
    pub(crate) fn faults(&self, value: &Value, most: usize) -> Vec<SchemaFlaw> {
        self.0.iter_errors(value).take(most).map(|error| SchemaFlaw::of(&error)).collect()
    }

    /// Whether a value fits.
    pub fn fits(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// What is wrong with a value, place by place.
    pub fn errors(&self, value: &Value) -> Vec<FieldError> {
        if self.0.is_valid(value) {
            return vec![];
        }
        let told = |error: jsonschema::ValidationError<'_>| FieldError {
            pointer: error.instance_path().to_string(),
            detail: error.to_string(),
        };
        self.0.iter_errors(value).take(MOST_ERRORS).map(told).collect()
    }
}

/// One thing that is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaFlaw {
    /// Where in the value.
    pub(crate) at: String,
    /// The keyword that is broken, where it stands in the schema.
    pub(crate) keyword_at: String,
    /// How.
    pub(crate) how: SchemaBreach,
}

/// How a value breaks its schema, as far as it matters to those who ask for better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SchemaBreach {
    /// A property is missing.
    Lacks(String),
    /// It is none of several alternatives.
    NoneOf,
    /// It is not the one value, or none of the values, that may stand there.
    OtherValue,
    /// It is of another type.
    OtherType,
    /// Anything else.
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

/// A reference that is not followed is told as that; how it could be followed is nobody's concern.
fn why(said: &str) -> String {
    let elsewhere = said.strip_prefix("Resource '").and_then(|rest| rest.split_once('\''));
    match elsewhere.filter(|(_, rest)| rest.contains("registry")) {
        Some((address, _)) => format!("it refers to `{address}`, which is not read"),
        None => said.to_owned(),
    }
}

/// The names of the parameters that a schema requires.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Whether a declared object can have this field. Without `properties` anything goes; with them,
/// only what they name, unless the schema says that there may be more.
pub fn may_have(schema: &Value, field: &str) -> bool {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return true };
    let open = schema.get("patternProperties").is_some()
        || schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
    open || properties.contains_key(field)
}

/// The schema of a place in a value.
pub fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, token| {
        let key = unescaped(token);
        schema.get("properties").and_then(|p| p.get(&key)).or_else(|| schema.get("items"))
    })
}
