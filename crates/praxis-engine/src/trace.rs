//! Tracing records for operators: one for each client event that became durable, with the ids of its session, task,
//! plan and step. They contain no other values.

use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_core::payload::Payload;
use praxis_core::state::State;
use praxis_core::view::stream::views;

/// Maximum length of a session id in a record: callers choose the id.
const SESSION_CHARS: usize = 128;

/// Returns the session id of a task.
fn session(state: &State) -> Option<String> {
    let Payload::Json(value) = state.context.initial().get("session_id")? else { return None };
    Some(value.as_str()?.chars().take(SESSION_CHARS).collect())
}

/// Records appended entries. Costs one comparison if tracing is off.
pub(crate) fn appended(task: &TaskId, state: &State, entries: &[Entry]) {
    if !tracing::enabled!(tracing::Level::INFO) {
        return;
    }
    let plan = state.submission.as_ref().and_then(|submission| submission.plan_id.as_deref());
    let session = session(state);
    for entry in entries {
        for view in views(state, entry) {
            let (step, code) = (view.step.as_ref(), view.data.pointer("/error/code"));
            let code = code.and_then(serde_json::Value::as_str);
            macro_rules! record {
                ($level:ident) => {
                    tracing::$level!(
                        session,
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
