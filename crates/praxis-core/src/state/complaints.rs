//! Parameters that a tool rejected and a person can correct.

use crate::dataflow::resolve::OnUnresolved;
use crate::fault::Fault;
use crate::fault::argument_hints::parameter;
use crate::pointer::pointer_to;
use crate::state::State;
use crate::state::step::Step;
use crate::state::step::is_filled;

/// Maximum generations of a step that is called again with corrected parameters.
const MOST_WISHES: u32 = 5;

/// Returns JSON pointers to the parameters that the tool rejected, or nothing if no person is to be asked. Goals have
/// their own recovery.
pub fn rejected_parameters(state: &State, step: &Step, fault: &Fault) -> Vec<String> {
    let asks =
        state.submission.as_ref().map(|s| s.options.on_unresolved) == Some(OnUnresolved::Ask);
    if !asks || !is_filled(step) || step.generation >= MOST_WISHES || state.goal.is_some() {
        return vec![];
    }
    let sent = step.sent.as_ref().and_then(|sent| sent.arguments.field_names());
    let names: Vec<&str> = sent.unwrap_or_default();
    if let Fault::ParamsInvalid { errors } = fault {
        return errors.iter().map(|error| error.pointer.clone()).collect();
    }
    let Fault::ToolFailed { message, retryable: false, .. } = fault else { return vec![] };
    parameter(message, &names).map(|name| pointer_to("", name)).into_iter().collect()
}
