//! `praxis fork`: starts a new task from a point in the history of another, with other values.

use super::run::whoami;
use crate::args_act::{EffectsArg, ForkArgs};
use crate::context::{CliContext, runtime};
use crate::failure::CommandFailure;
use crate::{inputs, send_order};
use praxis_core::ids::StepId;
use praxis_core::journal::submission::EffectMode;
use praxis_core::state::State;
use praxis_engine::fork::{ForkOrder as Wanted, ForkPoint};
use praxis_engine::order::ClientOrder;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, fork: &ForkArgs) -> Result<ExitCode, CommandFailure> {
    let reader = context.reader()?;
    let task = context.task(&reader, &fork.which)?;
    let state = State::replay(&reader.entries(&task, 0)?).map_err(CommandFailure::illegal)?;
    let at = match fork.at.parse() {
        Ok(seq) if state.step(&fork.at).is_none() => ForkPoint::Seq(seq),
        _ => ForkPoint::Step(StepId::from(fork.at.as_str())),
    };
    let mut set = Map::new();
    let mut overrides: BTreeMap<StepId, BTreeMap<String, Value>> = BTreeMap::new();
    for pair in &fork.set {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| inputs::no_pair(&format!("--set {pair}")))?;
        let value = inputs::param(&format!("--set {key}"), value)?;
        match parameter(&state, key) {
            Some((step, pointer)) => {
                overrides.entry(step).or_default().insert(pointer, value);
            }
            None => {
                set.insert(key.to_owned(), value);
            }
        }
    }
    let effects = match fork.effects {
        EffectsArg::Ask => EffectMode::Ask,
        EffectsArg::Simulate => EffectMode::Simulate,
        EffectsArg::Real => EffectMode::Real,
    };
    let wanted = Wanted { task, at, set, overrides, effects, by: whoami() };
    runtime()?.block_on(async {
        let done = send_order::order(context, &ClientOrder::Fork(Box::new(wanted))).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        send_order::see_through(context, done, &task).await
    })
}

/// Parses `step_3.mode` as a parameter of a step. Step ids may contain dots: the longest prefix that is a step is
/// taken.
fn parameter(state: &State, key: &str) -> Option<(StepId, String)> {
    key.rmatch_indices('.').find_map(|(cut, _)| {
        let (step, path) = (key.get(..cut)?, key.get(cut + 1..)?);
        state.step(step)?;
        Some((StepId::from(step), format!("/{}", path.replace('.', "/"))))
    })
}
