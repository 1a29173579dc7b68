//! Injects errors into right answers, at random with a seed.
//!
//! - in: a right answer: `{"steps": […]}`, `{"step": {…}}`, `{"parameters": {…}}`, or anything else
//! - out: the text of the answer, with at most one error of each kind
//! - never: injects an error without counting it; an answer without a place for an error stays right

use super::chance::SeededChance;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The probability of each kind of error per answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorRates {
    /// Removes a step of the plan.
    pub drop_step: f64,
    /// Replaces the tool of a step.
    pub wrong_tool: f64,
    /// Changes an argument.
    pub wrong_argument: f64,
    /// Makes the answer invalid JSON.
    pub malformed: f64,
}

impl ErrorRates {
    /// Uses the same probability for every kind of error.
    pub fn all(probability: f64) -> Self {
        Self {
            drop_step: probability,
            wrong_tool: probability,
            wrong_argument: probability,
            malformed: probability,
        }
    }
}

/// The number of injected errors of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Injected {
    /// All answers, right or wrong.
    pub answers: u64,
    /// Removed steps.
    pub drop_step: u64,
    /// Replaced tools.
    pub wrong_tool: u64,
    /// Changed arguments.
    pub wrong_argument: u64,
    /// Answers made invalid JSON.
    pub malformed: u64,
}

impl Injected {
    /// Returns the total number of errors.
    pub fn errors(&self) -> u64 {
        self.drop_step + self.wrong_tool + self.wrong_argument + self.malformed
    }

    /// Returns the numbers by name.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let counts = [
            ("answers", self.answers),
            ("drop_step", self.drop_step),
            ("wrong_tool", self.wrong_tool),
            ("wrong_argument", self.wrong_argument),
            ("malformed", self.malformed),
        ];
        counts.map(|(name, count)| (name.to_owned(), count)).into()
    }
}

/// Injects errors into answers. The same seed gives the same errors in the same answers.
#[derive(Clone, Debug)]
pub struct Degrader {
    rates: ErrorRates,
    chance: SeededChance,
    /// Tools from which a wrong one is chosen, besides those that a request offers.
    tools: Vec<String>,
    injected: Injected,
}

impl Degrader {
    /// Creates a degrader with these error rates.
    pub fn new(rates: ErrorRates, seed: u64) -> Self {
        let (chance, injected) = (SeededChance::of(seed), Injected::default());
        Self { rates, chance, tools: Vec::new(), injected }
    }

    /// Adds tools from which a wrong one is chosen.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Returns the errors injected so far.
    pub fn injected(&self) -> Injected {
        self.injected
    }

    /// Returns the text of the answer, possibly with errors.
    pub fn spoil(&mut self, mut answer: Value, offered: &[String]) -> String {
        self.injected.answers += 1;
        let rates = self.rates;
        let mut count = |happened: bool, of: fn(&mut Injected) -> &mut u64| {
            *of(&mut self.injected) += u64::from(happened);
        };
        let chance = &mut self.chance;
        let happened = chance.happens(rates.drop_step) && drop_step(&mut answer, chance);
        count(happened, |injected| &mut injected.drop_step);
        let tools: Vec<&String> = offered.iter().chain(&self.tools).collect();
        let happened = chance.happens(rates.wrong_tool) && change_tool(&mut answer, &tools, chance);
        count(happened, |injected| &mut injected.wrong_tool);
        let happened = chance.happens(rates.wrong_argument) && change_argument(&mut answer, chance);
        count(happened, |injected| &mut injected.wrong_argument);
        let happened = chance.happens(rates.malformed);
        count(happened, |injected| &mut injected.malformed);
        let text = answer.to_string();
        if happened { break_text(&text, chance) } else { text }
    }
}

/// Removes a step and the dependencies on it. Placeholders in other steps still name it.
fn drop_step(answer: &mut Value, chance: &mut SeededChance) -> bool {
    let Some(steps) = answer.get_mut("steps").and_then(Value::as_array_mut) else { return false };
    if steps.is_empty() {
        return false;
    }
    let dropped = steps.remove(chance.below(steps.len()));
    let name = dropped.get("step_id").cloned().unwrap_or_default();
    for step in steps {
        if let Some(waits) = step.get_mut("depends_on").and_then(Value::as_array_mut) {
            waits.retain(|id| *id != name);
        }
    }
    true
}

/// Returns the steps of an answer: those of `steps`, else the one in `step`.
fn steps(answer: &mut Value) -> Vec<&mut Map<String, Value>> {
    let Some(answer) = answer.as_object_mut() else { return Vec::new() };
    let field = if answer.contains_key("steps") { "steps" } else { "step" };
    match answer.get_mut(field) {
        Some(Value::Array(steps)) => steps.iter_mut().filter_map(Value::as_object_mut).collect(),
        Some(Value::Object(step)) => vec![step],
        _ => Vec::new(),
    }
}

fn change_tool(answer: &mut Value, tools: &[&String], chance: &mut SeededChance) -> bool {
    let mut steps = steps(answer);
    steps.retain(|step| step.get("tool").is_some_and(Value::is_string));
    let chosen = chance.below(steps.len());
    let Some(tool) = steps.get_mut(chosen).and_then(|step| step.get_mut("tool")) else {
        return false;
    };
    let others: Vec<&&String> = tools.iter().filter(|other| tool.as_str() != Some(other)).collect();
    let made_up = || format!("{}_v2", tool.as_str().unwrap_or_default());
    *tool = Value::String(
        others.get(chance.below(others.len())).map_or_else(made_up, |other| (**other).clone()),
    );
    true
}

fn change_argument(answer: &mut Value, chance: &mut SeededChance) -> bool {
    let mut all: Vec<&mut Value> = Vec::new();
    if answer.get("parameters").is_some() {
        all.extend(arguments(answer.as_object_mut()));
    } else {
        all.extend(steps(answer).into_iter().flat_map(|step| arguments(Some(step))));
    }
    let chosen = chance.below(all.len());
    let Some(argument) = all.get_mut(chosen) else { return false };
    **argument = another(argument);
    true
}

fn arguments(step: Option<&mut Map<String, Value>>) -> impl Iterator<Item = &mut Value> {
    let parameters = step.and_then(|step| step.get_mut("parameters")?.as_object_mut());
    parameters.into_iter().flat_map(|parameters| parameters.values_mut())
}

/// Returns a different value, of the same type unless it was null.
fn another(value: &Value) -> Value {
    match value {
        Value::Null => Value::String("wrong".to_owned()),
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.wrapping_add(1).into(),
            None => Value::from(number.as_f64().filter(|it| *it != 0.0).map_or(1.0, |it| it * 2.0)),
        },
        // The suffix goes inside the braces, so that the placeholder stays one and names a field that does not exist.
        Value::String(text) => match text.strip_suffix("}}") {
            Some(begin) => Value::String(format!("{begin}_wrong}}}}")),
            None => Value::String(format!("{text} wrong")),
        },
        Value::Array(items) if items.is_empty() => vec![Value::from("wrong")].into(),
        Value::Array(items) => items.iter().skip(1).cloned().collect(),
        Value::Object(fields) if fields.is_empty() => serde_json::json!({"wrong": true}),
        Value::Object(fields) => {
            Value::Object(fields.iter().skip(1).map(|(k, v)| (k.clone(), v.clone())).collect())
        }
    }
}

/// Damages the text so that a strict parser rejects it as JSON.
fn break_text(text: &str, chance: &mut SeededChance) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|at| *at > 0).collect();
    let place = places.get(chance.below(places.len())).copied().unwrap_or(0);
    let (begin, end) = text.split_at(place);
    match chance.below(3) {
        0 => begin.to_owned(),
        1 => format!("Here is what I would do:\n{begin}"),
        _ => format!("{begin}\u{1}{end}\""),
    }
}

#[cfg(test)]
#[path = "degrade_tests.rs"]
mod tests;
