//! Turns an effect into the events that start it, or that tell why it cannot start.
//!
//! - in: the state, an effect that `decide` returned, its blobs and the schemas of the tools
//! - out: events to append before the effect is carried out
//! - never: carries out an effect

use super::work::work;
use crate::ask::purpose::Purpose;
use crate::ask::usage::count_request;
use crate::budget::ledger::Reserved;
use crate::budget::limit::{BudgetLimit, LimitReached};
use crate::budget::same::fingerprint;
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{MissingValue, blobs_needed, blobs_read, resolve};
use crate::document::DEEPEST;
use crate::effect::Effect;
use crate::evaluate::{extract, judge, result};
use crate::execute::started::simulation;
use crate::execute::started::started;
use crate::execute::started::too_deep;
use crate::execute::{approval, frame, gather, model_step, own_calls, slots};
use crate::fault::Fault;
use crate::finalize::ending::ending;
use crate::finalize::message;
use crate::goal::spec::{RecoveryMode, ValueInference};
use crate::ids::{BlobId, StepId};
use crate::inputs::Inputs;
use crate::intake::reserved::OUTPUTS;
use crate::journal::event::Event;
use crate::journal::outcome::{CallOutcome, TaskEnding};
use crate::journal::question::QuestionSubject;
use crate::journal::submission::EffectMode;
use crate::learn::look_back;
use crate::payload::{Payload, depth_is_within};
use crate::plan::draft::changes;
use crate::plan::{propose, select, strategy};
use crate::recover::ladder::RecoveryStep;
use crate::recover::{infer, ladder, reflect, revise};
use crate::schema::schema_at;
use crate::stage::question::limit_reached;
use crate::stage::question::question;
use crate::state::frame::is_unhandled;
use crate::state::step::is_filled;
use crate::state::step::{Step, StepStatus};
use crate::state::{Phase, State};
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the blobs that must be loaded before an effect can begin.
pub fn needs(state: &State, effect: &Effect) -> Vec<BlobId> {
    match effect {
        Effect::Make(index) | Effect::Recover(index) | Effect::AskAgain(index) => {
            let Some(step) = state.step_at(*index) else { return vec![] };
            let sent = step.sent.as_ref().filter(|_| !matches!(effect, Effect::AskAgain(_)));
            match (sent, own(step.tool())) {
                // Arguments of tools and frames stay in their blobs until they are read.
                (Some(_), None | Some(OwnCall::Loop | OwnCall::SubFlow)) => vec![],
                (None, None | Some(OwnCall::Loop | OwnCall::SubFlow)) => {
                    blobs_needed(&step.template, &state.context)
                }
                // Own calls need their arguments whole, also on a retry.
                (Some(sent), Some(_)) => sent.blobs(),
                (None, Some(_)) => blobs_read(&step.template, &state.context),
            }
        }
        Effect::Ask(Purpose::Evaluate | Purpose::Report) | Effect::Answer => result::blobs(state),
        Effect::Turn(index) => frame::needs(state, *index),
        Effect::Gather(_)
        | Effect::Clarify(_)
        | Effect::AskForTime
        | Effect::Ask(_)
        | Effect::ChooseStrategy
        | Effect::Recall
        | Effect::Work(_)
        | Effect::ApprovePlan
        | Effect::Judge
        | Effect::Revise
        | Effect::AskForHelp
        | Effect::Learn
        | Effect::Close => vec![],
    }
}

/// Returns the events that start an effect.
pub fn begin(state: &State, effect: &Effect, inputs: &Inputs<'_>) -> Vec<Event> {
    if is_void(state, effect) {
        return vec![];
    }
    match effect {
        Effect::Make(index) => {
            return state.step_at(*index).map(|step| make(state, step, inputs)).unwrap_or_default();
        }
        Effect::Gather(index) => return gather::events(state, *index),
        Effect::Turn(index) => return frame::turn(state, *index, inputs),
        Effect::Recover(index) => return recover(state, *index, inputs),
        Effect::Ask(purpose) => return ask_for(state, purpose, inputs),
        Effect::Work(job) => return work(state, *job, inputs).events,
        Effect::Revise => return revised(state),
        Effect::Judge => return judge::without_model(state),
        Effect::Clarify(index) => clarify(state, *index),
        Effect::AskAgain(index) => slots::ask_again(state, *index, inputs),
        Effect::AskForTime => {
            Some(question(state, None, QuestionSubject::Time { after_ms: state.active_ms }))
        }
        Effect::ChooseStrategy => strategy::by_words(state, inputs.planner),
        // Experience is stored outside of the state; the engine looks it up.
        Effect::Recall => None,
        Effect::ApprovePlan => {
            let about = QuestionSubject::Plan { revision: state.revision, changes: changes(state) };
            Some(question(state, None, about))
        }
        Effect::Answer => Some(judge::plain_answer(state, inputs.blobs)),
        Effect::AskForHelp => {
            Some(question(state, None, QuestionSubject::Help { reason: stuck(state) }))
        }
        Effect::Learn => Some(look_back::without_model(state, inputs)),
        Effect::Close => Some(close(state)),
    }
    .into_iter()
    .collect()
}

/// Returns true if an effect begun just before rules this one out: the task is stopping, or waits for a person.
fn is_void(state: &State, effect: &Effect) -> bool {
    if matches!(state.phase, Phase::Stopping(_)) {
        // An open question does not keep a task from ending.
        return *effect != Effect::Close;
    }
    state.is_held() && !matches!(effect, Effect::Clarify(_) | Effect::Close)
}

/// Returns the next recovery events of a failing step, or the start of the model call about it.
fn recover(state: &State, index: StepIndex, inputs: &Inputs<'_>) -> Vec<Event> {
    match ladder::next(state, index, inputs) {
        RecoveryStep::Events(events) => events,
        RecoveryStep::Ask(purpose) => ask_for(state, &purpose, inputs),
    }
}

/// Returns the start of a model call, or the event for the budget limit that it would exceed.
pub fn ask_for(state: &State, purpose: &Purpose, inputs: &Inputs<'_>) -> Vec<Event> {
    // An output that is too long to be shown is extracted first.
    let due = extract::due(state, inputs, purpose);
    let purpose = due.as_ref().unwrap_or(purpose);
    let composed = match purpose {
        Purpose::Strategy => strategy::ask(state, inputs),
        Purpose::Select => select::ask(state, inputs),
        Purpose::Plan | Purpose::Replan => propose::ask(state, inputs, purpose),
        Purpose::Infer { .. } => infer::ask(state, inputs, purpose),
        Purpose::Reflect { .. } | Purpose::Repair { .. } => reflect::ask(state, inputs, purpose),
        Purpose::Evaluate => judge::ask(state, inputs),
        Purpose::ReflectOverall => revise::ask(state, inputs),
        Purpose::Extract { step } => extract::ask(state, inputs, step),
        Purpose::Report => judge::ask_report(state, inputs),
        Purpose::Tell => message::ask(state, inputs),
        Purpose::Learn => look_back::ask(state, inputs),
    };
    let pinned_model = state.goal_spec().and_then(|spec| spec.model_for(purpose));
    let (Some(request), Some(pinned_model), Some(goal_state)) =
        (composed, pinned_model, state.goal.as_deref())
    else {
        return vec![];
    };
    let prompt = count_request(&request, inputs.tokens);
    let reserved = Reserved { prompt, completion: request.max_tokens.into() };
    let budget = state.goal_spec().map(|spec| &spec.budget);
    let hit =
        budget.and_then(|b| state.ledger.before_ask(b, reserved, pinned_model.price.as_ref()));
    if let Some(hit) = hit {
        return vec![
            without_model(state, purpose, inputs).unwrap_or_else(|| limit_reached(state, hit)),
        ];
    }
    vec![Event::AskStarted {
        ask: goal_state.asks.made + 1,
        purpose: purpose.clone(),
        model: pinned_model.model.clone(),
        reserved,
        request: Payload::json(serde_json::to_value(&request).unwrap_or_default()),
    }]
}

/// Returns the fallback for messages and learning, which are not worth stopping a task for.
fn without_model(state: &State, purpose: &Purpose, inputs: &Inputs<'_>) -> Option<Event> {
    let learnt = (*purpose == Purpose::Learn).then(|| look_back::without_model(state, inputs));
    learnt.or_else(|| (*purpose == Purpose::Tell).then(message::none))
}

/// Returns the plan revision that reflection asks for, or the event for the limit that it would exceed.
fn revised(state: &State) -> Vec<Event> {
    let (Some(spec), Some(goal_state)) = (state.goal_spec(), state.goal.as_deref()) else {
        return vec![];
    };
    let raised = state.ledger.raised.get(&BudgetLimit::Replans).copied().unwrap_or_default();
    let cap = spec.manner.max_task_replans.map(|cap| u64::from(cap).saturating_add(raised));
    let capped = cap.filter(|cap| state.ledger.replans >= *cap);
    let hit = capped.map(|allowed| LimitReached {
        wall: BudgetLimit::Replans,
        wanted: allowed + 1,
        allowed,
    });
    if let Some(hit) = hit.or_else(|| state.ledger.before_replan(&spec.budget)) {
        return vec![limit_reached(state, hit)];
    }
    let revised = goal_state
        .recovery
        .reflection
        .as_ref()
        .map(|reflection| revise::revision(state, reflection));
    revised.map(|revision| Event::PlanRevised(Box::new(revision))).into_iter().collect()
}

/// Returns the reason for which a person is asked for help.
fn stuck(state: &State) -> String {
    let goal_state = state.goal.as_deref();
    let reflection = goal_state.and_then(|goal_state| goal_state.recovery.reflection.as_ref());
    let cause = reflection.and_then(|reflection| reflection.root_causes.first().cloned());
    let failed = state.steps.iter().find(|step| !step.dropped && step.status == StepStatus::Error);
    let fault = failed.and_then(|step| step.fault.as_ref()).map(ToString::to_string);
    cause.or(fault).unwrap_or_default()
}

/// Returns true if the step's call asks a model.
fn asks(step: &Step) -> bool {
    own(step.tool()).is_some_and(OwnCall::asks_a_model) && step.plan.body().is_none()
}

/// Returns the start of a step's call, or the events that must come before it.
fn make(state: &State, step: &Step, inputs: &Inputs<'_>) -> Vec<Event> {
    let own = own(step.tool());
    if own == Some(OwnCall::Choice) {
        let start = started(step, None, Payload::json(Value::Null), vec![]);
        return own_calls::choose(state, step, start, inputs);
    }
    let start = start(state, step, inputs);
    let first = if own.is_none() { before_tool(state, step, &start, inputs) } else { None };
    // This is the only place where a call is held for approval.
    let held = first.or_else(|| approval::before(state, step, &start, inputs));
    match (held, own) {
        (Some(held), _) => held,
        (None, Some(_)) if asks(step) => model_step::begin::begin(state, step, start, inputs),
        (None, Some(own)) => own_calls::events(state, step, (own, start), inputs.blobs),
        (None, None) => of_tool(state, step, start),
    }
}

/// Returns the events that must come before a tool call, besides approval: a model call that infers values, or the
/// event for a budget limit.
fn before_tool(
    state: &State,
    step: &Step,
    start: &Event,
    inputs: &Inputs<'_>,
) -> Option<Vec<Event>> {
    let Event::StepStarted { arguments, .. } = start else { return None };
    let values = Purpose::Infer { step: step.plan.id.clone() };
    if wants_values(state, step, &values) {
        return Some(ask_for(state, &values, inputs));
    }
    call_wall(state, step, arguments).map(|hit| vec![limit_reached(state, hit)])
}

/// Returns the start of a tool call, and also its end if a fork simulates the call.
fn of_tool(state: &State, step: &Step, start: Event) -> Vec<Event> {
    let Event::StepStarted { attempt, .. } = start else { return vec![start] };
    match simulation(state, step) {
        Some(EffectMode::Simulate) => {
            let outcome = CallOutcome::Succeeded(simulated_output(state, step));
            let id = step.plan.id.clone();
            let ended =
                Event::StepFinished { step: id, attempt, outcome, retry_at: None, usage: None };
            vec![start, ended]
        }
        Some(EffectMode::Ask | EffectMode::Real) | None => vec![start],
    }
}

/// Returns true if a model must look at the values of every step and has not looked at those of this one.
fn wants_values(state: &State, step: &Step, purpose: &Purpose) -> bool {
    let (Some(spec), Some(goal_state)) = (state.goal_spec(), state.goal.as_deref()) else {
        return false;
    };
    let index = state.context.index_of(step.plan.id.as_str());
    let known = index
        .and_then(|index| goal_state.recovery.ailments.get(&index))
        .is_some_and(|a| a.inferred);
    spec.manner.inference == ValueInference::All
        && spec.model_for(purpose).is_some()
        && !known
        && step.sent.is_none()
        && !goal_state.is_unanswered(purpose)
}

/// Returns the limit that a call would exceed. A retry within a generation is not a repetition of the same call.
fn call_wall(state: &State, step: &Step, arguments: &Payload) -> Option<LimitReached> {
    let (spec, goal_state) = (state.goal_spec()?, state.goal.as_deref()?);
    let key = fingerprint(step.tool(), arguments);
    let same = goal_state.recovery.same_calls.get(&key).copied().filter(|_| step.sent.is_none());
    state.ledger.before_call(&spec.budget, same.unwrap_or_default())
}

fn simulated_output(state: &State, step: &Step) -> Payload {
    let parent = state.submission.as_ref().and_then(|submission| submission.parent.as_ref());
    let known = parent.and_then(|parent| parent.simulated.get(&step.plan.id));
    known.cloned().unwrap_or_else(|| Payload::json(serde_json::json!({"simulated": true})))
}

fn start(state: &State, step: &Step, inputs: &Inputs<'_>) -> Event {
    if let Some(sent) = &step.sent {
        return started(step, sent.tool.clone(), sent.arguments.clone(), sent.holes.clone());
    }
    if is_filled(step) {
        return slots::start(state, step, inputs);
    }
    let on_unresolved =
        state.submission.as_ref().map(|s| s.options.on_unresolved).unwrap_or_default();
    let resolved = match resolve(&step.template, &state.context, inputs.blobs, on_unresolved) {
        Ok(resolved) => resolved,
        Err(misses) => return missing(state, step, misses, inputs),
    };
    // A hole is `null` until the call is made; the complete arguments are checked then.
    let errors = match resolved.holes.as_slice() {
        _ if !depth_is_within(&resolved.value, DEEPEST) => vec![too_deep()],
        [] => inputs.tools.input_errors(&step.plan.tool, &resolved.value),
        _ => vec![],
    };
    if !errors.is_empty() {
        return Event::StepRefused {
            step: step.plan.id.clone(),
            fault: Fault::ParamsInvalid { errors },
        };
    }
    started(step, None, Payload::json(resolved.value), resolved.holes)
}

fn missing(state: &State, step: &Step, misses: Vec<MissingValue>, inputs: &Inputs<'_>) -> Event {
    use crate::dataflow::resolve::OnUnresolved;
    let schema = inputs.tools.input_schema(&step.plan.tool);
    let field = |miss: &MissingValue| {
        let schema = schema.and_then(|schema| schema_at(schema, &miss.pointer));
        (miss.pointer.clone(), schema.cloned().unwrap_or(Value::Bool(true)))
    };
    let fields: BTreeMap<String, Value> = misses.iter().map(field).collect();
    let fault = Fault::UnresolvedPlaceholder { misses };
    let ask =
        state.submission.as_ref().is_some_and(|s| s.options.on_unresolved == OnUnresolved::Ask);
    // The goal's own recovery comes first, and asks the user if it must.
    let helped = state.goal_spec().is_some_and(|spec| spec.manner.recovery != RecoveryMode::Off);
    if !ask || helped {
        return Event::StepRefused { step: step.plan.id.clone(), fault };
    }
    question(
        state,
        Some(step.plan.id.clone()),
        QuestionSubject::Param { fault, fields, form: None },
    )
}

/// Clarifies a call in doubt: with the tool's `check_with`, once per generation, then by a question to the user.
fn clarify(state: &State, index: StepIndex) -> Option<Event> {
    let step = state.step_at(index)?;
    let contract = state.contract(step.tool());
    let checker = contract.and_then(|contract| contract.check_with.as_ref());
    if checker.is_some_and(|tool| state.contract(tool).is_some()) && !step.checked {
        return Some(Event::CheckStarted { step: step.plan.id.clone() });
    }
    let about = QuestionSubject::InDoubt {
        tool: step.tool().clone(),
        key: state.effect_key(step),
        started_at: step.started_at.unwrap_or_default(),
        fault: step
            .fault
            .clone()
            .unwrap_or_else(|| Fault::Interrupted { tool: step.tool().clone() }),
    };
    Some(question(state, Some(step.plan.id.clone()), about))
}

/// Ends the task: as it was stopped, or by the outcome of its goal or its steps.
fn close(state: &State) -> Event {
    let ending = match (&state.phase, state.goal.as_deref()) {
        (Phase::Stopping(ending), _) => ending.clone(),
        (_, Some(goal_state)) => ending(state, goal_state),
        (_, None) => {
            let failed = state.steps.iter().filter(|step| is_unhandled(state, step));
            let steps: Vec<StepId> = failed.map(|step| step.plan.id.clone()).collect();
            let fault = Fault::StepsFailed { steps: steps.clone() };
            if steps.is_empty() { TaskEnding::Completed } else { TaskEnding::Failed { fault } }
        }
    };
    Event::TaskFinished { ending, result_of: result_of(state) }
}

/// Returns the steps whose outputs are the result of the task. A flow with `outputs` returns these or nothing;
/// otherwise the result is every successful step without dependents. Steps that handle a failure or run after all
/// others do not count.
fn result_of(state: &State) -> Vec<StepId> {
    let is_flow = state.submission.as_ref().is_some_and(|s| s.flow.is_some());
    if let Some(outputs) = state.step(OUTPUTS).filter(|_| is_flow) {
        let given = Some(outputs).filter(|step| step.status == StepStatus::Success);
        return given.map(|step| step.plan.id.clone()).into_iter().collect();
    }
    let used = |step: &Step| {
        let mut dependents = step.dependents.iter().filter_map(|d| state.step_at(d.step));
        dependents.any(|dependent| !dependent.dropped && !dependent.plan.is_aside())
    };
    let counts = |step: &Step| !step.dropped && !step.plan.is_aside();
    let last = |step: &&Step| step.status == StepStatus::Success && counts(step) && !used(step);
    state.steps.iter().filter(last).map(|step| step.plan.id.clone()).collect()
}
