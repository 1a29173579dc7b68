//! The envelope of a step executor's event: the flow, the step, their statuses and their cost.

use super::seed::{PushedEvent, SeedStream};
use crate::ask::reply::TokenUsage;
use crate::call::own::OwnCall;
use crate::call::own_tools::{calls, own};
use crate::call::tool::ToolReach;
use crate::ids::{StepId, ToolId};
use crate::intake::reserved::OUTPUTS;
use crate::journal::question::{Question, QuestionSubject};
use crate::payload::shown;
use crate::state::TaskStatus;
use crate::state::step::{Dependent, StepStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Step types of the built-in calls: their names in capitals.
static TYPES: LazyLock<BTreeMap<&'static ToolId, String>> =
    LazyLock::new(|| calls().keys().map(|id| (id, id.as_str().to_uppercase())).collect());

/// Returns the executor status of a task in the terms of the seed documents.
pub(super) fn executor_status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "INIT",
        TaskStatus::Planning
        | TaskStatus::Executing
        | TaskStatus::Evaluating
        | TaskStatus::Reflecting => "RUNNING",
        TaskStatus::Waiting => "WAITING",
        TaskStatus::Completed => "SUCCESS",
        TaskStatus::Failed => "ERROR",
        TaskStatus::Cancelled => "CANCELLED",
    }
}

/// Returns the time and token usage of a call.
pub(super) fn metadata(ms: Option<u64>, usage: Option<TokenUsage>) -> Value {
    let usage = usage.unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "no task takes 285,000 years")]
    let seconds = ms.map(|ms| ms as f64 / 1000.0);
    json!({"timeCost": seconds, "inputTokens": usage.prompt, "outputTokens": usage.completion})
}

impl SeedStream {
    /// Returns the type of a step: that of its call; for an `OwnCall::Empty` at either end of the flow, `START` or
    /// `END`.
    pub(super) fn type_of(&self, id: &StepId) -> &'static str {
        let Some(step) = self.state.step(id.as_str()) else { return "TOOL" };
        if own(step.tool()) == Some(OwnCall::Empty) {
            let goes_on = |dependent: &Dependent| {
                let next = self.state.step_at(dependent.step);
                next.is_some_and(|next| next.plan.id.as_str() != OUTPUTS)
            };
            match (step.plan.ways().is_empty(), !step.dependents.iter().any(goes_on)) {
                (true, false) => return "START",
                (false, true) => return "END",
                (true, true) | (false, false) => {}
            }
        }
        if let Some(name) = TYPES.get(step.tool()) {
            return name;
        }
        match self.state.contract(step.tool()).and_then(|contract| contract.reaches) {
            Some(ToolReach::Api) => "API",
            Some(ToolReach::Sql) => "SQL",
            None => "TOOL",
        }
    }

    pub(super) fn conversation(&self) -> Value {
        self.state.context.initial().get("session_id").map_or(Value::Null, shown)
    }

    /// Returns the flow and the step of an event, with their statuses.
    pub(super) fn flow(&self, step: Option<&StepId>, instead: Value) -> Value {
        let pin = self.state.submission.as_ref().and_then(|submission| submission.flow.as_ref());
        let mut flow = json!({
            "executorId": pin.map(|pin| &pin.version), "executorName": pin.map(|pin| &pin.name),
            "executorStatus": executor_status(self.state.status()),
        });
        if let (Some(id), Some(map)) = (step, flow.as_object_mut()) {
            map.insert("stepId".to_owned(), json!(id));
            map.insert("stepName".to_owned(), json!(self.called(id)));
            map.insert("stepType".to_owned(), json!(self.type_of(id)));
            map.insert("stepStatus".to_owned(), self.status_of(id));
            if let Value::Object(instead) = instead {
                map.extend(instead);
            }
        }
        flow
    }

    /// Returns the status of a step; one that waits for an approval is reported as `StepStatus::Waiting`.
    fn status_of(&self, id: &StepId) -> Value {
        let Some(step) = self.state.step(id.as_str()) else { return Value::Null };
        let mut open = self.state.questions.values();
        let confirms = |question: &Question| {
            question.step.as_ref() == Some(id)
                && matches!(question.about, QuestionSubject::Approval { .. })
        };
        let waits = step.status == StepStatus::Param && open.any(confirms);
        json!(if waits { StepStatus::Waiting } else { step.status })
    }

    pub(super) fn about(&self, step: &StepId, name: &'static str, content: Value) -> PushedEvent {
        let step = Some(step.clone());
        PushedEvent { name, content, step, instead: Value::Null, metadata: metadata(None, None) }
    }

    pub(super) fn of_flow(&self, name: &'static str, content: Value) -> PushedEvent {
        let metadata = metadata(Some(self.state.active_ms), Some(self.state.ledger.usage));
        PushedEvent { name, content, step: None, instead: Value::Null, metadata }
    }
}
