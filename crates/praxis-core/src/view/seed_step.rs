//! The step executor events of a flow: those of each step, and those of the flow itself.
//!
//! - in: an event, its `TaskChange`, and the state after it
//! - out: events in the order of a step's life: init, input, text, output, end
//! - never: shows more of a value than the `StreamEvent` of the same entry does

use super::change::TaskChange;
use super::seed::{PushedEvent, SeedStream};
use super::seed_envelope::{executor_status, metadata};
use super::seed_flow::text_of;
use super::stream::{error, with_references};
use crate::ask::reply::TokenUsage;
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::dataflow::context::StepIndex;
use crate::fault::Fault;
use crate::ids::StepId;
use crate::journal::event::Event;
use crate::journal::outcome::{CallOutcome, TaskEnding};
use crate::journal::question::{Question, QuestionSubject};
use crate::payload::Payload;
use crate::payload::shown;
use crate::state::TaskStatus;
use crate::state::step::{SentCall, Step, StepStatus};
use crate::time::Timestamp;
use serde_json::{Value, json};

/// Renders an output as an object: a string becomes `{"text": …}`, `null` becomes `{}`.
fn as_content(output: &Payload) -> Value {
    match shown(output) {
        Value::Null => json!({}),
        Value::String(text) => json!({"text": text}),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => other,
    }
}

/// Returns the token usage of the model that a call asked.
fn usage_of(event: &Event) -> Option<TokenUsage> {
    if let Event::StepFinished { usage, .. } = event { *usage } else { None }
}

/// Renders the arguments of a call, with references for values that stay in blobs.
fn sent_by(sent: &SentCall) -> Value {
    with_references(as_content(&sent.arguments), &sent.holes)
}

impl SeedStream {
    /// Returns all step executor events of one journal event.
    pub(super) fn step_events(&self, event: &Event, change: &TaskChange) -> Vec<PushedEvent> {
        let mut pushed = self.around(event);
        pushed.extend(self.goes_on(event, change));
        pushed.extend(self.of_steps(event));
        pushed.extend(self.trouble(event, change));
        pushed.extend(self.ends(event, change));
        pushed.extend(self.stops(change));
        if let Event::TaskFinished { ending, .. } = event {
            pushed.extend(self.finale(ending, change));
        }
        pushed
    }

    /// Returns the start events of a flow, for a submission or a reopening.
    fn around(&self, event: &Event) -> Vec<PushedEvent> {
        let goal = self.state.submission.as_ref().map(|submission| &submission.goal);
        let resumed = matches!(event, Event::TaskReopened { .. });
        if !resumed && !matches!(event, Event::TaskSubmitted(_)) {
            return vec![];
        }
        vec![
            self.of_flow("executor.start", json!({"goal": goal})),
            self.of_flow("flow.start", json!({"goal": goal, "resumed": resumed})),
        ]
    }

    /// Returns `flow.start` if the flow goes on after it waited for a person.
    fn goes_on(&self, event: &Event, change: &TaskChange) -> Option<PushedEvent> {
        let status = self.state.status();
        let again = change.waited && status != TaskStatus::Waiting && !status.is_final();
        let again = again && !matches!(event, Event::CancelRequested { .. });
        let goal = self.state.submission.as_ref().map(|submission| &submission.goal);
        again.then(|| self.of_flow("flow.start", json!({"goal": goal, "resumed": true})))
    }

    /// Returns `flow.stop` if the flow now waits for a person.
    fn stops(&self, change: &TaskChange) -> Option<PushedEvent> {
        let stops = self.state.status() == TaskStatus::Waiting && !change.waited;
        let questions: Vec<_> = self.state.questions.keys().collect();
        let content = json!({"waits_for": self.state.waits_for(), "questions": questions});
        stops.then(|| self.of_flow("flow.stop", content))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the ends of steps are told elsewhere")]
    fn of_steps(&self, event: &Event) -> Vec<PushedEvent> {
        match event {
            Event::StepsPlanned { steps, .. } => {
                steps.iter().filter_map(|step| self.init(step.id.as_str())).collect()
            }
            Event::StepsAdded { step, steps } => self.entered(step, steps.len()),
            Event::PassStarted { step, pass, variables } => {
                self.pass(step, *pass, variables.as_ref())
            }
            Event::SlotsFilled { step, values, arguments } => self.filled(step, values, arguments),
            Event::StepStarted { step, arguments, .. } => {
                let holding = self.state.step(step.as_str()).and_then(|step| step.sent.as_ref());
                let sent = holding.map_or_else(|| as_content(arguments), sent_by);
                vec![self.about(step, "STEP_INPUT", sent)]
            }
            Event::QuestionAsked { question } => self.waits_for_person(question),
            _ => vec![],
        }
    }

    fn init(&self, id: &str) -> Option<PushedEvent> {
        let step = self.state.step(id)?;
        Some(self.about(&step.plan.id, "step.init", json!({"call": step.tool()})))
    }

    /// Returns the events of the steps that a pass adds; a pass of a loop also has `loop.progress`.
    fn pass(&self, owner: &StepId, pass: u32, variables: Option<&Payload>) -> Vec<PushedEvent> {
        let progress = variables.map(|variables| {
            let content = json!({"pass": pass, "variables": shown(variables)});
            self.about(owner, "loop.progress", content)
        });
        progress.into_iter().chain(self.entered(owner, usize::MAX)).collect()
    }

    /// Returns `step.init` for the last `count` steps of a frame.
    fn entered(&self, owner: &StepId, count: usize) -> Vec<PushedEvent> {
        let index = self.state.context.index_of(owner.as_str());
        let frame = index.and_then(|index| self.state.frames.get(&index));
        let steps = frame.map_or(&[][..], |frame| &frame.steps);
        let last = steps.iter().skip(steps.len().saturating_sub(count));
        let init = |index: &StepIndex| self.init(self.state.step_at(*index)?.plan.id.as_str());
        last.filter_map(init).collect()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other questions are not of a step's start")]
    fn waits_for_person(&self, question: &Question) -> Vec<PushedEvent> {
        let Some(step) = &question.step else { return vec![] };
        let message = self.asked_for(question);
        match &question.about {
            QuestionSubject::Param { fields, form, .. } => {
                let content =
                    json!({"question_id": question.id, "message": message, "params": fields});
                let mut pushed = self.left_open(step, fields, form.as_deref());
                pushed.push(self.about(step, "step.waiting_for_param", content));
                pushed
            }
            QuestionSubject::Approval { tool, arguments, .. } => {
                let risk = self.state.contract(tool).map(|contract| contract.risk);
                let params = shown(&Payload::json(arguments.clone()));
                let content = json!({"question_id": question.id, "message": message, "risk": risk, "params": params});
                vec![self.about(step, "step.waiting_for_start", content)]
            }
            _ => vec![],
        }
    }

    /// Returns `step.error` for a failure, whether or not it ends the step.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what else ends a step is told by its state"
    )]
    fn trouble(&self, event: &Event, change: &TaskChange) -> Option<PushedEvent> {
        let step = change.subject(&self.state)?;
        let retry_at = match event {
            Event::StepFinished { outcome: CallOutcome::Succeeded(_), .. } => return None,
            Event::StepFinished { retry_at, .. } => *retry_at,
            _ if step.status == StepStatus::Error && change.ended(&self.state).is_some() => None,
            _ => return None,
        };
        if step.status == StepStatus::Cancelled {
            return None;
        }
        Some(self.about(&step.plan.id, "step.error", self.fault_of(step, retry_at)))
    }

    fn fault_of(&self, step: &Step, retry_at: Option<Timestamp>) -> Value {
        let result = self.result(step).map(as_content);
        let mut content = json!({"data": result.unwrap_or_else(|| json!({}))});
        let told = step.fault.as_ref().map(|fault| self.told(fault)).unwrap_or_default();
        if let (Some(map), Value::Object(told)) = (content.as_object_mut(), told) {
            map.extend(told);
            map.extend(retry_at.map(|at| ("retry_at".to_owned(), json!(at.to_string()))));
        }
        content
    }

    /// Renders a fault with the field names of the seed documents.
    fn told(&self, fault: &Fault) -> Value {
        let told = error(fault, self.lang);
        json!({"err_msg": told.get("message"), "code": told.get("code"), "next": told.get("next")})
    }

    fn result(&self, step: &Step) -> Option<&Payload> {
        let index = self.state.context.index_of(step.plan.id.as_str())?;
        self.state.context.result(index).map(|result| &result.output)
    }

    /// Returns the events for the end of a step and for the steps that are skipped because of it.
    fn ends(&self, event: &Event, change: &TaskChange) -> Vec<PushedEvent> {
        let mut pushed = Vec::new();
        if let Some(step) = change.ended(&self.state) {
            let usage = usage_of(event);
            let cost = metadata(step.duration_ms(), usage);
            let ended = self.ended(step, change.sent.as_ref()).into_iter();
            pushed.extend(ended.map(|it| PushedEvent { metadata: cost.clone(), ..it }));
        }
        let skipped = change.skipped.iter().filter_map(|id| self.state.step(id.as_str()));
        pushed.extend(skipped.map(|step| self.end_of(step, None)));
        pushed
    }

    fn ended(&self, step: &Step, sent: Option<&SentCall>) -> Vec<PushedEvent> {
        let id = &step.plan.id;
        let output = self.result(step).map_or_else(|| json!({}), as_content);
        let mut pushed = Vec::new();
        match step.status {
            StepStatus::Success => {
                pushed.extend(self.speaks(step));
                let completed = own(step.tool()) == Some(OwnCall::Loop);
                pushed.extend(completed.then(|| self.about(id, "loop.completed", output.clone())));
                pushed.push(self.about(id, "STEP_OUTPUT", output));
            }
            StepStatus::Error => pushed.push(self.about(id, "STEP_OUTPUT", json!({}))),
            StepStatus::Cancelled => pushed.push(self.cancelled(step)),
            StepStatus::Skipped
            | StepStatus::Init
            | StepStatus::Waiting
            | StepStatus::Running
            | StepStatus::Param
            | StepStatus::InDoubt => {}
        }
        pushed.push(self.end_of(step, sent));
        pushed
    }

    /// Returns the part of the text for the user that was not streamed yet, or the whole output if it has no text.
    fn speaks(&self, step: &Step) -> Option<PushedEvent> {
        let (id, output) = (&step.plan.id, self.result(step)?);
        if !self.is_to_user(step) {
            return None;
        }
        let Some(text) = text_of(output) else {
            return Some(self.about(id, super::seed_table::STEP_TYPE, as_content(output)));
        };
        let said = self.said.get(id).map_or("", String::as_str);
        let content = match text.strip_prefix(said) {
            Some("") => return None,
            Some(rest) => json!({"text": rest}),
            // The text differs from what was streamed: the step was retried, or chunks were missed.
            None => json!({"text": text, "again": true}),
        };
        Some(self.about(id, "TEXT_ADD", content))
    }

    fn cancelled(&self, step: &Step) -> PushedEvent {
        let reason = match &step.fault {
            Some(Fault::Cancelled { reason }) => reason.clone(),
            _ => self.say("the task was cancelled", "任务已取消"),
        };
        self.about(&step.plan.id, "step.cancel", json!({"reason": reason}))
    }

    /// Returns `step.end`: the row of the step in the history.
    fn end_of(&self, step: &Step, sent: Option<&SentCall>) -> PushedEvent {
        let input = sent.map_or_else(|| json!({}), sent_by);
        let output = self.result(step).map_or_else(|| json!({}), as_content);
        let fault = step.fault.as_ref().filter(|_| step.status != StepStatus::Success);
        let extra = json!({
            "attempt": step.attempt, "retries": step.retries, "error": fault.map(|it| self.told(it)),
        });
        let content = json!({"inputData": input, "outputData": output, "extraData": extra});
        self.about(&step.plan.id, "step.end", content)
    }

    /// Returns the events for the end of the flow: cancelled steps, the ending, `executor.stop` and `done`.
    fn finale(&self, ending: &TaskEnding, change: &TaskChange) -> Vec<PushedEvent> {
        let given_up = change.given_up(&self.state);
        let mut pushed: Vec<PushedEvent> = given_up
            .flat_map(|step| [self.cancelled(step), self.end_of(step, step.sent.as_ref())])
            .collect();
        pushed.push(match ending {
            TaskEnding::Completed => {
                self.of_flow("flow.success", json!({"result": self.outputs()}))
            }
            TaskEnding::Failed { fault } => self.of_flow("flow.failed", self.told(fault)),
            TaskEnding::Cancelled { reason } => {
                self.of_flow("flow.cancel", json!({"reason": reason}))
            }
        });
        let status = executor_status(self.state.status());
        pushed.push(self.of_flow("executor.stop", json!({"status": status})));
        pushed.push(self.of_flow("done", json!({})));
        pushed
    }
}
