//! Fills the parameters of a step before it starts, from values that the task knows, or by asking for the rest.
//!
//! - in: a step whose missing parameters are to be filled, and the schema of its call
//! - out: the start of the step, the values that were found, or a question for the values that are not known
//! - never: starts a step whose input is incomplete or invalid, or asks for optional parameters

use super::started::started;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{Hole, MissingValue, OnUnresolved, blobs_needed, is_large, resolve};
use crate::dataflow::scope::{NameScope, path_of};
use crate::dataflow::template::{ParameterTemplate, PlaceholderTarget};
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::ids::{BlobId, StepId, ToolId};
use crate::inputs::Inputs;
use crate::intake::plan::PlannedStep;
use crate::journal::event::Event;
use crate::journal::question::{AnswerForm, QuestionSubject};
use crate::journal::slot::FilledSlot;
use crate::journal::slot::SlotSource;
use crate::mask::masked_under;
use crate::payload::{Payload, PayloadValue};
use crate::pointer::Pointer;
use crate::recover::known::known_as;
use crate::schema::Schema;
use crate::slot::coerce::coerced;
use crate::slot::defaults::with_defaults;
use crate::slot::from_text::said;
use crate::slot::merge::merge;
use crate::slot::normalise::normalised;
use crate::slot::patch::whole_arguments;
use crate::slot::remaining::remaining;
use crate::stage::question::question;
use crate::state::State;
use crate::state::complaints::rejected_parameters;
use crate::state::step::Step;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The flow input that holds the user's request.
const QUESTION: &str = "question";

/// The confidence, out of 100, of a value that a model found.
const BY_A_MODEL: u32 = 60;
/// The confidence of a value that a model guessed.
const BY_GUESS: u32 = 30;
/// The call that looks for values.
pub const LOOK: &str = "Slot";
/// The id of the step that makes this call inside the step to be filled.
const FILL: &str = "fill";
/// The largest number of characters of one known value in the context for the model.
const KNOWN_CHARS: usize = 600;
/// The largest number of step outputs in the context for the model (the latest ones), and of initial values.
const MOST_KNOWN: usize = 50;

/// Asks a person for the parameters that a tool rejected.
pub fn ask_again(state: &State, index: StepIndex, inputs: &Inputs<'_>) -> Option<Event> {
    let step = state.step_at(index)?;
    let fault = step.fault.clone()?;
    let known = KnownParameters::of(state, step, inputs);
    let fields = rejected_parameters(state, step, &fault).into_iter().map(|at| {
        let schema = crate::schema::schema_at(&known.schema, &at).cloned();
        (at, schema.unwrap_or(Value::Bool(true)))
    });
    let about = QuestionSubject::Param { fault, fields: fields.collect(), form: known.form() };
    Some(question(state, Some(step.plan.id.clone()), about))
}

/// The known parameters of a step, and those that could not be resolved.
struct KnownParameters<'a> {
    state: &'a State,
    step: &'a Step,
    schema: Value,
    data: Value,
    holes: Vec<Hole>,
    misses: Vec<MissingValue>,
}

/// Returns the schema of a step's parameters: the schema of its call, merged with the node's overrides.
pub fn schema_of(step: &Step, inputs: &Inputs<'_>) -> Value {
    let written = inputs.tools.input_schema(&step.plan.tool).cloned();
    let written = written.unwrap_or_else(|| serde_json::json!({"type": "object"}));
    let overrides = step.plan.node.as_ref().map(|node| &node.input);
    match overrides.filter(|overrides| !overrides.is_empty()) {
        Some(overrides) => merge(&written, overrides).unwrap_or(written),
        None => normalised(&written),
    }
}

/// Returns the start of a step, or the event that must come first: filled values, a `Slot` step, a question or a
/// refusal.
pub fn start(state: &State, step: &Step, inputs: &Inputs<'_>) -> Event {
    let known = KnownParameters::of(state, step, inputs);
    let asked = known.asked();
    if asked.is_empty() {
        return started(step, None, Payload::json(known.data), known.holes);
    }
    let found = known.found(&asked);
    if !found.is_empty() {
        return known.filled(found);
    }
    if !step.was_filled && state.step_model().is_some() && known.can_be_looked_for(&asked) {
        let steps = vec![known.look(&asked)];
        return Event::StepsAdded { step: step.plan.id.clone(), steps };
    }
    known.question(asked)
}

/// Returns the event with the values that the `Slot` step found. Finding nothing is recorded too.
pub fn found(state: &State, owner: StepIndex, inputs: &Inputs<'_>) -> Option<Event> {
    let step = state.step_at(owner)?;
    let frame = state.frames.get(&owner)?;
    let result = frame.steps.first().and_then(|look| state.context.result(*look));
    let output = result.filter(|result| result.is_success).map(|result| &result.output);
    let output = output.and_then(|output| match output.whole() {
        PayloadValue::Value(value) => Some(value.clone()),
        PayloadValue::InBlob { stored, .. } => {
            inputs.blobs.get(&stored.blob).map(|it| Value::clone(it))
        }
    });
    let field = |name: &str| output.as_ref()?.get(name).cloned();
    let (data, fields) = (field("slot_data").unwrap_or_default(), field("filled_fields"));
    let fields: Vec<String> =
        fields.and_then(|fields| serde_json::from_value(fields).ok()).unwrap_or_default();
    let (source, confidence) = if step.may_be_guessed {
        (SlotSource::Guess, BY_GUESS)
    } else {
        (SlotSource::Model, BY_A_MODEL)
    };
    let slot = |place: String| {
        let value = data.pointer(&place).cloned()?;
        Some((Pointer::new(place), FilledSlot { value, source: source.clone(), confidence }))
    };
    let known = KnownParameters::of(state, step, inputs);
    // The model cannot change parameters that were not asked for.
    let asked = known.asked();
    let fields = fields.into_iter().filter(|at| asked.contains_key(&Pointer::new(at.clone())));
    Some(known.filled(fields.filter_map(slot).collect()))
}

/// Returns the blobs that must be loaded before [`found`] is called.
pub fn needs(state: &State, owner: StepIndex) -> Vec<BlobId> {
    let (Some(step), Some(frame)) = (state.step_at(owner), state.frames.get(&owner)) else {
        return vec![];
    };
    let results = frame.steps.iter().filter_map(|look| state.context.result(*look));
    let found = results.filter_map(|result| result.output.blob().cloned());
    found.chain(blobs_needed(&step.template, &state.context)).collect()
}

impl<'a> KnownParameters<'a> {
    fn of(state: &'a State, step: &'a Step, inputs: &Inputs<'_>) -> Self {
        let schema = schema_of(step, inputs);
        let mut known =
            Self { state, step, schema, data: Value::Null, holes: vec![], misses: vec![] };
        known.resolve(inputs);
        known
    }

    /// Resolves every parameter whose placeholders have a value, and collects the misses.
    fn resolve(&mut self, inputs: &Inputs<'_>) {
        let context = &self.state.context;
        let mut look_up = |template: &ParameterTemplate| match resolve(
            template,
            context,
            inputs.blobs,
            OnUnresolved::Error,
        ) {
            Ok(resolved) => {
                self.holes.extend(resolved.holes);
                Some(resolved.value)
            }
            Err(misses) => {
                self.misses.extend(misses);
                None
            }
        };
        self.data = match &self.step.template {
            ParameterTemplate::Object(entries) => {
                let entry =
                    |(key, part): &(String, ParameterTemplate)| Some((key.clone(), look_up(part)?));
                Value::Object(entries.iter().filter_map(entry).collect())
            }
            whole @ (ParameterTemplate::Literal(_)
            | ParameterTemplate::Whole(_)
            | ParameterTemplate::Text(_)
            | ParameterTemplate::Array(_)) => look_up(whole).unwrap_or_default(),
        };
    }

    /// Returns the parameters that are missing or invalid, with their schemas. Values in blobs are not checked here.
    fn asked(&self) -> BTreeMap<Pointer, Value> {
        let in_blob = |place: &Pointer| {
            let mut holes = self.holes.iter().map(|hole| Pointer::new(hole.at.to_string()));
            holes.any(|hole| hole == *place || hole.holds(place))
        };
        let mut asked = remaining(&self.schema, &self.data);
        // The whole object is invalid while a part of it is missing. Ask only for that part.
        let part_is_missing = !self.misses.is_empty();
        let is_settled =
            |place: &Pointer| in_blob(place) || (part_is_missing && place.as_str().is_empty());
        asked.retain(|place, _| !is_settled(place));
        for miss in &self.misses {
            let here = Pointer::new(miss.pointer.clone());
            let covered = asked.keys().any(|place| *place == here || place.holds(&here));
            if !covered {
                let schema = crate::schema::schema_at(&self.schema, &miss.pointer);
                asked.insert(here, schema.cloned().unwrap_or(Value::Bool(true)));
            }
        }
        asked
    }

    /// Returns true if a placeholder at `place` refers to a step's output. The step gave no such value, so a value
    /// that merely has the same name must not replace it.
    fn names_a_step(&self, place: &Pointer) -> bool {
        let mut names = false;
        self.step.template.each_placeholder(&mut |placeholder| {
            let of_a_step = match &placeholder.target {
                PlaceholderTarget::Output { .. }
                | PlaceholderTarget::Field { .. }
                | PlaceholderTarget::UnknownStep { .. } => true,
                PlaceholderTarget::Name { .. }
                | PlaceholderTarget::Variable { .. }
                | PlaceholderTarget::Initial { .. }
                | PlaceholderTarget::Malformed(_) => false,
            };
            let here = Pointer::new(placeholder.pointer.to_string());
            names |= of_a_step && (here == *place || place.holds(&here));
        });
        names
    }

    /// Returns the values that can be found without asking: by name, in the user's text, or as a default.
    fn found(&self, asked: &BTreeMap<Pointer, Value>) -> BTreeMap<Pointer, FilledSlot> {
        let by_default = with_defaults(&self.schema, &self.data);
        let said = self.words().map(|text| said(asked, &text)).unwrap_or_default();
        let one = |(place, schema): (&Pointer, &Value)| {
            let is_new = !self.step.given.contains_key(place.as_str());
            let may_be_found = is_new && !self.names_a_step(place);
            let named = || self.named(place, schema);
            let in_words = || {
                let value = said.get(place)?.clone();
                Some(FilledSlot { value, source: SlotSource::Said, confidence: 80 })
            };
            let default = || {
                let value = by_default.data.pointer(place.as_str()).cloned()?;
                let is_default = by_default.by_default.contains_key(place);
                is_default.then_some(FilledSlot {
                    value,
                    source: SlotSource::Default,
                    confidence: 100,
                })
            };
            let slot = named().or_else(in_words).or_else(default).filter(|_| may_be_found)?;
            Some((place.clone(), slot))
        };
        asked.iter().filter_map(one).collect()
    }

    /// Returns the value that the task knows under the parameter's name, if it fits the schema.
    fn named(&self, place: &Pointer, schema: &Value) -> Option<FilledSlot> {
        let name = place.name();
        let (value, source, confidence) = self.look_up(&name)?;
        let fits = Schema::with_formats(schema).is_ok_and(|schema| schema.fits(&value));
        let value = if fits {
            value
        } else {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            coerced(schema, &text)?
        };
        Some(FilledSlot { value, source, confidence })
    }

    fn look_up(&self, name: &str) -> Option<(Value, SlotSource, u32)> {
        let (context, path) = (&self.state.context, path_of(self.step.plan.id.as_str()));
        let at_hand = |datum: PayloadValue<'_>| match datum {
            PayloadValue::Value(value) => Some(value.clone()),
            PayloadValue::InBlob { .. } => None,
        };
        let owned = || name.to_owned();
        if let Some(frame) =
            NameScope::within(context, path).frame_of(name).filter(|f| !f.is_empty())
        {
            let value = context.variables(frame)?.get(name).and_then(at_hand)?;
            return Some((value, SlotSource::Variable { name: owned() }, 95));
        }
        if let Some(value) = context.initial().get(name).map(Payload::whole).and_then(at_hand) {
            return Some((value, SlotSource::Metadata { name: owned() }, 95));
        }
        if let Some((value, step)) = self.beside(name) {
            return Some((value, SlotSource::Output { step }, 85));
        }
        known_as(self.state, name).map(|value| (value, SlotSource::Alike, 70))
    }

    /// Returns the value that steps of the same frame gave under this name, if they all agree.
    fn beside(&self, name: &str) -> Option<(Value, String)> {
        let owner = self.step.frame?;
        let frame = self.state.frames.get(&owner)?;
        let gave = |index: &StepIndex| {
            let result = self.state.context.result(*index).filter(|result| result.is_success)?;
            match result.output.field(name)? {
                PayloadValue::Value(value) => Some((value.clone(), result.step_id.to_string())),
                PayloadValue::InBlob { .. } => None,
            }
        };
        let mut found = frame.steps.iter().filter_map(gave);
        let first = found.next()?;
        found.all(|(value, _)| value == first.0).then_some(first)
    }

    /// Returns true if a model may look for the values. It cannot look for a value that a placeholder should have
    /// resolved to, and data that is too large for one journal entry is not sent.
    fn can_be_looked_for(&self, asked: &BTreeMap<Pointer, Value>) -> bool {
        if is_large(&self.data) {
            return false;
        }
        let is_missed = |place: &Pointer| {
            let mut misses = self.misses.iter().map(|miss| Pointer::new(miss.pointer.clone()));
            misses.any(|miss| miss == *place || place.holds(&miss))
        };
        asked.keys().any(|place| !is_missed(place))
    }

    /// Builds the step that asks the model. Its parameters are literal, without placeholders.
    fn look(&self, asked: &BTreeMap<Pointer, Value>) -> PlannedStep {
        let asked: Vec<&str> = asked.keys().map(Pointer::as_str).collect();
        let mut parameters = Map::new();
        parameters.insert("schema".to_owned(), self.schema.clone());
        parameters.insert("data".to_owned(), self.data.clone());
        parameters.extend(self.words().map(|text| ("text".to_owned(), Value::from(text))));
        parameters.insert("context".to_owned(), self.told());
        if self.step.may_be_guessed {
            parameters.insert("guess".to_owned(), Value::Bool(true));
        }
        let id = match self.step.fills {
            0 => StepId::from(FILL),
            before => StepId::from(format!("{FILL}_{}", before + 1)),
        };
        PlannedStep::literal(id, asked.join(", "), ToolId::from(LOOK), Value::Object(parameters))
    }

    /// Returns the values that the task knows, for the prompt: each one cut, secrets masked.
    fn told(&self) -> Value {
        let context = &self.state.context;
        let shown = |name: &str, datum: PayloadValue<'_>| {
            let text = match datum {
                PayloadValue::Value(value) => masked_under(name, value).to_string(),
                PayloadValue::InBlob { stored, .. } => stored.preview.clone(),
            };
            Value::from(text.chars().take(KNOWN_CHARS).collect::<String>())
        };
        let given = context.initial().iter().take(MOST_KNOWN);
        let given = given.map(|(name, it)| (name.to_string(), shown(name, it.whole())));
        let frame = self.step.frame.and_then(|owner| self.state.frames.get(&owner));
        let beside: Vec<StepIndex> = match frame {
            Some(frame) => frame.steps.clone(),
            None => (0..self.state.steps.len()).map(StepIndex::at).collect(),
        };
        let results = beside.into_iter().rev().filter_map(|index| context.result(index));
        let gave = results.filter(|result| result.is_success).take(MOST_KNOWN);
        let gave =
            gave.map(|result| (result.step_id.to_string(), shown("", result.output.whole())));
        Value::Object(given.chain(gave).collect())
    }

    /// Returns the user's request, if the flow has one.
    fn words(&self) -> Option<String> {
        self.state.context.initial().get(QUESTION).and_then(|said| match said.whole() {
            PayloadValue::Value(Value::String(text)) => Some(text.clone()),
            PayloadValue::Value(_) | PayloadValue::InBlob { .. } => None,
        })
    }

    fn filled(&self, found: BTreeMap<Pointer, FilledSlot>) -> Event {
        let answers = found.iter().map(|(place, slot)| (place.clone(), slot.value.clone()));
        let arguments = whole_arguments(&self.schema, &self.data, &answers.collect());
        let values = found.into_iter().map(|(place, slot)| (place.as_str().to_owned(), slot));
        let step = self.step.plan.id.clone();
        Event::SlotsFilled { step, values: values.collect(), arguments }
    }

    /// Returns the schema and data that an answer is merged into, if they are small enough for the journal.
    fn form(&self) -> Option<Box<AnswerForm>> {
        let form = || AnswerForm { schema: self.schema.clone(), known: self.data.clone() };
        (!is_large(&self.data)).then(form).map(Box::new)
    }

    fn question(&self, asked: BTreeMap<Pointer, Value>) -> Event {
        let fault = if self.misses.is_empty() {
            let missing = |place: &Pointer| {
                let words = match self.data.pointer(place.as_str()) {
                    Some(_) => ("the value does not fit", "值不符合要求"),
                    None => ("the value is missing", "缺少值"),
                };
                FieldError::new(place.as_str(), words)
            };
            Fault::ParamsInvalid { errors: asked.keys().map(missing).collect() }
        } else {
            Fault::UnresolvedPlaceholder { misses: self.misses.clone() }
        };
        let ask = self.state.submission.as_ref().map(|s| s.options.on_unresolved);
        if ask != Some(OnUnresolved::Ask) {
            return Event::StepRefused { step: self.step.plan.id.clone(), fault };
        }
        let fields = asked.into_iter().map(|(place, schema)| (place.as_str().to_owned(), schema));
        let (fields, form) = (fields.collect(), self.form());
        question(
            self.state,
            Some(self.step.plan.id.clone()),
            QuestionSubject::Param { fault, fields, form },
        )
    }
}
