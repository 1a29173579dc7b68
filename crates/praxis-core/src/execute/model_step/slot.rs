//! `Slot`: finds values for a schema, first in the given text and data, then with a model, and merges both.

use super::parts::{message, parsed, reasoned, room};
use super::words::{SLOT, SLOT_GUESS, cut, lang_of};
use crate::ask::reply::ModelReply;
use crate::ask::request::{AnswerFormat, MessageRole, ModelRequest};
use crate::fault::Fault;
use crate::goal::spec::PinnedModel;
use crate::journal::slot::SlotSource;
use crate::mask::masked;
use crate::pointer::Pointer;
use crate::schema::Schema;
use crate::schema::description::in_lang;
use crate::slot::coerce::coerced;
use crate::slot::defaults::with_defaults;
use crate::slot::from_text::said;
use crate::slot::normalise::normalised;
use crate::slot::patch::patch;
use crate::slot::remaining::{remaining, remaining_schema};
use crate::stage::reading;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The largest number of characters of the text, the data and the context in the prompt.
const SHOWN_CHARS: usize = 16_000;
/// The name of the reply's schema.
const VALUES: &str = "values";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlotArguments {
    schema: Value,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    context: Value,
    #[serde(default)]
    guess: bool,
    #[serde(default)]
    max_tokens: Option<u32>,
}

/// The values found so far.
struct SlotFindings {
    schema: Value,
    data: Value,
    sources: BTreeMap<Pointer, SlotSource>,
}

impl SlotFindings {
    /// Collects the values that need no model: given data, values named in the text, defaults.
    fn by_itself(given: &SlotArguments) -> Self {
        let schema = normalised(&given.schema);
        let data = Value::Object(given.data.clone());
        let mut found = Self { schema, data, sources: BTreeMap::new() };
        let named = said(&found.left(), &given.text);
        found.take(named, &SlotSource::Said);
        let with = with_defaults(&found.schema, &found.data);
        found.take(with.by_default, &SlotSource::Default);
        found
    }

    /// Returns the parameters that are still missing or invalid, with their schemas.
    fn left(&self) -> BTreeMap<Pointer, Value> {
        remaining(&self.schema, &self.data)
    }

    /// Adds values to the data. A value that does not fit is skipped; the others are kept.
    fn take(&mut self, values: BTreeMap<Pointer, Value>, source: &SlotSource) {
        for (place, value) in values {
            let one = BTreeMap::from([(place.clone(), value)]);
            if let Ok(data) = patch(&self.schema, &self.data, &one) {
                self.data = data;
                self.sources.insert(place, source.clone());
            }
        }
    }

    fn told(&self) -> Map<String, Value> {
        let left = self.left();
        let form = if left.is_empty() { Value::Null } else { remaining_schema(&left) };
        let fields: Vec<Value> = self.sources.keys().map(|it| Value::from(it.as_str())).collect();
        let sources = self.sources.iter().map(|(place, source)| (place.to_string(), json!(source)));
        let mut told = Map::new();
        told.insert("slot_data".to_owned(), self.data.clone());
        told.insert("remaining_schema".to_owned(), form);
        told.insert("filled_fields".to_owned(), Value::from(fields));
        told.insert("sources".to_owned(), Value::Object(sources.collect()));
        told
    }
}

/// Returns the output if nothing is missing, or if there is no model to ask.
pub(super) fn at_once(arguments: &Value, has_mind: bool) -> Option<Value> {
    let given: SlotArguments = parsed(arguments).ok()?;
    let found = SlotFindings::by_itself(&given);
    let is_enough = !has_mind || found.left().is_empty();
    is_enough.then(|| Value::Object(found.told()))
}

/// Builds the request for the missing values.
pub(super) fn request(
    arguments: &Value,
    pinned_model: &PinnedModel,
) -> Result<ModelRequest, Fault> {
    let given: SlotArguments = parsed(arguments)?;
    let found = SlotFindings::by_itself(&given);
    let mut form = remaining_schema(&found.left());
    if let Some(form) = form.as_object_mut() {
        // A value that the model does not find shall be left out, not made up.
        form.remove("required");
    }
    let lang = lang_of(&format!("{}{}", given.text, given.context));
    let form = in_lang(&form, lang);
    let shown = |value: &Value| cut(&masked(value).to_string(), SHOWN_CHARS);
    let missing = form.get("properties").map(Value::to_string).unwrap_or_default();
    let (known, context) = (shown(&found.data), shown(&given.context));
    let text = cut(&given.text, SHOWN_CHARS);
    let holes = [
        ("missing", missing.as_str()),
        ("known", known.as_str()),
        ("text", text.as_str()),
        ("context", context.as_str()),
    ];
    let mut prompt = SLOT.filled(lang, &holes);
    if given.guess {
        prompt = format!("{prompt}\n\n{}", SLOT_GUESS.filled(lang, &[]));
    }
    Ok(ModelRequest {
        messages: vec![message(MessageRole::User, prompt)],
        format: AnswerFormat::Json { name: VALUES.to_owned(), schema: form },
        max_tokens: room(given.max_tokens, pinned_model),
        temperature: Some(0.0),
        ..ModelRequest::default()
    })
}

/// Merges the model's values with those found before. An unreadable reply adds none.
pub(super) fn output(arguments: &Value, reply: &ModelReply) -> Result<Value, Fault> {
    let given: SlotArguments = parsed(arguments)?;
    let mut found = SlotFindings::by_itself(&given);
    let read = reading::read(0, reply, &json!({"type": "object"}));
    let values = read.map(|read| read.value).unwrap_or_default();
    let fitting = found.left().into_iter().filter_map(|(place, schema)| {
        let keys = [place.as_str(), place.as_str().trim_start_matches('/')];
        let value = keys.into_iter().find_map(|key| values.get(key))?;
        let value = fitting(&schema, value)?;
        Some((place, value))
    });
    let fitting: BTreeMap<Pointer, Value> = fitting.collect();
    let source = if given.guess { SlotSource::Guess } else { SlotSource::Model };
    found.take(fitting, &source);
    Ok(reasoned(found.told(), reply))
}

/// Returns the value if it fits the schema, or else its text coerced to the schema's type. Null is not a value.
fn fitting(schema: &Value, value: &Value) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    if Schema::with_formats(schema).is_ok_and(|schema| schema.fits(value)) {
        return Some(value.clone());
    }
    coerced(schema, value.as_str()?)
}
