//! Corrects the arguments of a call by the error message of its tool.
//!
//! - in: a call that its tool refused, and the message
//! - out: the only value that can have been meant, by JSON pointer
//! - never: repairs a call that may have taken effect, guesses for a call that is not read-only, or sends a value
//!   that is neither in the task nor in the tool's message

use super::known::known_as;
use crate::call::risk::Risk;
use crate::fault::Fault;
use crate::fault::argument_hints;
use crate::fault::class::FaultClass;
use crate::inputs::Inputs;
use crate::payload::PayloadValue;
use crate::pointer::pointer_to;
use crate::schema::Schema;
use crate::schema::coerce::coerced;
use crate::state::State;
use crate::state::step::Step;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Returns the corrected values by JSON pointer, or `None` if the message is ambiguous.
pub fn heed(
    state: &State,
    step: &Step,
    fault: &Fault,
    inputs: &Inputs<'_>,
) -> Option<BTreeMap<String, Value>> {
    // `ToolFailed` is the only fault that says that the tool was reached and did nothing.
    let Fault::ToolFailed { message, .. } = fault else { return None };
    let refused = RefusedCall::of(state, step, message, inputs)?;
    let class = FaultClass::of(fault);
    let (name, value) = if class == FaultClass::MissingParam {
        refused.filled(state)?
    } else if class == FaultClass::EnumInvalid {
        refused.in_form(&argument_hints::allowed(message)?)?
    } else {
        refused.in_form(&argument_hints::form(message)?)?
    };
    Some(BTreeMap::from([(pointer_to("", name), value)]))
}

/// Returns the parameter that is missing according to the tool's message, or `None` if it was sent.
pub fn missed<'a>(step: &Step, fault: &Fault, schema: &'a Value) -> Option<&'a str> {
    let Fault::ToolFailed { message, .. } = fault else { return None };
    let properties = schema.get("properties")?.as_object()?;
    let name = argument_hints::parameter(message, &names(properties))?;
    let absent = sent(step).is_none_or(|sent| is_absent(sent.get(name)));
    (absent && FaultClass::of(fault) == FaultClass::MissingParam).then_some(name)
}

/// Returns the parameter whose value the tool's message rejects, and a schema of the values that it allows.
pub fn choices<'a>(fault: &Fault, schema: &'a Value) -> Option<(&'a str, Value)> {
    let Fault::ToolFailed { message, .. } = fault else { return None };
    let properties = schema.get("properties")?.as_object()?;
    Some((
        argument_hints::parameter(message, &names(properties))?,
        argument_hints::allowed(message)?,
    ))
}

fn names(properties: &Map<String, Value>) -> Vec<&str> {
    properties.keys().map(String::as_str).collect()
}

fn sent(step: &Step) -> Option<&Map<String, Value>> {
    match step.sent.as_ref()?.arguments.whole() {
        PayloadValue::Value(value) => value.as_object(),
        PayloadValue::InBlob { .. } => None,
    }
}

fn is_absent(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value.is_null() || value.as_str().is_some_and(str::is_empty))
}

/// A call that its tool refused.
struct RefusedCall<'a> {
    properties: &'a Map<String, Value>,
    sent: &'a Map<String, Value>,
    named: Option<&'a str>,
    reads: bool,
}

impl<'a> RefusedCall<'a> {
    fn of(state: &State, step: &'a Step, words: &str, inputs: &Inputs<'a>) -> Option<Self> {
        let schema = inputs.tools.input_schema(&step.plan.tool)?;
        let properties = schema.get("properties")?.as_object()?;
        let risk = state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
        let named = argument_hints::parameter(words, &names(properties));
        Some(Self { properties, sent: sent(step)?, named, reads: risk == Risk::Read })
    }

    /// Returns the missing parameter with the only value that the task knows by its name.
    fn filled(&self, state: &State) -> Option<(&'a str, Value)> {
        let name = self.named.filter(|name| is_absent(self.sent.get(*name)))?;
        let property = self.properties.get(name)?;
        let known = known_as(state, name).filter(|known| !is_absent(Some(known)))?;
        let value = coerced(&known, property, false).unwrap_or(known);
        fits(&value, property).then_some((name, value))
    }

    /// Converts the named argument to the wanted form. If the message names none and the call is read-only, converts
    /// the only argument that can take this form.
    fn in_form(&self, wanted: &Value) -> Option<(&'a str, Value)> {
        let one = |(name, value): (&'a String, &Value)| {
            let value = coerced(value, wanted, self.reads)?;
            fits(&value, self.properties.get(name)?).then_some((name.as_str(), value))
        };
        if let Some(name) = self.named {
            return one(self.sent.get_key_value(name)?);
        }
        let mut found = self.sent.iter().filter(|_| self.reads).filter_map(one);
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }
}

fn fits(value: &Value, property: &Value) -> bool {
    Schema::compile(property).is_ok_and(|schema| schema.errors(value).is_empty())
}
