//! A plan that can be used again: the values of its goal are taken out, and another goal of the same wording fills them in.
//!
//! - in: the goal and the steps of a task that went straight to its end; later another goal
//! - out: the steps with holes; later the steps with what the other goal says in their places
//! - never: keeps a value that the goal said, or guesses which of two equal values was meant

use super::constant::{SchemaConstants, tells, without_placeholders};
use super::promised;
use super::slot::{ValueSlot, place_of};
use super::wording::{alike, wording};
use crate::offline::values::{FoundValue, values};
use praxis_core::journal::case::PlanTemplate;
use praxis_core::planner::{FilledPlan, PlanSetting};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// A plan with more values than these does not come again.
const MOST_SLOTS: usize = 40;
/// What the names of slots begin with.
const SLOT: &str = "slot_";

/// The plan with the values of its goal taken out; none if it cannot be told which value is which.
pub fn template(goal: &str, steps: &[Value], setting: &PlanSetting<'_>) -> Option<PlanTemplate> {
    let mut taking = TemplateTaking { goal, said: values(goal), slots: vec![], constants: vec![] };
    let taken: Vec<Value> =
        steps.iter().map(|step| taking.step(step, setting)).collect::<Option<_>>()?;
    let TemplateTaking { said, slots, constants, .. } = taking;
    let known = SchemaConstants { goal, said: &said, slots: &slots, metadata: setting.metadata };
    let fits = !taken.is_empty() && slots.len() <= MOST_SLOTS;
    if !fits || !constants.iter().all(|constant| known.may_keep(constant)) {
        return None;
    }
    // Two slots at one place are one hole; two places that meet cannot be told apart.
    let hole = |slot: &ValueSlot| slots.iter().position(|other| other.place == slot.place);
    let holes: Vec<usize> = slots.iter().map(hole).collect::<Option<_>>()?;
    let meets = |one: &ValueSlot, other: &ValueSlot| {
        one.place != other.place
            && one.place.start < other.place.end
            && other.place.start < one.place.end
    };
    if slots.iter().any(|one| slots.iter().any(|other| meets(one, other))) {
        return None;
    }
    let names: Vec<String> = holes.iter().map(|hole| name_of(*hole)).collect();
    let places = slots.iter().map(|slot| slot.place.clone());
    let named: Vec<(String, Range<usize>)> = names.iter().cloned().zip(places).collect();
    let written = holes.iter().zip(&slots).enumerate();
    let written = written.map(|(at, (hole, slot))| (name_of(at), slot.written(&name_of(*hole))));
    let mut template = PlanTemplate {
        steps: taken,
        slots: written.collect(),
        wording: wording(goal, &named),
        metadata: setting.metadata.keys().cloned().collect(),
        promise: setting.promise.as_ref().and_then(|said| promised::opened(said, &names, &known)),
    };
    // What does not give the plan back is no template of it.
    if filled(&template, goal).is_none_or(|filled| filled.steps != steps) {
        return None;
    }
    for step in &mut template.steps {
        drop_telling_name(step, &known);
    }
    Some(template)
}

fn name_of(slot: usize) -> String {
    format!("{SLOT}{}", slot + 1)
}

/// Words for people may say a value of the goal too.
fn drop_telling_name(step: &mut Value, known: &SchemaConstants<'_>) {
    let name = step.get("step_name").and_then(Value::as_str).unwrap_or_default();
    let told = known.texts().any(|text| tells(name, &text));
    if let Some(step) = step.as_object_mut().filter(|_| told) {
        step.remove("step_name");
    }
}

struct TemplateTaking<'a> {
    goal: &'a str,
    said: Vec<FoundValue>,
    slots: Vec<ValueSlot>,
    /// What is neither of the goal nor of the schemas.
    constants: Vec<Value>,
}

impl TemplateTaking<'_> {
    fn step(&mut self, step: &Value, setting: &PlanSetting<'_>) -> Option<Value> {
        let mut step = step.as_object()?.clone();
        let tool = step.get("tool").and_then(Value::as_str)?;
        let schema = setting.tools.get(tool).map(|tool| &tool.input_schema);
        let parameters = step.get("parameters").cloned().unwrap_or_else(|| json!({}));
        let taken = self.take(&parameters, schema)?;
        step.insert("parameters".to_owned(), taken);
        Some(Value::Object(step))
    }

    /// A value with what the goal said taken out; none if two places of the goal say the same.
    fn take(&mut self, value: &Value, schema: Option<&Value>) -> Option<Value> {
        if value.as_str().is_some_and(|text| text.contains(&format!("{{{{{SLOT}"))) {
            return None;
        }
        if let Some(slot) = place_of(self.goal, &self.said, value)? {
            return Some(Value::String(format!("{{{{{}}}}}", self.name_for(slot))));
        }
        Some(match value {
            Value::Array(items) => {
                let inner = schema.and_then(|schema| schema.get("items"));
                let items = items.iter().map(|item| self.take(item, inner));
                Value::Array(items.collect::<Option<_>>()?)
            }
            Value::Object(fields) => {
                let known = schema.and_then(|schema| schema.get("properties"));
                let mut taken = Map::new();
                for (name, field) in fields {
                    let inner = known.and_then(|known| known.get(name));
                    taken.insert(name.clone(), self.take(field, inner)?);
                }
                Value::Object(taken)
            }
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(_) | Value::String(_) => {
                if !is_in_schema(value, schema) {
                    self.constants.push(value.clone());
                }
                value.clone()
            }
        })
    }

    fn name_for(&mut self, slot: ValueSlot) -> String {
        let known = self.slots.iter().position(|known| *known == slot);
        let at = known.unwrap_or_else(|| {
            self.slots.push(slot);
            self.slots.len() - 1
        });
        name_of(at)
    }
}

/// Whether the schema itself has a value: as one of a few, or where none is given.
fn is_in_schema(value: &Value, schema: Option<&Value>) -> bool {
    let Some(schema) = schema else { return false };
    let one_of = schema.get("enum").and_then(Value::as_array);
    one_of.is_some_and(|all| all.contains(value))
        || [schema.get("default"), schema.get("const")].contains(&Some(value))
}

/// The plan for another goal: none if it is worded otherwise, or says something of another kind.
pub fn filled(template: &PlanTemplate, goal: &str) -> Option<FilledPlan> {
    let places = alike(&template.wording, goal)?;
    let said = values(goal);
    let value = |(name, written): (&String, &Value)| {
        let (slot, hole) = ValueSlot::read(written, name)?;
        let place = places.iter().find(|(found, _)| *found == hole).map(|(_, place)| place)?;
        Some((name.clone(), slot.value(&said, goal, place)?))
    };
    let known: BTreeMap<String, Value> = template.slots.iter().map(value).collect::<Option<_>>()?;
    let texts = places
        .iter()
        .filter_map(|(name, place)| Some((name.clone(), goal.get(place.clone())?.to_owned())));
    let texts: BTreeMap<String, String> = texts.collect();
    Some(FilledPlan {
        steps: template.steps.iter().map(|step| put(step, &known)).collect(),
        promise: template.promise.as_ref().map(|promise| promised::closed(promise, &texts)),
    })
}

/// The plan as it stands, for any goal: none if it says something of its own one.
pub fn as_it_stands(template: &PlanTemplate) -> Option<FilledPlan> {
    let open = is_open(template) && template.promise.as_ref().is_none_or(is_of_others);
    let promise = template.promise.clone().filter(|_| open);
    is_open(template).then(|| FilledPlan { steps: template.steps.clone(), promise })
}

/// Whether a plan has nothing in it but metadata, earlier outputs, and yes or no.
fn is_open(template: &PlanTemplate) -> bool {
    let mut parameters = template.steps.iter().map(|step| step.get("parameters"));
    template.slots.is_empty() && parameters.all(|all| all.is_none_or(is_of_others))
}

fn is_of_others(value: &Value) -> bool {
    match value {
        Value::String(text) => without_placeholders(text).trim().is_empty(),
        Value::Array(items) => items.iter().all(is_of_others),
        Value::Object(fields) => fields.values().all(is_of_others),
        Value::Null | Value::Bool(_) => true,
        Value::Number(_) => false,
    }
}

fn put(value: &Value, known: &BTreeMap<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let name = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}"));
            name.and_then(|name| known.get(name)).unwrap_or(value).clone()
        }
        Value::Array(items) => items.iter().map(|item| put(item, known)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), put(field, known))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
