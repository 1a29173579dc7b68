//! The events that clients see: views of journal entries in `CloudEvents` form, never stored.
//!
//! - in: an entry, and the state after it
//! - out: zero or more events; the same journal always gives the same events
//! - never: shows more of a value than [`MOST_SHOWN`](crate::payload::MOST_SHOWN); the journal or a blob has the rest

use crate::dataflow::resolve::Hole;
use crate::execute::started::is_simulated;
use crate::fault::Fault;
use crate::ids::StepId;
use crate::intake::plan::PlannedStep;
use crate::journal::event::{Entry, Event, of_a_flow, of_a_goal};
use crate::journal::outcome::{CallOutcome, PlanOutcome, TaskEnding};
use crate::journal::question::{EXPIRY, QuestionSubject};
use crate::journal::slot::FilledSlot;
use crate::journal::submission::ForkParent;
use crate::lang::Lang;
use crate::mask::masked_under;
use crate::payload::Payload;
use crate::payload::shown;
use crate::problem::Problem;
use crate::state::State;
use crate::state::step::Step;
use crate::view::stream_goal;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One event of the stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamEvent {
    /// Always `1.0`.
    pub specversion: &'static str,
    /// Unique id: the task, the entry, and the number of the event within the entry.
    pub id: String,
    /// The tenant: `/tenants/<tenant>`.
    pub source: String,
    /// `dev.praxis.<name>.v1`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `tasks/<task>`, or `tasks/<task>/steps/<step>`.
    pub subject: String,
    /// The time of the entry in RFC 3339.
    pub time: String,
    /// The number of the entry; the cursor to continue from.
    pub sequence: u64,
    /// The payload.
    pub data: Value,
    /// The `<name>` part of `kind`.
    #[serde(skip)]
    pub name: &'static str,
    /// The step, if the event is about one.
    #[serde(skip)]
    pub step: Option<StepId>,
}

/// Returns the events of an entry.
pub fn views(state: &State, entry: &Entry) -> Vec<StreamEvent> {
    let described = describe(state, &entry.event);
    let framed = |(number, (name, step, data)): (usize, StreamedEvent)| {
        frame(state, entry, number, (name, step, data))
    };
    described.into_iter().enumerate().map(framed).collect()
}

pub(super) type StreamedEvent = (&'static str, Option<StepId>, Value);

fn frame(
    state: &State,
    entry: &Entry,
    number: usize,
    (name, step, data): StreamedEvent,
) -> StreamEvent {
    let submission = state.submission.as_ref();
    let task = submission.map_or("", |submission| submission.task.as_str());
    let tenant = submission.map_or("local", |submission| submission.tenant.as_str());
    let subject = match &step {
        Some(step) => format!("tasks/{task}/steps/{step}"),
        None => format!("tasks/{task}"),
    };
    StreamEvent {
        specversion: "1.0",
        id: format!("{task}/{}/{number}", entry.seq),
        source: format!("/tenants/{tenant}"),
        kind: format!("dev.praxis.{name}.v1"),
        subject,
        time: entry.at.to_string(),
        sequence: entry.seq,
        data,
        name,
        step,
    }
}

fn describe(state: &State, event: &Event) -> Vec<StreamedEvent> {
    let lang =
        state.submission.as_ref().map(|submission| submission.options.lang).unwrap_or_default();
    match event {
        Event::TaskSubmitted(submission) => {
            let parent = submission.parent.as_ref().map(forked);
            let data =
                json!({"goal": submission.goal, "plan_id": submission.plan_id, "parent": parent});
            vec![("task.created", None, data)]
        }
        Event::Woken { by } => vec![("task.recovered", None, json!({"by": by}))],
        of_a_goal!() => stream_goal::describe(state, event, lang).into_iter().collect(),
        Event::StepsPlanned { revision, steps, fixes, .. } => {
            vec![proposed(*revision, steps, fixes, lang)]
        }
        Event::PlanClosed { revision, outcome, problems, .. } => {
            vec![plan_closed(*revision, *outcome, problems, lang)]
        }
        Event::StepStarted { step, attempt, arguments, .. } => {
            vec![started(state, step, *attempt, arguments)]
        }
        Event::StepFinished { step, attempt, outcome, retry_at, .. } => {
            finished(state, (step, *attempt), outcome, retry_at.map(|at| at.to_string()))
        }
        Event::StepInherited { step, output, .. } => {
            let data = json!({"attempt": 0, "inherited": true, "output": shown(output)});
            vec![("step.succeeded", Some(step.clone()), data)]
        }
        Event::StepRefused { step, fault } => {
            vec![("step.failed", Some(step.clone()), json!({"error": error(fault, lang)}))]
        }
        of_a_flow!() => of_flow(event).into_iter().collect(),
        Event::RetryDue { .. } | Event::CheckStarted { .. } => vec![],
        Event::CheckFinished { step, verdict } => {
            vec![("effect.reconciled", Some(step.clone()), json!({"state": verdict.word()}))]
        }
        Event::QuestionAsked { question } => {
            let mut asked = json!({"question": question.told()});
            if let (QuestionSubject::Approval { risk: Some(risk), .. }, Some(map)) =
                (&question.about, asked.as_object_mut())
            {
                map.insert("risk_words".to_owned(), json!(risk.words().tell(lang)));
            }
            vec![("question.asked", question.step.clone(), asked)]
        }
        Event::QuestionAnswered { question, answer, by } => {
            let name = if by == EXPIRY { "question.expired" } else { "question.answered" };
            vec![(name, None, json!({"question": question, "answer": answer, "by": by}))]
        }
        Event::TimeUsedUp { after_ms } => {
            vec![("budget.exhausted", None, json!({"budget": "time", "after_ms": after_ms}))]
        }
        Event::CancelRequested { reason, by } => {
            vec![("task.stopping", None, json!({"reason": reason, "by": by}))]
        }
        Event::TaskFinished { ending, result_of } => vec![ended(state, ending, result_of, lang)],
        Event::TaskReopened { epoch, invalidated, by, .. } => {
            let data = json!({"epoch": epoch, "invalidated": invalidated, "by": by});
            vec![("task.resumed", None, data)]
        }
    }
}

/// Returns the event of a flow: filled slots, or a pass of a loop.
fn of_flow(event: &Event) -> Option<StreamedEvent> {
    if let Event::SlotsFilled { step, values, .. } = event {
        if values.is_empty() {
            return None;
        }
        let values = masked_values(values);
        return Some(("slot.filled", Some(step.clone()), json!({"values": values})));
    }
    let Event::PassStarted { step, pass, variables: Some(_) } = event else { return None };
    Some(("loop.progress", Some(step.clone()), json!({"pass": pass})))
}

/// Renders the origin of a fork, with secrets masked and long values cut.
fn forked(parent: &ForkParent) -> Value {
    let mut told = json!({
        "task": parent.task, "seq": parent.seq, "effects": parent.effects, "by": parent.by,
    });
    let overrides = parent.overrides.iter().map(|(step, values)| {
        let value = |(pointer, value): (&String, &Value)| {
            let hidden = masked_under(pointer.trim_start_matches('/'), value).into_owned();
            (pointer.clone(), shown(&Payload::json(hidden)))
        };
        (step.to_string(), Value::Object(values.iter().map(value).collect()))
    });
    let simulated = parent.simulated.iter().map(|(step, output)| (step.to_string(), shown(output)));
    if let Value::Object(told) = &mut told {
        let mut add = |name: &str, values: Map<String, Value>| {
            told.extend((!values.is_empty()).then(|| (name.to_owned(), Value::Object(values))));
        };
        add("overrides", overrides.collect());
        add("simulated", simulated.collect());
        told.extend((!parent.set.is_empty()).then(|| ("set".to_owned(), json!(parent.set))));
    }
    told
}

fn plan_closed(
    revision: u32,
    outcome: PlanOutcome,
    problems: &[Problem],
    lang: Lang,
) -> StreamedEvent {
    let mut data = json!({"revision": revision, "outcome": outcome});
    told_into(&mut data, "problems", problems, lang);
    let first = outcome == PlanOutcome::Complete && revision == 1;
    (if first { "task.started" } else { "plan.closed" }, None, data)
}

/// Adds problems to an event if there are any.
fn told_into(data: &mut Value, name: &str, problems: &[Problem], lang: Lang) {
    let told: Vec<_> = problems.iter().map(|problem| problem.told(lang)).collect();
    if let Some(map) = data.as_object_mut().filter(|_| !told.is_empty()) {
        map.insert(name.to_owned(), json!(told));
    }
}

fn proposed(revision: u32, steps: &[PlannedStep], fixes: &[Problem], lang: Lang) -> StreamedEvent {
    let planned = |step: &PlannedStep| {
        let (id, name) = (&step.id, &step.name);
        json!({"step_id": id, "step_name": name, "tool": step.tool, "depends_on": step.depends_on})
    };
    let steps: Vec<Value> = steps.iter().map(planned).collect();
    let mut data = json!({"revision": revision, "steps": steps});
    told_into(&mut data, "fixes", fixes, lang);
    ("plan.proposed", None, data)
}

fn started(state: &State, step: &StepId, attempt: u32, arguments: &Payload) -> StreamedEvent {
    let planned = state.step(step.as_str());
    let sent = planned.and_then(|step| step.sent.as_ref());
    let holes = sent.map_or(&[][..], |sent| &sent.holes);
    let mut data = json!({
        "attempt": attempt,
        "step_name": planned.map(|step| &step.plan.name),
        "tool": planned.map(Step::tool),
        "arguments": with_references(shown(arguments), holes),
        "key": planned.map(|step| state.effect_key(step)),
    });
    mark_simulated(&mut data, state, planned);
    ("step.started", Some(step.clone()), data)
}

/// Replaces each hole by a reference to its blob.
pub(super) fn with_references(mut arguments: Value, holes: &[Hole]) -> Value {
    for hole in holes {
        if let Some(place) = arguments.pointer_mut(&hole.at) {
            *place = match &hole.key {
                Some(key) => json!({"blob": hole.blob, "key": key}),
                None => json!({"blob": hole.blob}),
            };
        }
    }
    arguments
}

/// Marks the event of a simulated call.
fn mark_simulated(data: &mut Value, state: &State, step: Option<&Step>) {
    let simulated = step.is_some_and(|step| is_simulated(state, step));
    if let Some(map) = data.as_object_mut().filter(|_| simulated) {
        map.insert("simulated".to_owned(), Value::Bool(true));
    }
}

fn finished(
    state: &State,
    (step, attempt): (&StepId, u32),
    outcome: &CallOutcome,
    retry_at: Option<String>,
) -> Vec<StreamedEvent> {
    let lang =
        state.submission.as_ref().map(|submission| submission.options.lang).unwrap_or_default();
    let now = state.step(step.as_str());
    let duration_ms = now.and_then(Step::duration_ms);
    let of = |name, data| (name, Some(step.clone()), data);
    match outcome {
        CallOutcome::Succeeded(output) => {
            let index = state.context.index_of(step.as_str());
            let synced = index.map(|index| state.context.synced_fields(index).to_vec());
            let mut data = json!({
                "attempt": attempt, "duration_ms": duration_ms, "output": shown(output), "synced": synced,
            });
            mark_simulated(&mut data, state, now);
            vec![of("step.succeeded", data)]
        }
        CallOutcome::Failed { fault, .. } => {
            let data = json!({"attempt": attempt, "duration_ms": duration_ms, "error": error(fault, lang)});
            let mut events = vec![of("step.failed", data)];
            let retries = now.map_or(0, |step| step.retries);
            events
                .extend(retry_at.map(|at| of("step.retried", json!({"at": at, "retry": retries}))));
            events
        }
        CallOutcome::InDoubt(fault) => {
            vec![of("effect.unknown", json!({"attempt": attempt, "error": error(fault, lang)}))]
        }
        CallOutcome::Lost => {
            let key = now.map(|step| state.effect_key(step));
            vec![of("effect.unknown", json!({"attempt": attempt, "key": key, "lost": true}))]
        }
    }
}

fn ended(state: &State, ending: &TaskEnding, result_of: &[StepId], lang: Lang) -> StreamedEvent {
    let output = |id: &StepId| {
        let result = state.context.result(state.context.index_of(id.as_str())?)?;
        Some((id.to_string(), shown(&result.output)))
    };
    let result: Map<String, Value> = result_of.iter().filter_map(output).collect();
    match ending {
        TaskEnding::Completed => {
            ("task.succeeded", None, json!({"result_of": result_of, "result": result}))
        }
        TaskEnding::Failed { fault } => {
            let data =
                json!({"result_of": result_of, "result": result, "error": error(fault, lang)});
            ("task.failed", None, data)
        }
        TaskEnding::Cancelled { reason } => ("task.cancelled", None, json!({"reason": reason})),
    }
}

/// Renders a fault for clients: a stable code, a message, and the next action.
pub fn error(fault: &Fault, lang: Lang) -> Value {
    json!({"code": fault.code(), "message": fault.message(lang), "next": fault.next(lang)})
}

/// Renders values that filled slots, with secrets masked.
pub(super) fn masked_values(values: &BTreeMap<String, FilledSlot>) -> Value {
    let shown = |(at, slot): (&String, &FilledSlot)| {
        let name = at.rsplit('/').next().unwrap_or_default();
        let value = masked_under(name, &slot.value).into_owned();
        let slot = json!({"value": value, "source": slot.source, "confidence": slot.confidence});
        (at.clone(), slot)
    };
    Value::Object(values.iter().map(shown).collect())
}
