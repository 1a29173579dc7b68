//! The parameters and outputs of a tool, in the form in which they are matched with words and with each other.

use super::legal::LazySchema;
use crate::retrieve::words::words;
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_core::schema::description::descriptions;
use praxis_core::schema::required;
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// The maximum number of parameters or outputs of one tool.
const MOST: usize = 60;
/// The maximum depth of nested fields.
const DEEPEST: usize = 3;

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueShape {
    /// A string.
    Text,
    /// An integer.
    Integer,
    /// Any number.
    Number,
    /// A boolean.
    Boolean,
    /// An array.
    List,
    /// An object.
    Object,
    /// A schema without a type.
    Any,
}

impl ValueShape {
    fn of(schema: &Value) -> Self {
        let written = match schema.get("type") {
            Some(Value::Array(several)) => several.iter().find(|one| *one != "null"),
            one => one,
        };
        written.map_or(Self::Any, Self::of_word)
    }

    fn of_word(word: &Value) -> Self {
        match word.as_str() {
            Some("string") => Self::Text,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Boolean,
            Some("array") => Self::List,
            Some("object") => Self::Object,
            _ => Self::Any,
        }
    }

    /// Returns the shape of a value.
    fn of_value(value: &Value) -> Self {
        match value {
            Value::String(_) => Self::Text,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::Bool(_) => Self::Boolean,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
            Value::Null => Self::Any,
        }
    }

    /// Returns true if a value of this shape is accepted as the wanted one.
    pub fn serves(self, wanted: Self) -> bool {
        let loose = |shape: Self| matches!(shape, Self::Any);
        let number = |shape: Self| matches!(shape, Self::Integer | Self::Number);
        self == wanted || loose(self) || loose(wanted) || (number(self) && number(wanted))
    }
}

/// A parameter or an output of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolField {
    /// Its name, preceded by the names of the fields that contain it.
    pub path: Vec<String>,
    /// The words of its name.
    pub name: Vec<String>,
    /// The words of its description.
    pub about: BTreeSet<String>,
    /// The shape of its values.
    pub shape: ValueShape,
    /// The values of its `enum`.
    pub choices: Vec<Value>,
    /// True if a call must contain it.
    pub required: bool,
    /// The default value.
    pub default: Option<Value>,
    /// Its JSON schema.
    pub schema: Value,
    /// The items of a list.
    pub items: Option<Box<ToolField>>,
    /// The fields of an object, if the schema lists them.
    pub fields: Vec<ToolField>,
    /// The validation of its values.
    pub legal: LazySchema,
}

impl ToolField {
    /// Creates a field from metadata that the caller gave.
    pub fn given(key: &str, value: &Value) -> Self {
        let shape = ValueShape::of_value(value);
        Self { shape, ..slot(vec![key.to_owned()], &Value::Null, false) }
    }

    /// Returns true if its schema accepts a shape.
    pub fn takes(&self, shape: ValueShape) -> bool {
        let written = match self.schema.get("type") {
            Some(Value::Array(several)) => several.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => return self.shape == ValueShape::Any,
        };
        written.iter().any(|one| ValueShape::of_word(one) == shape)
    }

    /// Returns a copy with another path.
    #[must_use]
    pub fn at(&self, path: Vec<String>) -> Self {
        Self { path, ..self.clone() }
    }

    /// Returns the last word of the name, which is the most specific: `hotel_name` is a name.
    pub fn head(&self) -> Option<&str> {
        self.name.last().map(String::as_str)
    }
}

/// A tool in the form in which it is planned with.
#[derive(Clone, Debug)]
pub struct PlannerTool<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// Its parameters, required ones first.
    pub needs: Vec<ToolField>,
    /// Its outputs.
    pub gives: Vec<ToolField>,
    /// The stem of the first word of its name.
    pub verb: String,
}

impl<'a> PlannerTool<'a> {
    /// Analyzes a tool.
    pub fn of(tool: &'a Tool) -> Self {
        Self { tool, needs: needs(tool), gives: gives(tool), verb: verb(tool) }
    }
}

/// Returns the stem of the first word in a tool's name, after its group: that of `Book` in `Hotels.BookHouse`.
fn verb(tool: &Tool) -> String {
    let own = tool.id.as_str().rsplit('.').next().unwrap_or_default();
    let ends = |(_, c): &(usize, char)| !c.is_alphanumeric() || c.is_uppercase();
    let end = own.char_indices().skip(1).find(ends).map_or(own.len(), |(at, _)| at);
    named(own.get(..end).unwrap_or_default()).into_iter().next().unwrap_or_default()
}

/// Returns the parameters of a tool, required ones first in the order of `required`.
fn needs(tool: &Tool) -> Vec<ToolField> {
    fields(&[], &tool.input_schema)
}

/// Returns the outputs of a tool, outer fields first.
fn gives(tool: &Tool) -> Vec<ToolField> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<String>, &Value)> =
        tool.output_schema.iter().map(|it| (vec![], it)).collect();
    while !open.is_empty() && found.len() < MOST {
        let mut inner = Vec::new();
        for (path, schema) in open {
            for (name, schema) in
                schema.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                let path = [path.clone(), vec![name.clone()]].concat();
                let items = schema.get("items").map(|items| Box::new(slot(vec![], items, false)));
                found.push(ToolField { items, ..slot(path.clone(), schema, false) });
                if path.len() < DEEPEST {
                    inner.push((path, schema));
                }
            }
        }
        open = inner;
    }
    found.truncate(MOST);
    found
}

/// Returns the words of a name. A name that consists of stop words, such as `from`, is kept as it is.
pub fn named(name: &str) -> Vec<String> {
    let own = words(name);
    if own.is_empty() { vec![name.to_lowercase()] } else { own }
}

fn slot(path: Vec<String>, schema: &Value, required: bool) -> ToolField {
    let choices = schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    ToolField {
        name: path.last().map(|name| named(name)).unwrap_or_default(),
        about: words(&descriptions(schema)).into_iter().collect(),
        shape: ValueShape::of(schema),
        choices,
        required,
        default: schema.get("default").cloned(),
        schema: schema.clone(),
        items: None,
        fields: vec![],
        legal: LazySchema::of(schema),
        path,
    }
}

/// Adds the items and fields of a nested schema.
fn deep(slot: ToolField) -> ToolField {
    let inner = [slot.path.clone(), vec!["0".to_owned()]].concat();
    let items = slot.schema.get("items").filter(|_| slot.path.len() < DEEPEST);
    let items = items.map(|items| {
        let mut items = deep(self::slot(inner, items, false));
        items.about.extend(slot.about.iter().cloned());
        Box::new(items)
    });
    let fields = fields(&slot.path, &slot.schema);
    ToolField { items, fields, ..slot }
}

/// Returns the fields of an object, required ones first.
fn fields(path: &[String], schema: &Value) -> Vec<ToolField> {
    if path.len() >= DEEPEST {
        return vec![];
    }
    let must: Vec<&str> = required(schema).collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut slots: Vec<(usize, ToolField)> = properties
        .map(|(name, schema)| {
            let place = must.iter().position(|it| it == name);
            let inner = [path.to_vec(), vec![name.clone()]].concat();
            (place.unwrap_or(usize::MAX), deep(slot(inner, schema, place.is_some())))
        })
        .collect();
    slots.sort_by_key(|(place, _)| *place);
    slots.into_iter().map(|(_, slot)| slot).take(MOST).collect()
}

/// Tools by id.
pub type ToolsById<'a> = BTreeMap<ToolId, PlannerTool<'a>>;
