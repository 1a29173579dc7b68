//! Where the arguments of a step came from, recomputed by the resolver at the moment it started.

use super::context::StepIndex;
use super::resolve::{Blobs, OnUnresolved, Origin, Place, resolve};
use super::template::{Target, Template};
use crate::execute::step::Step;
use crate::ids::StepId;
use crate::mask::{HIDDEN, is_secret_key, masked_under};
use crate::state::State;
use serde::Serialize;
use serde_json::Value;

/// The origin of one value in a step's arguments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The JSON pointer in the arguments.
    pub pointer: String,
    /// What was written in the plan.
    pub written: String,
    /// The value there; none if it is in a blob.
    pub value: Option<Value>,
    /// Where it came from.
    pub source: Source,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// It stands in the plan.
    Literal,
    /// Initial metadata.
    Initial,
    /// Runtime metadata.
    Runtime {
        /// The step that wrote it last.
        step: StepId,
        /// What it hides: earlier writers, the latest first, then initial metadata.
        shadows: Vec<String>,
    },
    /// The result of a step.
    Result {
        /// Which.
        step: StepId,
    },
    /// A person, in answer to a question.
    Person {
        /// Who.
        by: String,
        /// Which question.
        question: String,
    },
    /// Set when the task was forked.
    Override {
        /// Who.
        by: String,
    },
    /// Nothing had it: the text stayed as written.
    Kept,
}

/// The origins of all arguments of a step, as the state is now. Literals by top-level parameter.
pub fn reasons(state: &State, step: &Step, blobs: &Blobs) -> Vec<Reason> {
    let resolved = resolve(&step.template, &state.context, blobs, OnUnresolved::Keep);
    let (value, origins) = resolved.map_or((Value::Null, vec![]), |r| (r.value, r.origins));
    let mut reasons: Vec<Reason> = literals(&step.template, step);
    for origin in &origins {
        let pointer = origin.placeholder.pointer.to_string();
        let found = value.pointer(&pointer).filter(|value| !value.is_null()).cloned();
        let written = origin.placeholder.source.to_string();
        reasons.push(Reason { pointer, written, value: found, source: source(origin, state) });
    }
    let given = step.given.iter().map(|(pointer, given)| Reason {
        pointer: pointer.clone(),
        written: String::new(),
        value: Some(given.value.clone()),
        source: match &given.question {
            Some(question) => {
                Source::Person { by: given.by.clone(), question: question.to_string() }
            }
            None => Source::Override { by: given.by.clone() },
        },
    });
    reasons.extend(given);
    reasons.sort_by(|a, b| a.pointer.cmp(&b.pointer));
    reasons.iter_mut().for_each(hide);
    reasons
}

/// What looks like a secret is not shown.
fn hide(reason: &mut Reason) {
    let key = reason.pointer.rsplit('/').next().unwrap_or_default();
    if let Some(value) = &reason.value {
        reason.value = Some(masked_under(key, value).into_owned());
    }
    if reason.source == Source::Literal && is_secret_key(key) {
        HIDDEN.clone_into(&mut reason.written);
    }
}

/// Initial metadata, or what took its place when the task was forked.
fn initial(origin: &Origin<'_>, state: &State) -> Source {
    let (Target::Name { name, .. } | Target::Initial { name, .. }) = &origin.placeholder.target
    else {
        return Source::Initial;
    };
    let parent = state.submission.as_ref().and_then(|submission| submission.parent.as_ref());
    let set = parent.filter(|parent| parent.set.iter().any(|key| **key == **name));
    set.map_or(Source::Initial, |parent| Source::Override { by: parent.by.clone() })
}

fn literals(template: &Template, step: &Step) -> Vec<Reason> {
    let literal = |key: &str, value: &Value| Reason {
        pointer: format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        written: value.to_string(),
        value: Some(value.clone()),
        source: Source::Literal,
    };
    let found = match template {
        Template::Literal(Value::Object(map)) => map.iter().map(|(k, v)| literal(k, v)).collect(),
        Template::Object(entries) => entries
            .iter()
            .filter_map(|(key, inner)| match inner {
                Template::Literal(value) => Some(literal(key, value)),
                Template::Whole(_)
                | Template::Text(_)
                | Template::Array(_)
                | Template::Object(_) => None,
            })
            .collect(),
        Template::Literal(_) | Template::Whole(_) | Template::Text(_) | Template::Array(_) => {
            vec![]
        }
    };
    let by_a_person = |reason: &Reason| step.given.contains_key(&reason.pointer);
    Vec::into_iter(found).filter(|reason| !by_a_person(reason)).collect()
}

fn source(origin: &Origin<'_>, state: &State) -> Source {
    let context = &state.context;
    let id = |step: StepIndex| context.id_of(step).cloned().unwrap_or_else(|| StepId::from("?"));
    match origin.place {
        Place::Initial => initial(origin, state),
        Place::Result(step) => Source::Result { step: id(step) },
        Place::Kept => Source::Kept,
        Place::Runtime(step) => {
            let name = match &origin.placeholder.target {
                Target::Name { name, prefixed, .. } if prefixed.is_empty() => Some(name),
                Target::Name { .. }
                | Target::Output { .. }
                | Target::Field { .. }
                | Target::Initial { .. }
                | Target::UnknownStep { .. }
                | Target::Malformed(_) => None,
            };
            let shadows = name.map_or(vec![], |name| {
                let earlier = context.shadowed(name).into_iter().map(|id| format!("step `{id}`"));
                let initial =
                    context.initial().contains_key(name).then(|| "initial metadata".to_owned());
                earlier.chain(initial).collect()
            });
            Source::Runtime { step: id(step), shadows }
        }
    }
}
