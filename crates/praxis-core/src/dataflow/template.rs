//! Parameter templates, parsed once per plan: literals, and placeholders bound to their targets.
//!
//! - in: a step's parameters as typed JSON or as a JSON string, and the steps of the task
//! - out: a [`ParameterTemplate`], whose placeholders know their place and their target
//! - never: reads a value; that is [`resolve`](super::resolve)'s job

use super::context::{Context, StepIndex};
use super::lex::{self, Expression, LexedPiece, Malformed};
use super::path::{Segment, dotted};
use super::scope::{NameScope, path_of};
use crate::document::{UnreadableDocument, end_of_string, read_json};
use crate::pointer::escaped;
use crate::pointer::first;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Parameters, or a part of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParameterTemplate {
    /// A value without placeholders.
    Literal(Value),
    /// A single placeholder as the whole value, which keeps its JSON type.
    Whole(Placeholder),
    /// A text with placeholders.
    Text(Vec<TemplatePart>),
    /// An array with a placeholder in some element.
    Array(Vec<ParameterTemplate>),
    /// An object with a placeholder in some value. Keys are never templates.
    Object(Vec<(String, ParameterTemplate)>),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TemplatePart {
    /// Literal text, as it reaches the tool.
    Literal(String),
    /// A placeholder, rendered as text: strings raw, the rest as compact JSON.
    Placeholder(Placeholder),
}

/// A placeholder with its place and its target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placeholder {
    /// The text as written.
    pub source: Arc<str>,
    /// The JSON pointer of the value that contains it, within the parameters.
    pub pointer: Arc<str>,
    /// The target that it is bound to.
    pub target: PlaceholderTarget,
    /// True if it stays text when nothing has this name: `${HOME}`, `metadata.json`.
    pub optional: bool,
}

/// The target of a placeholder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlaceholderTarget {
    /// `{{step.outputs.x}}`, `{{step.output}}`: only the result of that step.
    Output {
        /// The step.
        step: StepIndex,
        /// The path in its output; empty means the whole output.
        path: Vec<Segment>,
    },
    /// `{{step.x}}`: runtime metadata `step_x`, then the result of that step.
    Field {
        /// The step.
        step: StepIndex,
        /// The path in its output.
        path: Vec<Segment>,
    },
    /// `{{x}}`, `{{x.y}}`: metadata, then a field that only one result has.
    Name {
        /// The key.
        name: Arc<str>,
        /// The path in its value.
        path: Vec<Segment>,
        /// The steps and fields that this name can be the prefixed key of: `step_2_id` is `id` of `step_2`.
        prefixed: Vec<(StepIndex, Arc<str>)>,
    },
    /// `{{x}}` inside a frame that has a variable of this name.
    Variable {
        /// The path of the frame.
        frame: Arc<str>,
        /// The variable.
        name: Arc<str>,
        /// The path in its value.
        path: Vec<Segment>,
    },
    /// `{{metadata.x}}`: initial metadata.
    Initial {
        /// The key.
        name: Arc<str>,
        /// The path in its value.
        path: Vec<Segment>,
    },
    /// `{{nobody.outputs.x}}`: no such step.
    UnknownStep {
        /// The name in the place of a step id.
        name: Arc<str>,
    },
    /// Braces that are not a placeholder.
    Malformed(Malformed),
}

/// The reason for which parameters cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadParameters {
    /// A string that is not JSON.
    #[error("the parameters are not valid JSON: {0}")]
    NotJson(UnreadableDocument),
    /// JSON, but not an object.
    #[error("expected the parameters to be an object, got {0}")]
    NotAnObject(&'static str),
}

/// Parses parameters as written into a JSON object with placeholders in its strings.
///
/// Placeholders in a JSON string are found before it is parsed, so that an unquoted one (`{"n":
/// {{step_1.outputs.n}}}`) is a whole value.
pub fn parameters_object(written: &Value) -> Result<Value, BadParameters> {
    let none_given =
        written.is_null() || written.as_str().is_some_and(|text| text.trim().is_empty());
    let value = if none_given {
        Value::Object(serde_json::Map::new())
    } else if let Value::String(text) = written {
        read_json(&quote_placeholders(text)).map_err(BadParameters::NotJson)?
    } else {
        written.clone()
    };
    if value.is_object() {
        return Ok(value);
    }
    Err(BadParameters::NotAnObject(crate::payload::shape(&value)))
}

/// Quotes the placeholders outside of JSON strings.
fn quote_placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(position) = rest.find(['"', '{', '$']) {
        let (before, after) = rest.split_at(position);
        out.push_str(before);
        let width = if after.starts_with('"') {
            end_of_string(after.as_bytes(), 0)
        } else {
            let width = lex::leading_reference(after);
            if width > 0 {
                out.push_str(&Value::from(after.get(..width).unwrap_or_default()).to_string());
                rest = after.get(width..).unwrap_or_default();
                continue;
            }
            1
        };
        out.push_str(after.get(..width).unwrap_or_default());
        rest = after.get(width..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

impl ParameterTemplate {
    /// Marks entries as texts: a lone placeholder there is rendered as text instead of keeping its type.
    #[must_use]
    pub fn with_texts(mut self, is_text: impl Fn(&str) -> bool) -> Self {
        if let Self::Object(entries) = &mut self {
            for (_, entry) in entries.iter_mut().filter(|(key, _)| is_text(key)) {
                if let Self::Whole(placeholder) = entry {
                    *entry = Self::Text(vec![TemplatePart::Placeholder(placeholder.clone())]);
                }
            }
        }
        self
    }

    /// Parses a value of the plan. Placeholders are bound to the steps in `context`.
    pub fn parse(value: &Value, context: &Context) -> Self {
        Self::parse_in(value, NameScope::plan(context))
    }

    /// Parses a value in the given scope.
    pub fn parse_in(value: &Value, scope: NameScope<'_>) -> Self {
        parse_at(value, scope, &mut String::new())
    }

    /// Sets a value at a JSON pointer. Braces in it are text. A scalar or placeholder on the way is itself replaced.
    pub fn set(&mut self, pointer: &str, value: &Value) {
        let Some((key, rest)) = first(pointer) else {
            *self = Self::Literal(value.clone());
            return;
        };
        self.open();
        match self {
            Self::Object(entries) => match entries.iter_mut().find(|(name, _)| *name == key) {
                Some((_, inner)) => inner.set(rest, value),
                None => {
                    let mut inner = Self::Literal(Value::Null);
                    inner.set(rest, value);
                    entries.push((key, inner));
                }
            },
            Self::Array(items) => {
                if let Some(inner) = key.parse().ok().and_then(|index: usize| items.get_mut(index))
                {
                    inner.set(rest, value);
                }
            }
            Self::Literal(_) | Self::Whole(_) | Self::Text(_) => {
                *self = Self::Literal(value.clone());
            }
        }
    }

    /// Sets a value at a JSON pointer if its parent is an object or array that has room for it; else returns false.
    pub fn set_precisely(&mut self, pointer: &str, value: &Value) -> bool {
        let Some((key, rest)) = first(pointer) else {
            *self = Self::Literal(value.clone());
            return true;
        };
        self.open();
        match self {
            Self::Object(entries) => match entries.iter_mut().find(|(name, _)| *name == key) {
                Some((_, inner)) => inner.set_precisely(rest, value),
                None if rest.is_empty() => {
                    entries.push((key, Self::Literal(value.clone())));
                    true
                }
                None => false,
            },
            Self::Array(items) => {
                let inner = key.parse().ok().and_then(|index: usize| items.get_mut(index));
                inner.is_some_and(|inner| inner.set_precisely(rest, value))
            }
            Self::Literal(_) | Self::Whole(_) | Self::Text(_) => false,
        }
    }

    /// Converts a literal object or array into one with literal templates as parts.
    fn open(&mut self) {
        let Self::Literal(value) = self else { return };
        if let Value::Object(map) = value {
            let entries = std::mem::take(map).into_iter();
            *self = Self::Object(entries.map(|(key, value)| (key, Self::Literal(value))).collect());
        } else if let Value::Array(items) = value {
            *self = Self::Array(std::mem::take(items).into_iter().map(Self::Literal).collect());
        }
    }

    /// Visits every placeholder in order.
    pub fn each_placeholder<'a>(&'a self, visit: &mut dyn FnMut(&'a Placeholder)) {
        match self {
            Self::Literal(_) => {}
            Self::Whole(placeholder) => visit(placeholder),
            Self::Text(parts) => {
                for part in parts {
                    if let TemplatePart::Placeholder(placeholder) = part {
                        visit(placeholder);
                    }
                }
            }
            Self::Array(items) => {
                for item in items {
                    item.each_placeholder(visit);
                }
            }
            Self::Object(entries) => {
                for (_, value) in entries {
                    value.each_placeholder(visit);
                }
            }
        }
    }

    /// Returns the steps that it reads by name, each once, in order of first mention.
    pub fn steps_read(&self) -> Vec<StepIndex> {
        let mut steps = Vec::new();
        self.each_placeholder(&mut |placeholder| {
            let read = match &placeholder.target {
                PlaceholderTarget::Output { step, .. } | PlaceholderTarget::Field { step, .. } => {
                    Some(*step)
                }
                // `step_2_id` is `id` of `step_2`, unless it can also be a field of another step.
                PlaceholderTarget::Name { prefixed, .. } => match prefixed.as_slice() {
                    [(step, _)] => Some(*step),
                    _ => None,
                },
                PlaceholderTarget::Variable { .. }
                | PlaceholderTarget::Initial { .. }
                | PlaceholderTarget::UnknownStep { .. }
                | PlaceholderTarget::Malformed(_) => None,
            };
            if let Some(step) = read.filter(|step| !steps.contains(step)) {
                steps.push(step);
            }
        });
        steps
    }
}

fn parse_at(value: &Value, scope: NameScope<'_>, pointer: &mut String) -> ParameterTemplate {
    match value {
        Value::String(text) => parse_text(text, scope, pointer),
        Value::Array(items) => {
            let parse = |(index, item): (usize, &Value)| {
                within(pointer, &index.to_string(), |pointer| parse_at(item, scope, pointer))
            };
            let items_parsed: Vec<_> = items.iter().enumerate().map(parse).collect();
            if items_parsed.iter().all(|item| matches!(item, ParameterTemplate::Literal(_))) {
                return ParameterTemplate::Literal(Value::Array(
                    items_parsed.into_iter().filter_map(literal).collect(),
                ));
            }
            ParameterTemplate::Array(items_parsed)
        }
        Value::Object(map) => {
            let parse = |(key, item): (&String, &Value)| {
                let token = escaped(key);
                let parsed = within(pointer, &token, |pointer| parse_at(item, scope, pointer));
                (key.clone(), parsed)
            };
            let entries: Vec<_> = map.iter().map(parse).collect();
            if entries.iter().all(|(_, item)| matches!(item, ParameterTemplate::Literal(_))) {
                let entries =
                    entries.into_iter().filter_map(|(key, item)| Some((key, literal(item)?)));
                return ParameterTemplate::Literal(Value::Object(entries.collect()));
            }
            ParameterTemplate::Object(entries)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            ParameterTemplate::Literal(value.clone())
        }
    }
}

fn literal(template: ParameterTemplate) -> Option<Value> {
    match template {
        ParameterTemplate::Literal(value) => Some(value),
        ParameterTemplate::Whole(_)
        | ParameterTemplate::Text(_)
        | ParameterTemplate::Array(_)
        | ParameterTemplate::Object(_) => None,
    }
}

fn within<T>(pointer: &mut String, token: &str, inside: impl FnOnce(&mut String) -> T) -> T {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(token);
    let result = inside(pointer);
    pointer.truncate(length);
    result
}

fn parse_text(text: &str, scope: NameScope<'_>, pointer: &str) -> ParameterTemplate {
    let place = |source: &str, target, optional| Placeholder {
        source: source.into(),
        pointer: pointer.into(),
        target,
        optional,
    };
    if lex::is_plain(text) {
        return match bare(text, scope) {
            Some((target, optional)) => ParameterTemplate::Whole(place(text, target, optional)),
            None => ParameterTemplate::Literal(Value::String(text.to_owned())),
        };
    }
    let to_part = |piece| match piece {
        LexedPiece::Literal(text) => TemplatePart::Literal(text),
        LexedPiece::Reference(reference) => {
            let (target, optional) = bind(&reference, scope);
            TemplatePart::Placeholder(place(&reference.source, target, optional))
        }
        LexedPiece::Malformed { source, why } => {
            TemplatePart::Placeholder(place(&source, PlaceholderTarget::Malformed(why), false))
        }
    };
    let mut parts: Vec<TemplatePart> = lex::lex(text).into_iter().map(to_part).collect();
    match (parts.pop(), parts.is_empty()) {
        (Some(TemplatePart::Placeholder(placeholder)), true) => {
            ParameterTemplate::Whole(placeholder)
        }
        (Some(TemplatePart::Literal(text)), true) => {
            ParameterTemplate::Literal(Value::String(text))
        }
        (Some(last), false) => {
            parts.push(last);
            ParameterTemplate::Text(parts)
        }
        (None, _) => ParameterTemplate::Literal(Value::String(String::new())),
    }
}

/// Binds a whole value without braces: `step_1.output`, `metadata.project_id`.
fn bare(text: &str, scope: NameScope<'_>) -> Option<(PlaceholderTarget, bool)> {
    if let Some((head, "output" | "outputs")) = text.rsplit_once('.') {
        return Some((
            PlaceholderTarget::Output { step: scope.index_of(head)?, path: vec![] },
            false,
        ));
    }
    text.strip_prefix("metadata.")?;
    let segments = lex::segments(text).ok()?;
    let target = bind_head(&segments, scope)?;
    Some((target, true))
}

/// Returns the target of a placeholder, and true if the placeholder stays text when nothing has that name.
fn bind(reference: &Expression, scope: NameScope<'_>) -> (PlaceholderTarget, bool) {
    let segments = &reference.segments;
    let Some(target) = bind_head(segments, scope) else {
        return (PlaceholderTarget::Malformed(Malformed::Path), false);
    };
    let names_a_step =
        matches!(target, PlaceholderTarget::Output { .. } | PlaceholderTarget::Field { .. });
    (target, reference.dollar && segments.len() == 1 && !names_a_step)
}

fn bind_head(segments: &[Segment], scope: NameScope<'_>) -> Option<PlaceholderTarget> {
    let (Segment::Key(head), rest) = segments.split_first()? else { return None };
    let step =
        step_head(segments, scope).filter(|(step, path)| !is_nearer(head, (*step, path), scope));
    if let Some((step, path)) = step {
        return Some(match path.split_first() {
            None => PlaceholderTarget::Output { step, path: vec![] },
            Some((Segment::Key(word), path)) if matches!(&**word, "outputs" | "output") => {
                PlaceholderTarget::Output { step, path: path.to_vec() }
            }
            Some(_) => PlaceholderTarget::Field { step, path: path.to_vec() },
        });
    }
    if let ("metadata", Some((Segment::Key(name) | Segment::Quoted(name), path))) =
        (&**head, rest.split_first())
    {
        return Some(PlaceholderTarget::Initial { name: Arc::clone(name), path: path.to_vec() });
    }
    if let Some(frame) = scope.frame_of(head) {
        let (frame, name) = (frame.into(), Arc::clone(head));
        return Some(PlaceholderTarget::Variable { frame, name, path: rest.to_vec() });
    }
    if let Some(Segment::Key(word)) = rest.first()
        && matches!(&**word, "outputs" | "output")
        && !scope.context().initial().contains_key(&**head)
    {
        return Some(PlaceholderTarget::UnknownStep { name: Arc::clone(head) });
    }
    let prefixed = prefixed_keys(head, scope);
    Some(PlaceholderTarget::Name { name: Arc::clone(head), path: rest.to_vec(), prefixed })
}

/// Returns true if the name refers to a variable of a frame that lies inside the step's frame.
fn is_nearer(name: &str, (step, path): (StepIndex, &[Segment]), scope: NameScope<'_>) -> bool {
    let names_output =
        matches!(path.first(), Some(Segment::Key(word)) if matches!(&**word, "outputs" | "output"));
    let Some(frame) = scope.frame_of(name).filter(|_| !names_output) else { return false };
    let step = scope.context().id_of(step);
    step.is_some_and(|id| frame.len() > path_of(id.as_str()).len())
}

/// Returns the longest known step id at the start of the path, and the rest of the path. Ids may contain dots.
fn step_head<'a>(
    segments: &'a [Segment],
    scope: NameScope<'_>,
) -> Option<(StepIndex, &'a [Segment])> {
    let plain = segments.iter().take_while(|s| matches!(s, Segment::Key(_))).count();
    (1..=plain).rev().find_map(|used| {
        let (head, rest) = segments.split_at_checked(used)?;
        let step = match head {
            [Segment::Key(name)] => scope.index_of(name),
            longer => scope.index_of(&dotted(longer)),
        };
        step.map(|step| (step, rest))
    })
}

fn prefixed_keys(name: &str, scope: NameScope<'_>) -> Vec<(StepIndex, Arc<str>)> {
    let split = |(position, _): (usize, &str)| {
        let (step, field) = (name.get(..position)?, name.get(position + 1..)?);
        let step = scope.index_of(step).filter(|_| !field.is_empty())?;
        Some((step, Arc::from(field)))
    };
    name.match_indices('_').filter_map(split).collect()
}
