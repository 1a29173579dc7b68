//! Makes templates of plans: the values of the goal become slots, which another goal of the same wording fills.
//!
//! - in: the goal and the steps of a task that succeeded without repair or replan; later another goal
//! - out: the steps with slots; later the steps with the values of the other goal
//! - never: keeps a value that the goal stated, or guesses which of two equal values was meant

use super::constant::{ConstantCheck, tells, without_placeholders};
use super::promised;
use super::slot::{ValueSlot, place_of};
use super::wording::{alike, wording};
use crate::offline::values::{FoundValue, values};
use praxis_core::journal::case::PlanTemplate;
use praxis_core::planner::{FilledPlan, PlanSetting};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// The maximum number of slots of a template.
const MOST_SLOTS: usize = 40;
/// The prefix of slot names.
const SLOT: &str = "slot_";

/// Replaces the values of the goal in a plan by slots; `None` if the values cannot be identified.
pub fn template(goal: &str, steps: &[Value], setting: &PlanSetting<'_>) -> Option<PlanTemplate> {
    let mut taking = TemplateTaking { goal, said: values(goal), slots: vec![], constants: vec![] };
    let taken: Vec<Value> =
        steps.iter().map(|step| taking.step(step, setting)).collect::<Option<_>>()?;
    let TemplateTaking { said, slots, constants, .. } = taking;
    let known = ConstantCheck { goal, said: &said, slots: &slots, metadata: setting.metadata };
    let fits = !taken.is_empty() && slots.len() <= MOST_SLOTS;
    if !fits || !constants.iter().all(|constant| known.may_keep(constant)) {
        return None;
    }
    // Slots at the same position share one hole. Positions that overlap cannot be separated.
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
    // A template must reproduce its own plan.
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

/// Removes a step name that contains a value of the goal.
fn drop_telling_name(step: &mut Value, known: &ConstantCheck<'_>) {
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
    /// Values that come neither from the goal nor from the schemas.
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

    /// Replaces values of the goal by slots; `None` if the goal states a value twice.
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

/// Returns true if the schema contains a value as `enum`, `default` or `const`.
fn is_in_schema(value: &Value, schema: Option<&Value>) -> bool {
    let Some(schema) = schema else { return false };
    let one_of = schema.get("enum").and_then(Value::as_array);
    one_of.is_some_and(|all| all.contains(value))
        || [schema.get("default"), schema.get("const")].contains(&Some(value))
}

/// Fills a plan for another goal; `None` if that goal is worded differently or has values of another kind.
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

/// Returns the plan unchanged, for any goal; `None` if it has values of its own goal.
pub fn as_it_stands(template: &PlanTemplate) -> Option<FilledPlan> {
    let open = is_open(template) && template.promise.as_ref().is_none_or(is_of_others);
    let promise = template.promise.clone().filter(|_| open);
    is_open(template).then(|| FilledPlan { steps: template.steps.clone(), promise })
}

/// Returns true if the parameters of a plan contain only metadata, earlier outputs, booleans and null.
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
