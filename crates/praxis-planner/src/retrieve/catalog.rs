//! The searchable form of a tool: its words by field, its required parameters and its outputs.

use super::index::{DocumentField, IndexedDocument};
use super::words::words;
use praxis_core::call::tool::Tool;
use praxis_core::schema::description::descriptions;
use praxis_core::schema::required;
use serde_json::Value;
use std::borrow::Cow;

/// The maximum depth of schema fields.
const DEEPEST: usize = 4;
/// The maximum number of fields in one schema.
const MOST_FIELDS: usize = 200;
/// The maximum number of `enum` values of one field.
const MOST_CHOICES: usize = 100;

/// Returns the words of a tool by field, in all its languages.
pub fn document(tool: &Tool) -> IndexedDocument {
    let name =
        format!("{} {}", tool.id, if tool.name == tool.id.as_str() { "" } else { &tool.name });
    let names = tool.translations.values().map(|told| told.name.as_str());
    let (taken, given) = (fields(&tool.input_schema), tool.output_schema.as_ref().map(fields));
    let choices = taken.iter().flat_map(|field| &field.choices).copied();
    let mut document = vec![
        (DocumentField::Name, all(std::iter::once(name.as_str()).chain(names))),
        (DocumentField::About, words(&tool.descriptions())),
        (DocumentField::Parameter, of_fields(&taken)),
        (DocumentField::Choice, all(choices)),
        (DocumentField::Output, of_fields(&given.unwrap_or_default())),
    ];
    document.extend(tool.all_tags().map(|tag| (DocumentField::Tag, words(tag))));
    document
}

/// Returns the names of the required parameters.
pub fn needs(tool: &Tool) -> Vec<String> {
    required(&tool.input_schema).map(str::to_owned).collect()
}

/// Returns the names of the output fields, nested ones included.
pub fn gives(tool: &Tool) -> Vec<String> {
    let fields = tool.output_schema.as_ref().map(fields).unwrap_or_default();
    fields.into_iter().map(|field| field.name.to_owned()).collect()
}

fn all<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    texts.flat_map(words).collect()
}

fn of_fields(fields: &[DescribedField<'_>]) -> Vec<String> {
    fields.iter().flat_map(|field| [words(field.name), words(&field.about)].concat()).collect()
}

/// A field of a schema, with its name and description.
struct DescribedField<'a> {
    name: &'a str,
    about: Cow<'a, str>,
    /// The strings of its `enum`, or of the `enum` of its items.
    choices: Vec<&'a str>,
}

impl<'a> DescribedField<'a> {
    fn of(name: &'a str, schema: &'a Value) -> Self {
        let each = [Some(schema), schema.get("items")].into_iter().flatten();
        let choices = each.filter_map(|schema| schema.get("enum")).filter_map(Value::as_array);
        let choices = choices.flatten().filter_map(Value::as_str).take(MOST_CHOICES).collect();
        Self { name, about: descriptions(schema), choices }
    }
}

/// Returns the fields of a schema, parents before children.
fn fields(schema: &Value) -> Vec<DescribedField<'_>> {
    let mut found = Vec::new();
    let mut open = vec![(schema, 0)];
    while let Some((schema, depth)) = open.pop() {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            if found.len() >= MOST_FIELDS {
                return found;
            }
            found.push(DescribedField::of(name, property));
            if depth < DEEPEST {
                open.push((property, depth + 1));
            }
        }
        open.extend(schema.get("items").filter(|_| depth < DEEPEST).map(|it| (it, depth + 1)));
    }
    found
}
