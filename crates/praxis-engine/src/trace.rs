//! Records for whoever operates Praxis: one for each thing that became durable, with the ids of its
//! task, plan and step. Values never enter them.

use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_core::journal::stream::views;
use praxis_core::state::State;

/// Traces what was appended. Costs one comparison when nobody listens.
pub(crate) fn appended(task: &TaskId, state: &State, entries: &[Entry]) {
    if !tracing::enabled!(tracing::Level::INFO) {
        return;
    }
    let plan = state.submission.as_ref().and_then(|submission| submission.plan_id.as_deref());
    for entry in entries {
        for view in views(state, entry) {
            let (step, code) = (view.step.as_ref(), view.data.pointer("/error/code"));
            let code = code.and_then(serde_json::Value::as_str);
            macro_rules! record {
                ($level:ident) => {
                    tracing::$level!(
                        %task,
                        plan = plan.unwrap_or_default(),
                        revision = state.revision,
                        step = step.map(|step| step.as_str()),
                        seq = entry.seq,
                        code,
                        "{}",
                        view.name
                    )
                };
            }
            if code.is_some() { record!(warn) } else { record!(info) }
        }
    }
}
