//! Starts a call that asks a model, with the tokens reserved for it, unless a budget limit prevents it.

use super::agent;
use super::situation::ModelCallContext;
use crate::ask::usage::count_request;
use crate::budget::ledger::Reserved;
use crate::dataflow::resolve::complete;
use crate::execute::own_calls;
use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::payload::Payload;
use crate::stage::question::limit_reached;
use crate::state::State;
use crate::state::step::Step;

/// Returns the start of the call with its reserved tokens, the output at once if no model is needed, or the budget
/// limit that was reached.
pub fn begin(state: &State, step: &Step, start: Event, inputs: &Inputs<'_>) -> Vec<Event> {
    let Event::StepStarted { step: id, attempt, generation, tool, arguments, holes, .. } = start
    else {
        return vec![start];
    };
    let refused = |fault| vec![Event::StepRefused { step: step.plan.id.clone(), fault }];
    let Some(given) = complete(&arguments, &holes, inputs.blobs) else {
        return refused(Fault::Interrupted { tool: step.tool().clone() });
    };
    let start = |arguments: Payload, holes, reserved| Event::StepStarted {
        step: id,
        attempt,
        generation,
        tool,
        arguments,
        holes,
        reserved,
    };
    let Some(situation) = ModelCallContext::of(state, step, inputs.tools) else { return vec![] };
    if let Some(output) = situation.at_once(&given, state.step_model().is_some()) {
        return own_calls::ended(step, start(arguments, holes, None), Ok(output));
    }
    let Some((pinned_model, budget)) = state.step_model() else {
        return refused(Fault::ModelNeeded);
    };
    let request = match situation.request(&given, pinned_model) {
        Ok(request) => request,
        Err(fault) => return refused(fault),
    };
    let told = (situation.telling().len() * agent::ABOUT_CHARS) as u64;
    let prompt = count_request(&request, inputs.tokens) + told;
    let reserved = Reserved { prompt, completion: request.max_tokens.into() };
    if let Some(hit) = state.ledger.before_ask(budget, reserved, pinned_model.price.as_ref()) {
        return vec![limit_reached(state, hit)];
    }
    vec![start(arguments, holes, Some(reserved))]
}
