//! Whether a plan is right, as far as that can be said before it runs.
//!
//! - the steps in any order that references and `after` allow; neither more nor fewer
//! - arguments as they are named; what is not named is left out, has its default, or is required and free
//! - files by path, numbers by value

use super::case::{Case, Step, Word};
use super::laid::{Laid, LaidStep};
use praxis_core::call::manifest::Toolbox;
use praxis_core::call::schema::required;
use serde_json::Value;
use std::collections::BTreeSet;

/// What is right of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) outcome: bool,
    pub(crate) tools: bool,
    pub(crate) whole: bool,
}

/// Judges a plan.
pub(crate) fn judge(case: &Case, laid: &Laid, tools: &Toolbox) -> Verdict {
    let expect = &case.expect;
    if expect.outcome == Word::NoPlan {
        // To ask what is meant is as right; to do something is always wrong.
        let right = laid.outcome != Word::Ready;
        return Verdict { outcome: right, tools: right, whole: right };
    }
    let wanted: BTreeSet<&String> = expect.asks.iter().collect();
    let asked: BTreeSet<&String> = laid.asks.iter().collect();
    // In the class `wrong` it is as right to ask for one of these before.
    let asks_before = expect.outcome == Word::Ready
        && laid.outcome == Word::NeedParams
        && asked.is_subset(&wanted);
    let outcome = laid.outcome == expect.outcome || asks_before;
    let asks = asks_before || laid.outcome == Word::Ready || asked == wanted;
    let made = sorted(laid.steps.iter().map(|step| step.tool.as_str()));
    let same = |steps: &Vec<Step>| sorted(steps.iter().map(|step| step.tool.as_str())) == made;
    let fits = |steps: &Vec<Step>| {
        let pair = Match { steps, laid, tools, open: &asked };
        pair.holds(&mut vec![])
    };
    Verdict {
        outcome,
        tools: expect.plans().any(same),
        whole: outcome && asks && expect.plans().any(fits),
    }
}

fn sorted<'a>(tools: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut tools: Vec<&str> = tools.collect();
    tools.sort_unstable();
    tools
}

/// A right plan and the one that was made.
struct Match<'a> {
    steps: &'a [Step],
    laid: &'a Laid,
    tools: &'a Toolbox,
    open: &'a BTreeSet<&'a String>,
}

impl Match<'_> {
    /// Whether the steps that are left can be told apart so that all is right. `taken` are the made steps of the first ones.
    fn holds(&self, taken: &mut Vec<usize>) -> bool {
        if self.steps.len() != self.laid.steps.len() {
            return false;
        }
        let Some(step) = self.steps.get(taken.len()) else { return self.fits(taken) };
        let free = self.laid.steps.iter().enumerate().filter(|(_, made)| made.tool == step.tool);
        let free: Vec<usize> = free.map(|(at, _)| at).filter(|at| !taken.contains(at)).collect();
        free.into_iter().any(|at| {
            taken.push(at);
            let holds = self.holds(taken);
            taken.pop();
            holds
        })
    }

    fn fits(&self, taken: &[usize]) -> bool {
        self.steps.iter().zip(taken).all(|(step, at)| {
            let Some(made) = self.laid.steps.get(*at) else { return false };
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
        required(&tool.input_schema).any(|it| it == name)
            || default.is_some_and(|default| equal(value, default))
            || self.laid.defaults.iter().any(|default| equal(value, default))
    }

    /// Whether an argument is the one that is right; at any depth a field that is not named may have its default.
    fn same(&self, made: &Value, right: &Value, taken: &[usize]) -> bool {
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
    fn written(&self, right: &str, taken: &[usize]) -> Option<String> {
        let inner = right.strip_prefix("{{")?;
        let (number, rest) = inner.split_once('.')?;
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let made = self.laid.steps.get(*taken.get(at)?)?;
        Some(format!("{{{{{}.{rest}", made.id))
    }

    /// Whether a step comes behind another one of the right plan.
    fn comes_behind(&self, made: &LaidStep, before: usize, taken: &[usize]) -> bool {
        let wanted = before.checked_sub(1).and_then(|at| self.laid.steps.get(*taken.get(at)?));
        let Some(wanted) = wanted else { return false };
        let mut open: Vec<&str> = made.after.iter().map(String::as_str).collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(id) = open.pop() {
            let step = self.laid.steps.iter().find(|step| step.id == id);
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

fn equal(made: &Value, right: &Value) -> bool {
    match (made.as_f64(), right.as_f64()) {
        (Some(made), Some(right)) => (made - right).abs() < 1e-9,
        _ => made == right,
    }
}
