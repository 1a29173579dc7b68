//! Says of a placeholder without a value what is the matter, where it was looked for, and what is there instead.

use super::context::{Context, Variables};
use super::path::{self, Found, Stop};
use super::resolve::{Miss, Place, Trouble, Why, id};
use super::template::{Placeholder, Target};
use crate::near::near;

/// Says what was missing, where it was looked for, and what is there instead.
pub(super) fn explain(placeholder: &Placeholder, trouble: &Trouble, context: &Context) -> Miss {
    let (why, candidates) = match trouble {
        Trouble::Step(why) => (*why, candidates_for_step(*why, &placeholder.target, context)),
        Trouble::Several(candidates) => (Why::Ambiguous, candidates.clone()),
        Trouble::NoName => (Why::NoSuchName, candidates_for_name(&placeholder.target, context)),
        Trouble::Stopped(stop, _) => (Why::NoSuchPart, describe_stop(stop)),
    };
    Miss {
        placeholder: placeholder.source.to_string(),
        pointer: placeholder.pointer.to_string(),
        why,
        searched: searched(&placeholder.target, trouble, context),
        candidates,
    }
}

fn describe_stop(stop: &Stop) -> Vec<String> {
    match &stop.found {
        Found::Keys(keys) => keys.clone(),
        Found::Length(length) => vec![format!("an array of {length}")],
        Found::Null => vec!["null".to_owned()],
        Found::Scalar(what) => vec![(*what).to_owned()],
        Found::Text => vec!["a text that is not JSON".to_owned()],
    }
}

fn candidates_for_step(why: Why, target: &Target, context: &Context) -> Vec<String> {
    match (why, target) {
        (Why::UnknownStep, Target::UnknownStep { name }) => {
            near(name, context.step_ids().map(crate::ids::StepId::as_str))
        }
        _ => vec![],
    }
}

fn candidates_for_name(target: &Target, context: &Context) -> Vec<String> {
    match target {
        Target::Name { name, .. } => near(name, context.names()),
        Target::Initial { name, .. } => near(name, context.initial().keys().map(|key| &**key)),
        Target::Variable { frame, name, .. } => {
            near(name, context.variables(frame).into_iter().flat_map(Variables::names))
        }
        Target::Output { .. }
        | Target::Field { .. }
        | Target::UnknownStep { .. }
        | Target::Malformed(_) => vec![],
    }
}

fn searched(target: &Target, trouble: &Trouble, context: &Context) -> Vec<String> {
    let stopped = match trouble {
        Trouble::Stopped(stop, place) => Some((stop.walked, *place)),
        Trouble::Step(_) | Trouble::NoName | Trouble::Several(_) => None,
    };
    match target {
        Target::Output { step, path } | Target::Field { step, path } => {
            let walked = stopped.map_or(0, |(walked, _)| walked);
            let reached = path::print(path.get(..walked).unwrap_or_default());
            vec![format!("the result of step `{}`{reached}", id(*step, context))]
        }
        Target::Name { name, path, .. } => match stopped {
            Some((walked, place)) => {
                let reached = path::print(path.get(..walked).unwrap_or_default());
                let layer = match place {
                    Place::Initial | Place::Variable | Place::Kept => "initial metadata".to_owned(),
                    Place::Runtime(step) => {
                        format!("runtime metadata of step `{}`", id(step, context))
                    }
                    Place::Result(step) => format!("the result of step `{}`", id(step, context)),
                };
                vec![format!("{layer}, `{name}{reached}`")]
            }
            None => {
                ["runtime metadata", "initial metadata", "step results"].map(String::from).to_vec()
            }
        },
        Target::Variable { frame, name, path } => {
            let walked = stopped.map_or(0, |(walked, _)| walked);
            let reached = path::print(path.get(..walked).unwrap_or_default());
            vec![format!("the variable `{name}`{reached} of `{frame}`")]
        }
        Target::Initial { .. } => vec!["initial metadata".to_owned()],
        Target::UnknownStep { .. } => vec!["the steps of the plan".to_owned()],
        Target::Malformed(_) => vec![],
    }
}
