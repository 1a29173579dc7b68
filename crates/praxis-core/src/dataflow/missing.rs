//! Explains a placeholder without a value: the reason, the places that were searched, and the candidates.

use super::context::{Context, Variables};
use super::path::{self, PathObstacle, PathStop};
use super::resolve::{ContextLayer, MissReason, MissingValue, ResolveTrouble, id};
use super::template::{Placeholder, PlaceholderTarget};
use crate::near::near;

/// Builds the explanation of a placeholder without a value.
pub(super) fn explain(
    placeholder: &Placeholder,
    trouble: &ResolveTrouble,
    context: &Context,
) -> MissingValue {
    let (why, candidates) = match trouble {
        ResolveTrouble::Step(why) => {
            (*why, candidates_for_step(*why, &placeholder.target, context))
        }
        ResolveTrouble::Several(candidates) => (MissReason::Ambiguous, candidates.clone()),
        ResolveTrouble::NoName => {
            (MissReason::NoSuchName, candidates_for_name(&placeholder.target, context))
        }
        ResolveTrouble::Stopped(stop, _) => (MissReason::NoSuchPart, describe_stop(stop)),
    };
    MissingValue {
        placeholder: placeholder.source.to_string(),
        pointer: placeholder.pointer.to_string(),
        why,
        searched: searched(&placeholder.target, trouble, context),
        candidates,
    }
}

fn describe_stop(stop: &PathStop) -> Vec<String> {
    match &stop.found {
        PathObstacle::Keys(keys) => keys.clone(),
        PathObstacle::Length(length) => vec![format!("an array of {length}")],
        PathObstacle::Null => vec!["null".to_owned()],
        PathObstacle::Scalar(what) => vec![(*what).to_owned()],
        PathObstacle::Text => vec!["a text that is not JSON".to_owned()],
    }
}

fn candidates_for_step(
    why: MissReason,
    target: &PlaceholderTarget,
    context: &Context,
) -> Vec<String> {
    match (why, target) {
        (MissReason::UnknownStep, PlaceholderTarget::UnknownStep { name }) => {
            near(name, context.step_ids().map(crate::ids::StepId::as_str))
        }
        _ => vec![],
    }
}

fn candidates_for_name(target: &PlaceholderTarget, context: &Context) -> Vec<String> {
    match target {
        PlaceholderTarget::Name { name, .. } => near(name, context.names()),
        PlaceholderTarget::Initial { name, .. } => {
            near(name, context.initial().keys().map(|key| &**key))
        }
        PlaceholderTarget::Variable { frame, name, .. } => {
            near(name, context.variables(frame).into_iter().flat_map(Variables::names))
        }
        PlaceholderTarget::Output { .. }
        | PlaceholderTarget::Field { .. }
        | PlaceholderTarget::UnknownStep { .. }
        | PlaceholderTarget::Malformed(_) => vec![],
    }
}

fn searched(
    target: &PlaceholderTarget,
    trouble: &ResolveTrouble,
    context: &Context,
) -> Vec<String> {
    let stopped = match trouble {
        ResolveTrouble::Stopped(stop, place) => Some((stop.walked, *place)),
        ResolveTrouble::Step(_) | ResolveTrouble::NoName | ResolveTrouble::Several(_) => None,
    };
    match target {
        PlaceholderTarget::Output { step, path } | PlaceholderTarget::Field { step, path } => {
            let walked = stopped.map_or(0, |(walked, _)| walked);
            let reached = path::print(path.get(..walked).unwrap_or_default());
            vec![format!("the result of step `{}`{reached}", id(*step, context))]
        }
        PlaceholderTarget::Name { name, path, .. } => match stopped {
            Some((walked, place)) => {
                let reached = path::print(path.get(..walked).unwrap_or_default());
                let layer = match place {
                    ContextLayer::Initial | ContextLayer::Variable | ContextLayer::Kept => {
                        "initial metadata".to_owned()
                    }
                    ContextLayer::Runtime(step) => {
                        format!("runtime metadata of step `{}`", id(step, context))
                    }
                    ContextLayer::Result(step) => {
                        format!("the result of step `{}`", id(step, context))
                    }
                };
                vec![format!("{layer}, `{name}{reached}`")]
            }
            None => {
                ["runtime metadata", "initial metadata", "step results"].map(String::from).to_vec()
            }
        },
        PlaceholderTarget::Variable { frame, name, path } => {
            let walked = stopped.map_or(0, |(walked, _)| walked);
            let reached = path::print(path.get(..walked).unwrap_or_default());
            vec![format!("the variable `{name}`{reached} of `{frame}`")]
        }
        PlaceholderTarget::Initial { .. } => vec!["initial metadata".to_owned()],
        PlaceholderTarget::UnknownStep { .. } => vec!["the steps of the plan".to_owned()],
        PlaceholderTarget::Malformed(_) => vec![],
    }
}
