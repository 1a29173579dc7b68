//! Replaces placeholders by values, in one typed pass of look-ups.
//!
//! - in: a [`ParameterTemplate`], the [`Context`], and the blobs that [`blobs_needed`] lists
//! - out: the arguments, the origin of each value, and holes for values that stay in a blob
//! - never: scans an inserted value for placeholders, guesses, or stops at the first miss

use super::context::{Context, StepIndex};
use super::missing::explain;
use super::path::{self, PathObstacle, PathStop, Segment, walk};
use super::scope::NameScope;
use super::template::{ParameterTemplate, Placeholder, PlaceholderTarget, TemplatePart};
use crate::ids::BlobId;
use crate::payload::{LARGE_BYTES, Payload, PayloadValue, StoredValue, text_is_within};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Blob contents that were loaded for this pass.
pub type LoadedBlobs = BTreeMap<BlobId, Arc<Value>>;

/// The treatment of a placeholder without a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnresolved {
    /// Ask a person.
    #[default]
    Ask,
    /// Fail the step.
    Error,
    /// Keep the text as written.
    Keep,
}

/// Arguments with every placeholder replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved<'t> {
    /// The arguments, with `null` in each hole.
    pub value: Value,
    /// Values that stay in their blob until the call is made.
    pub holes: Vec<Hole>,
    /// The origin of each placeholder's value, in order. Everything else is literal.
    pub origins: Vec<Origin<'t>>,
}

/// A place in the arguments whose value is in a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hole {
    /// The JSON pointer of the place.
    pub at: Arc<str>,
    /// The blob that holds the value.
    pub blob: BlobId,
    /// The top-level field of the blob's content; `None` means the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Hole {
    /// Inserts the value, taken from the blob's content `whole`. Returns `None` if field or place do not exist.
    pub fn fill(&self, arguments: &mut Value, whole: Cow<'_, Value>) -> Option<()> {
        let part = match (&self.key, whole) {
            (Some(key), Cow::Borrowed(whole)) => whole.get(key)?.clone(),
            (Some(key), Cow::Owned(mut whole)) => whole.get_mut(key)?.take(),
            (None, whole) => whole.into_owned(),
        };
        *arguments.pointer_mut(&self.at)? = part;
        Some(())
    }
}

/// The origin of a placeholder's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin<'t> {
    /// The placeholder, which knows its place in the arguments.
    pub placeholder: &'t Placeholder,
    /// The layer that had the value.
    pub place: ContextLayer,
}

/// The layer that a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextLayer {
    /// Initial metadata.
    Initial,
    /// Runtime metadata, written by this step.
    Runtime(StepIndex),
    /// The result of this step.
    Result(StepIndex),
    /// A variable of a frame.
    Variable,
    /// No layer: the text stays as written.
    Kept,
}

/// A placeholder without a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingValue {
    /// The placeholder as written.
    pub placeholder: String,
    /// Its JSON pointer in the parameters.
    pub pointer: String,
    /// The reason.
    pub why: MissReason,
    /// The places that were searched, in order.
    pub searched: Vec<String>,
    /// Existing names that are similar, or all that were possible.
    pub candidates: Vec<String>,
}

/// The reason for which a placeholder has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissReason {
    /// No step has this id.
    UnknownStep,
    /// The step has not ended yet.
    NotRunYet,
    /// The step failed.
    StepFailed,
    /// The value has no such part.
    NoSuchPart,
    /// Nothing has this name.
    NoSuchName,
    /// Several values have this name.
    Ambiguous,
    /// The braces are not a placeholder.
    Malformed,
}

/// Returns the blobs that must be loaded before [`resolve`] can run.
pub fn blobs_needed(template: &ParameterTemplate, context: &Context) -> Vec<BlobId> {
    let mut needed = Vec::new();
    let mut note = |placeholder: &Placeholder, embedded: bool| {
        if let Ok((PayloadValue::InBlob { stored, .. }, path, _)) =
            locate(&placeholder.target, context)
            && (embedded || !path.is_empty())
            && !needed.contains(&stored.blob)
        {
            needed.push(stored.blob.clone());
        }
    };
    each_with_kind(template, &mut note);
    needed
}

/// Returns the blobs that must be loaded before [`resolve`] can run and every hole can be filled.
pub fn blobs_read(template: &ParameterTemplate, context: &Context) -> Vec<BlobId> {
    let mut read = Vec::new();
    template.each_placeholder(&mut |placeholder| {
        if let Ok((PayloadValue::InBlob { stored, .. }, ..)) = locate(&placeholder.target, context)
        {
            read.push(stored.blob.clone());
        }
    });
    read
}

/// Resolves a value completely, with nothing left in a blob. An empty error list means that a blob was not loaded.
pub fn whole(
    written: &Value,
    scope: NameScope<'_>,
    blobs: &LoadedBlobs,
) -> Result<Value, Vec<MissingValue>> {
    let template = ParameterTemplate::parse_in(written, scope);
    let found = resolve(&template, scope.context(), blobs, OnUnresolved::Error)?;
    filled(found.value, &found.holes, blobs).ok_or_else(Vec::new)
}

/// Returns the arguments with all holes filled, or `None` if a blob was not loaded.
pub fn complete(arguments: &Payload, holes: &[Hole], blobs: &LoadedBlobs) -> Option<Value> {
    let value = match arguments.whole() {
        PayloadValue::Value(value) => value.clone(),
        PayloadValue::InBlob { stored, .. } => Value::clone(blobs.get(&stored.blob)?),
    };
    filled(value, holes, blobs)
}

fn filled(mut value: Value, holes: &[Hole], blobs: &LoadedBlobs) -> Option<Value> {
    for hole in holes {
        hole.fill(&mut value, Cow::Borrowed(blobs.get(&hole.blob)?))?;
    }
    Some(value)
}

fn each_with_kind(template: &ParameterTemplate, visit: &mut dyn FnMut(&Placeholder, bool)) {
    match template {
        ParameterTemplate::Literal(_) => {}
        ParameterTemplate::Whole(placeholder) => visit(placeholder, false),
        ParameterTemplate::Text(_) => {
            template.each_placeholder(&mut |placeholder| visit(placeholder, true));
        }
        ParameterTemplate::Array(items) => {
            for item in items {
                each_with_kind(item, visit);
            }
        }
        ParameterTemplate::Object(entries) => {
            for (_, item) in entries {
                each_with_kind(item, visit);
            }
        }
    }
}

/// Replaces every placeholder, or returns all misses.
pub fn resolve<'t>(
    template: &'t ParameterTemplate,
    context: &Context,
    blobs: &LoadedBlobs,
    on_unresolved: OnUnresolved,
) -> Result<Resolved<'t>, Vec<MissingValue>> {
    let keep = on_unresolved == OnUnresolved::Keep;
    let mut pass =
        ResolvePass { context, blobs, keep, holes: vec![], origins: vec![], misses: vec![] };
    let value = pass.template(template);
    if !pass.misses.is_empty() {
        return Err(pass.misses);
    }
    Ok(Resolved { value, holes: pass.holes, origins: pass.origins })
}

/// Returns the origin of each placeholder's value, in order, without loading blobs.
pub fn places<'t>(template: &'t ParameterTemplate, context: &Context) -> Vec<Origin<'t>> {
    let mut places = Vec::new();
    template.each_placeholder(&mut |placeholder| {
        let place =
            locate(&placeholder.target, context).map_or(ContextLayer::Kept, |found| match found {
                (PayloadValue::Value(value), path, _) if walk(value, path).is_err() => {
                    ContextLayer::Kept
                }
                (_, _, place) => place,
            });
        places.push(Origin { placeholder, place });
    });
    places
}

struct ResolvePass<'t, 'c> {
    context: &'c Context,
    blobs: &'c LoadedBlobs,
    keep: bool,
    holes: Vec<Hole>,
    origins: Vec<Origin<'t>>,
    misses: Vec<MissingValue>,
}

/// The expected length of a value inside a text.
const LIKELY_LENGTH: usize = 16;

/// A resolved value, or a large one that stays in its blob.
enum ResolvedValue<'c> {
    Value(Cow<'c, Value>),
    Hole(&'c StoredValue, Option<&'c str>),
}

impl<'t, 'c> ResolvePass<'t, 'c> {
    fn template(&mut self, template: &'t ParameterTemplate) -> Value {
        match template {
            ParameterTemplate::Literal(value) => value.clone(),
            ParameterTemplate::Whole(placeholder) => self.whole(placeholder),
            ParameterTemplate::Text(parts) => self.text(parts),
            ParameterTemplate::Array(items) => {
                items.iter().map(|item| self.template(item)).collect()
            }
            ParameterTemplate::Object(entries) => {
                // Entries are few and sorted: inserting is cheaper than collecting, which sorts them first.
                let mut object = Map::new();
                for (key, item) in entries {
                    object.insert(key.clone(), self.template(item));
                }
                Value::Object(object)
            }
        }
    }

    fn whole(&mut self, placeholder: &'t Placeholder) -> Value {
        match self.take(placeholder, false) {
            Some(ResolvedValue::Value(value)) => value.into_owned(),
            Some(ResolvedValue::Hole(stored, key)) => {
                let (at, blob) = (Arc::clone(&placeholder.pointer), stored.blob.clone());
                self.holes.push(Hole { at, blob, key: key.map(str::to_owned) });
                Value::Null
            }
            None => Value::String(placeholder.source.to_string()),
        }
    }

    fn text(&mut self, parts: &'t [TemplatePart]) -> Value {
        let room = |part: &TemplatePart| match part {
            TemplatePart::Literal(text) => text.len(),
            TemplatePart::Placeholder(_) => LIKELY_LENGTH,
        };
        let mut out = String::with_capacity(parts.iter().map(room).sum());
        for part in parts {
            match part {
                TemplatePart::Literal(text) => out.push_str(text),
                TemplatePart::Placeholder(placeholder) => match self.take(placeholder, true) {
                    Some(ResolvedValue::Value(value)) => render(&mut out, &value),
                    Some(ResolvedValue::Hole(..)) | None => out.push_str(&placeholder.source),
                },
            }
        }
        Value::String(out)
    }

    /// Returns the value of a placeholder, or `None` if its text stays or if it is a miss, which is recorded.
    fn take(&mut self, placeholder: &'t Placeholder, embedded: bool) -> Option<ResolvedValue<'c>> {
        let found = locate(&placeholder.target, self.context).and_then(|(datum, path, place)| {
            let taken = open(datum, path, self.blobs, embedded);
            taken.map(|taken| (taken, place)).map_err(|stop| ResolveTrouble::Stopped(stop, place))
        });
        match found {
            Ok((taken, place)) => {
                self.origins.push(Origin { placeholder, place });
                Some(taken)
            }
            Err(_) if placeholder.optional || self.keep => {
                self.origins.push(Origin { placeholder, place: ContextLayer::Kept });
                None
            }
            Err(trouble) => {
                self.misses.push(explain(placeholder, &trouble, self.context));
                None
            }
        }
    }
}

/// Renders a value into a text: strings raw, the rest as compact JSON.
fn render(out: &mut String, value: &Value) {
    if let Value::String(text) = value {
        out.push_str(text);
    } else {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{value}");
    }
}

fn open<'c>(
    datum: PayloadValue<'c>,
    path: &[Segment],
    blobs: &'c LoadedBlobs,
    embedded: bool,
) -> Result<ResolvedValue<'c>, PathStop> {
    match datum {
        PayloadValue::Value(value) if path.is_empty() => {
            Ok(ResolvedValue::Value(Cow::Borrowed(value)))
        }
        PayloadValue::Value(value) => walk(value, path).map(ResolvedValue::Value),
        PayloadValue::InBlob { stored, key } => {
            if path.is_empty() && !embedded {
                return Ok(ResolvedValue::Hole(stored, key));
            }
            let missing =
                PathStop { walked: 0, found: PathObstacle::Scalar("a blob that was not read") };
            let whole = blobs.get(&stored.blob).ok_or_else(|| missing.clone())?;
            let value = match key {
                Some(key) => whole.get(key).ok_or(missing)?,
                None => whole,
            };
            walk(value, path).map(ResolvedValue::Value)
        }
    }
}

pub(super) enum ResolveTrouble {
    Step(MissReason),
    Stopped(PathStop, ContextLayer),
    NoName,
    Several(Vec<String>),
}

type LocatedValue<'a, 'p> = Result<(PayloadValue<'a>, &'p [Segment], ContextLayer), ResolveTrouble>;

/// Returns the value that a target names, and the path that is left to walk in it.
fn locate<'a, 'p>(target: &'p PlaceholderTarget, context: &'a Context) -> LocatedValue<'a, 'p> {
    match target {
        PlaceholderTarget::Output { step, path } => {
            let result = succeeded(*step, context)?;
            locate_in(&result.output, path, ContextLayer::Result(*step))
        }
        PlaceholderTarget::Field { step, path } => {
            let result = succeeded(*step, context)?;
            let synced = |segment: &Segment| match segment {
                Segment::Key(name) => context.runtime_of(*step, name).is_some(),
                Segment::Quoted(_) | Segment::Index(_) => false,
            };
            let place = if path.first().is_some_and(synced) {
                ContextLayer::Runtime(*step)
            } else {
                ContextLayer::Result(*step)
            };
            locate_in(&result.output, path, place)
        }
        PlaceholderTarget::Name { name, path, prefixed } => {
            locate_name(name, path, prefixed, context)
        }
        PlaceholderTarget::Variable { frame, name, path } => {
            let variables = context.variables(frame);
            let datum =
                variables.and_then(|known| known.get(name)).ok_or(ResolveTrouble::NoName)?;
            Ok((datum, path, ContextLayer::Variable))
        }
        PlaceholderTarget::Initial { name, path } => {
            if let Some(value) = context.initial().get(&**name) {
                return locate_in(value, path, ContextLayer::Initial);
            }
            // The caller may have a real key named `metadata`.
            let real = context.initial().get("metadata").and_then(|value| value.field(name));
            real.map(|datum| (datum, &**path, ContextLayer::Initial)).ok_or(ResolveTrouble::NoName)
        }
        PlaceholderTarget::UnknownStep { .. } => Err(ResolveTrouble::Step(MissReason::UnknownStep)),
        PlaceholderTarget::Malformed(_) => Err(ResolveTrouble::Step(MissReason::Malformed)),
    }
}

/// Enters a payload. A small field of a large object is available without its blob.
fn locate_in<'a, 'p>(
    output: &'a Payload,
    path: &'p [Segment],
    place: ContextLayer,
) -> LocatedValue<'a, 'p> {
    if let (PayloadValue::InBlob { .. }, Some((Segment::Key(first), rest))) =
        (output.whole(), path.split_first())
        && let Some(datum) = output.field(first)
    {
        return Ok((datum, rest, place));
    }
    Ok((output.whole(), path, place))
}

fn succeeded(
    step: StepIndex,
    context: &Context,
) -> Result<&super::context::StepResult, ResolveTrouble> {
    let result = context.result(step).ok_or(ResolveTrouble::Step(MissReason::NotRunYet))?;
    if result.is_success { Ok(result) } else { Err(ResolveTrouble::Step(MissReason::StepFailed)) }
}

fn locate_name<'a, 'p>(
    name: &str,
    path: &'p [Segment],
    prefixed: &[(StepIndex, Arc<str>)],
    context: &'a Context,
) -> LocatedValue<'a, 'p> {
    let written = |(step, field): &(StepIndex, Arc<str>)| context.runtime_of(*step, field);
    let of_steps: Vec<_> = prefixed.iter().filter(|key| written(key).is_some()).collect();
    if of_steps.len() > 1 {
        let shown = |(step, field): &&(StepIndex, Arc<str>)| {
            format!("{{{{{}.outputs.{field}}}}}", id(*step, context))
        };
        return Err(ResolveTrouble::Several(of_steps.iter().map(shown).collect()));
    }
    if let Some((step, datum)) = of_steps.first().and_then(|key| Some((key.0, written(key)?))) {
        return Ok((datum, path, ContextLayer::Runtime(step)));
    }
    if let Some((datum, writer)) = context.runtime(name) {
        return Ok((datum, path, ContextLayer::Runtime(writer)));
    }
    if let Some(value) = context.initial().get(name) {
        return locate_in(value, path, ContextLayer::Initial);
    }
    if !path.is_empty() {
        let full = format!("{name}{}", path::print(path));
        if let Some((datum, writer)) = context.runtime(&full) {
            return Ok((datum, &[], ContextLayer::Runtime(writer)));
        }
        let value = context.initial().get(full.as_str()).ok_or(ResolveTrouble::NoName)?;
        return Ok((value.whole(), &[], ContextLayer::Initial));
    }
    match context.unsynced(name) {
        [] => Err(ResolveTrouble::NoName),
        [step] => {
            let result = succeeded(*step, context)?;
            let datum = result.output.field(name).ok_or(ResolveTrouble::NoName)?;
            Ok((datum, path, ContextLayer::Result(*step)))
        }
        several => {
            let shown = |step: &StepIndex| format!("{{{{{}.outputs.{name}}}}}", id(*step, context));
            Err(ResolveTrouble::Several(several.iter().map(shown).collect()))
        }
    }
}

pub(super) fn id(step: StepIndex, context: &Context) -> &str {
    context.id_of(step).map_or("?", |id| id.as_str())
}

/// Returns true if a resolved value must move to a blob before it is journaled.
pub fn is_large(value: &Value) -> bool {
    !text_is_within(value, LARGE_BYTES)
}
