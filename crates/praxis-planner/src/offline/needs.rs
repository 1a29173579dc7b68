//! What a tool must be given and what it gives, as both are compared with words and with each other.

use super::legal::LazySchema;
use crate::retrieve::words::words;
use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_core::schema::required;
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// So many parameters or outputs of one tool are looked at.
const MOST: usize = 60;
/// So deep outputs are looked into.
const DEEPEST: usize = 3;

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueShape {
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// Yes or no.
    Boolean,
    /// Several values.
    List,
    /// Named values.
    Object,
    /// Nobody says.
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

    /// The shape that a value has.
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

    /// Whether a value of this shape can be given where another is wanted.
    pub fn serves(self, wanted: Self) -> bool {
        let loose = |shape: Self| matches!(shape, Self::Any);
        let number = |shape: Self| matches!(shape, Self::Integer | Self::Number);
        self == wanted || loose(self) || loose(wanted) || (number(self) && number(wanted))
    }
}

/// A parameter or an output.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolField {
    /// Its name; of a field inside another, the way to it.
    pub path: Vec<String>,
    /// The words of its name.
    pub name: Vec<String>,
    /// The words that are said of it.
    pub about: BTreeSet<String>,
    /// What it is.
    pub shape: ValueShape,
    /// What it may be, where that is a list.
    pub choices: Vec<Value>,
    /// Whether a call cannot do without.
    pub required: bool,
    /// What it is if nothing is said.
    pub default: Option<Value>,
    /// What the schema says.
    pub schema: Value,
    /// What each of several values is, where it takes a list.
    pub items: Option<Box<ToolField>>,
    /// What it is made of, where that is said: the fields of an object.
    pub fields: Vec<ToolField>,
    /// Whether a value may be given here.
    pub legal: LazySchema,
}

impl ToolField {
    /// What a caller gave under a name.
    pub fn given(key: &str, value: &Value) -> Self {
        let shape = ValueShape::of_value(value);
        Self { shape, ..slot(vec![key.to_owned()], &Value::Null, false) }
    }

    /// Whether it takes a value of a shape.
    pub fn takes(&self, shape: ValueShape) -> bool {
        let written = match self.schema.get("type") {
            Some(Value::Array(several)) => several.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => return self.shape == ValueShape::Any,
        };
        written.iter().any(|one| ValueShape::of_word(one) == shape)
    }

    /// The same at another place.
    #[must_use]
    pub fn at(&self, path: Vec<String>) -> Self {
        Self { path, ..self.clone() }
    }

    /// The last word of the name: `hotel_name` is a name.
    pub fn head(&self) -> Option<&str> {
        self.name.last().map(String::as_str)
    }
}

/// A tool as it is planned with.
#[derive(Clone, Debug)]
pub struct PlannerTool<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// What it can be given.
    pub needs: Vec<ToolField>,
    /// What it gives.
    pub gives: Vec<ToolField>,
    /// The word that its name begins with, as words are compared.
    pub verb: String,
}

impl<'a> PlannerTool<'a> {
    /// Looks at a tool.
    pub fn of(tool: &'a Tool) -> Self {
        Self { tool, needs: needs(tool), gives: gives(tool), verb: verb(tool) }
    }
}

/// The word that the name of a tool begins with, behind the group that it belongs to: `Hotels.BookHouse` books.
fn verb(tool: &Tool) -> String {
    let own = tool.id.as_str().rsplit('.').next().unwrap_or_default();
    let ends = |(_, c): &(usize, char)| !c.is_alphanumeric() || c.is_uppercase();
    let end = own.char_indices().skip(1).find(ends).map_or(own.len(), |(at, _)| at);
    named(own.get(..end).unwrap_or_default()).into_iter().next().unwrap_or_default()
}

/// What a tool can be given: what it needs first, in the order in which it is told.
fn needs(tool: &Tool) -> Vec<ToolField> {
    fields(&[], &tool.input_schema)
}

/// What a tool gives, outer fields first.
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

/// The words of a name. One that says nothing among other words, such as `from`, still is a name.
pub fn named(name: &str) -> Vec<String> {
    let own = words(name);
    if own.is_empty() { vec![name.to_lowercase()] } else { own }
}

fn slot(path: Vec<String>, schema: &Value, required: bool) -> ToolField {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let choices = schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    ToolField {
        name: path.last().map(|name| named(name)).unwrap_or_default(),
        about: words(text).into_iter().collect(),
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

/// The same with what it is made of.
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

/// What an object is made of, what it needs first.
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

/// All tools by id.
pub type ToolsById<'a> = BTreeMap<ToolId, PlannerTool<'a>>;
