//! Whether a plan is a right one.
//!
//! - the steps in any order that references and `after` allow; neither more nor fewer
//! - arguments as they are named; what is not named is left out, has its default, or is required and free
//! - files by path, numbers by value

use super::case::ExpectedStep;
use super::laid::{Laid, LaidStep};
use praxis_core::call::tool::Toolbox;
use praxis_core::schema::required;
use serde_json::Value;
use std::collections::BTreeSet;

/// A right plan and the one that was made.
#[derive(Clone, Copy)]
pub(crate) struct PlanPair<'a> {
    pub(crate) right: &'a [ExpectedStep],
    pub(crate) made: &'a Laid,
    pub(crate) tools: &'a Toolbox,
    /// What may be left out, because it is asked for.
    pub(crate) open: &'a BTreeSet<String>,
    /// What must be left out where it is not named, because nobody said it.
    pub(crate) unsaid: &'a BTreeSet<String>,
}

/// Which made step stands for each step of the right plan.
pub(crate) type StepMatching = Vec<usize>;

impl PlanPair<'_> {
    /// All ways to tell the steps apart by their tools; none if the plans do not call the same ones.
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

    /// Whether all is right if the steps are told apart so.
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

    /// Whether an argument that is not named may be what it is.
    fn may(&self, made: &LaidStep, name: &str, value: &Value) -> bool {
        let Some(tool) = self.tools.get(&made.tool) else { return false };
        let schema = tool.input_schema.get("properties").and_then(|all| all.get(name));
        let default = schema.and_then(|schema| schema.get("default"));
        let is_free = !self.unsaid.contains(name);
        is_free && required(&tool.input_schema).any(|it| it == name)
            || default.is_some_and(|default| equal(value, default))
            || self.made.defaults.iter().any(|default| equal(value, default))
    }

    /// Whether an argument is the one that is right; at any depth a field that is not named may have its default.
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

    /// `{{2.outputs.x}}` as the made plan writes it.
    fn written(&self, right: &str, taken: &StepMatching) -> Option<String> {
        let inner = right.strip_prefix("{{")?;
        let (number, rest) = inner.split_once('.')?;
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let made = self.made.steps.get(*taken.get(at)?)?;
        Some(format!("{{{{{}.{rest}", made.id))
    }

    /// Whether a step comes behind another one of the right plan.
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

/// Whether a field inside an argument that is not named has its default: `direction` is the only one that built-in tools have.
fn is_default(key: &str, fields: &serde_json::Map<String, Value>) -> bool {
    key == "direction" && fields.get(key).is_some_and(|value| value == "ascending")
}

fn path(text: &str) -> &str {
    text.strip_prefix("./").unwrap_or(text)
}

/// Whether two values are the same as a whole; numbers by value.
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
