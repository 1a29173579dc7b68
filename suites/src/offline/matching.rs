//! Decides if a plan matches a right one.
//!
//! - the steps in any order that references and `after` allow; neither more nor fewer
//! - the expected arguments as given; any other argument is left out, has its default, or is required and then free
//! - files equal by path, numbers by value

use super::case::ExpectedStep;
use super::laid::{Laid, LaidStep};
use praxis_core::call::tool::Toolbox;
use praxis_core::schema::required;
use serde_json::Value;
use std::collections::BTreeSet;

/// A right plan and the plan that was made.
#[derive(Clone, Copy)]
pub(crate) struct PlanPair<'a> {
    pub(crate) right: &'a [ExpectedStep],
    pub(crate) made: &'a Laid,
    pub(crate) tools: &'a Toolbox,
    /// Parameters that may be left out, because the user is asked for them.
    pub(crate) open: &'a BTreeSet<String>,
    /// Parameters that must be left out unless they are expected, because the goal does not say them.
    pub(crate) unsaid: &'a BTreeSet<String>,
}

/// For each step of the right plan, the index of the made step that it is matched with.
pub(crate) type StepMatching = Vec<usize>;

impl PlanPair<'_> {
    /// Returns all one-to-one assignments of steps with equal tools; empty if the plans do not call the same tools.
    pub(crate) fn ways(&self) -> Vec<StepMatching> {
        if self.right.len() != self.made.steps.len() {
            return vec![];
        }
        let mut ways = vec![vec![]];
        for step in self.right {
            let longer = |way: &StepMatching| {
                let way = way.clone();
                let free =
                    self.made.steps.iter().enumerate().filter(|(_, made)| made.tool == step.tool);
                let free: Vec<usize> =
                    free.map(|(at, _)| at).filter(|at| !way.contains(at)).collect();
                free.into_iter().map(move |at| way.iter().copied().chain([at]).collect())
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        ways
    }

    /// Returns true if the plan is right under this assignment.
    pub(crate) fn fits(&self, taken: &StepMatching) -> bool {
        self.right.iter().zip(taken).all(|(step, at)| {
            let Some(made) = self.made.steps.get(*at) else { return false };
            let named = step.with.iter().all(|(name, value)| {
                let made = made.arguments.get(name);
                made.is_none() && self.open.contains(name)
                    || made.is_some_and(|made| self.same(made, value, taken))
            });
            let others = made.arguments.iter().filter(|(name, _)| !step.with.contains_key(*name));
            let free = others.into_iter().all(|(name, value)| self.may(made, name, value));
            named && free && step.after.iter().all(|before| self.comes_behind(made, *before, taken))
        })
    }

    /// Returns true if an argument that the right plan does not mention may have this value.
    fn may(&self, made: &LaidStep, name: &str, value: &Value) -> bool {
        let Some(tool) = self.tools.get(&made.tool) else { return false };
        let schema = tool.input_schema.get("properties").and_then(|all| all.get(name));
        let default = schema.and_then(|schema| schema.get("default"));
        let is_free = !self.unsaid.contains(name);
        is_free && required(&tool.input_schema).any(|it| it == name)
            || default.is_some_and(|default| equal(value, default))
            || self.made.defaults.iter().any(|default| equal(value, default))
    }

    /// Returns true if an argument has the expected value; at any depth, fields that are not expected may have their
    /// default.
    fn same(&self, made: &Value, right: &Value, taken: &StepMatching) -> bool {
        match (made, right) {
            (Value::Array(made), Value::Array(right)) => {
                let mut pairs = made.iter().zip(right);
                made.len() == right.len()
                    && pairs.all(|(made, right)| self.same(made, right, taken))
            }
            (Value::Object(made), Value::Object(right)) => {
                let named = right.iter().all(|(key, right)| {
                    made.get(key).is_some_and(|made| self.same(made, right, taken))
                });
                named && made.keys().all(|key| right.contains_key(key) || is_default(key, made))
            }
            (Value::String(made), Value::String(right)) => match self.written(right, taken) {
                Some(reference) => *made == reference,
                None => path(made) == path(right),
            },
            _ => equal(made, right),
        }
    }

    /// Rewrites a reference such as `{{2.outputs.x}}` with the step id of the made plan.
    fn written(&self, right: &str, taken: &StepMatching) -> Option<String> {
        let inner = right.strip_prefix("{{")?;
        let (number, rest) = inner.split_once('.')?;
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let made = self.made.steps.get(*taken.get(at)?)?;
        Some(format!("{{{{{}.{rest}", made.id))
    }

    /// Returns true if a step depends, directly or indirectly, on the step numbered `before` in the right plan.
    fn comes_behind(&self, made: &LaidStep, before: usize, taken: &StepMatching) -> bool {
        let wanted = before.checked_sub(1).and_then(|at| self.made.steps.get(*taken.get(at)?));
        let Some(wanted) = wanted else { return false };
        let mut open: Vec<&str> = made.after.iter().map(String::as_str).collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(id) = open.pop() {
            let step = self.made.steps.iter().find(|step| step.id == id);
            if seen.insert(id) {
                open.extend(step.into_iter().flat_map(|step| &step.after).map(String::as_str));
            }
        }
        seen.contains(wanted.id.as_str())
    }
}

/// Returns true if a nested field has its default: `direction` is the only such field of the built-in tools.
fn is_default(key: &str, fields: &serde_json::Map<String, Value>) -> bool {
    key == "direction" && fields.get(key).is_some_and(|value| value == "ascending")
}

fn path(text: &str) -> &str {
    text.strip_prefix("./").unwrap_or(text)
}

/// Returns true if two values are equal as a whole; numbers are compared by value.
pub(crate) fn equal(made: &Value, right: &Value) -> bool {
    match (made, right) {
        (Value::Number(made), Value::Number(right)) => match (made.as_f64(), right.as_f64()) {
            (Some(made), Some(right)) => (made - right).abs() <= 1e-9 * right.abs().max(1.0),
            _ => made == right,
        },
        (Value::Array(made), Value::Array(right)) => {
            made.len() == right.len()
                && made.iter().zip(right).all(|(made, right)| equal(made, right))
        }
        (Value::Object(made), Value::Object(right)) => {
            let same = |(key, right)| made.get(key).is_some_and(|made| equal(made, right));
            made.len() == right.len() && right.iter().all(same)
        }
        _ => made == right,
    }
}
