//! The approval gate before every call: a call is allowed, put to a person, or denied.
//!
//! - in: a step and the arguments that it would send
//! - out: nothing if the call may be made; else the question or the refusal
//! - never: asks again about a call that was approved unchanged, or lets through a call that was not approved

use super::slots;
use super::started::simulation;
use crate::call::approval::{ApprovalRuling, ByRisk, CallPolicy, Policy, PolicySource};
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::call::risk::Risk;
use crate::dataflow::resolve::Hole;
use crate::fault::Fault;
use crate::goal::spec::PlanApproval;
use crate::inputs::Inputs;
use crate::journal::draft::{ArgumentDraft, call_fingerprint};
use crate::journal::event::Event;
use crate::journal::question::QuestionSubject;
use crate::journal::selection::SelectionMethod;
use crate::journal::submission::EffectMode;
use crate::payload::shown;
use crate::payload::{LARGE_BYTES, Payload, text_is_within};
use crate::stage::question::question;
use crate::state::State;
use crate::state::step::Step;
use serde_json::Value;

/// Returns the events that replace the call: a question or a refusal. Returns `None` if the call may be made.
pub fn before(
    state: &State,
    step: &Step,
    start: &Event,
    inputs: &Inputs<'_>,
) -> Option<Vec<Event>> {
    let Event::StepStarted { arguments, holes, .. } = start else { return None };
    // A simulated call changes nothing.
    if simulation(state, step) == Some(EffectMode::Simulate) {
        return None;
    }
    let ruling = ruling(state, step);
    match ruling.permit {
        CallPolicy::Allow => None,
        CallPolicy::Ask if is_approved(step, ruling.by, &call_print(step, arguments, holes)) => {
            None
        }
        CallPolicy::Ask => {
            let about = asked(state, step, (arguments, holes), (ruling.by, inputs));
            Some(vec![question(state, Some(step.plan.id.clone()), about)])
        }
        CallPolicy::Deny => {
            let fault = Fault::CallDenied {
                tool: step.tool().clone(),
                reason: String::new(),
                by: Some(ruling.by),
            };
            Some(vec![Event::StepRefused { step: step.plan.id.clone(), fault }])
        }
    }
}

/// Returns the policy for the next call of a step, and its source.
pub fn ruling(state: &State, step: &Step) -> ApprovalRuling {
    let agent = agent_of(state, step);
    let said = |step: &Step| step.plan.node.as_ref().and_then(|node| node.approve);
    let node = said(agent.unwrap_or(step));
    let policy = state.submission.as_ref().map(|s| s.options.approval.clone()).unwrap_or_default();
    match own(step.tool()) {
        // `Approve` asks a person anyway, `Choice` calls nothing, and the policy of an `Agent` node applies to the
        // calls that its model makes.
        Some(OwnCall::Approve | OwnCall::Choice | OwnCall::Agent | OwnCall::Sql) => {
            ApprovalRuling { permit: CallPolicy::Allow, by: PolicySource::Node }
        }
        // The engine's own calls have no risk of their own: only the flow can require approval for them.
        Some(_) => {
            let read = policy.task.read.filter(|permit| *permit == CallPolicy::Allow);
            let task = ByRisk { read, ..ByRisk::default() };
            Policy { task, ..Policy::default() }.ruling(Risk::Read, None, node)
        }
        None => {
            let tool = state.contract(step.tool()).and_then(|contract| contract.approval);
            let risk = risk(state, step);
            let ruling = policy.ruling(risk, tool, node);
            let allowed = [node, policy.task.of(risk)].contains(&Some(CallPolicy::Allow));
            let ruling = if agent.is_some() && risk > Risk::Read && !allowed {
                ruling.at_least(CallPolicy::Ask, PolicySource::Agent)
            } else {
                ruling
            };
            let ruling = if plan_asks(state, step) {
                ruling.at_least(CallPolicy::Ask, PolicySource::Plan)
            } else {
                ruling
            };
            let fork_asks = simulation(state, step) == Some(EffectMode::Ask);
            if fork_asks { ruling.at_least(CallPolicy::Ask, PolicySource::Fork) } else { ruling }
        }
    }
}

/// Returns the agent step whose model chose this call.
fn agent_of<'a>(state: &'a State, step: &Step) -> Option<&'a Step> {
    let owner = step.frame?;
    let looks = state.frames.get(&owner).is_some_and(|frame| frame.fills);
    let owner = state.step_at(owner).filter(|_| !looks)?;
    let is_agent = owner.plan.body().is_some_and(|body| body.agent.is_some());
    (is_agent && step.plan.is_literal()).then_some(owner)
}

/// Returns the risk of a step's call. A tool without a contract counts as `Risk::Write`.
fn risk(state: &State, step: &Step) -> Risk {
    state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk)
}

/// Returns true if the goal requires approval for this call because it changes something. A call that a workflow
/// makes as written needs none.
fn plan_asks(state: &State, step: &Step) -> bool {
    let (Some(spec), Some(goal_state)) = (state.goal_spec(), state.goal.as_deref()) else {
        return false;
    };
    let by_workflow =
        goal_state.planning.selection.as_ref().is_some_and(|s| s.by == SelectionMethod::Workflow);
    let as_written =
        by_workflow && step.generation == 1 && step.given.values().all(|g| g.rung.is_none());
    risk(state, step) > Risk::Read && spec.manner.approval != PlanApproval::Allow && !as_written
}

/// Returns true if a person approved exactly this call: by an answer about it, or with a plan that showed all its
/// arguments.
fn is_approved(step: &Step, by: PolicySource, print: &str) -> bool {
    match &step.approved_print {
        Some(approved) => step.approved && approved == print,
        None => {
            step.approved
                && (matches!(by, PolicySource::Plan | PolicySource::Fork) || is_literal(step))
        }
    }
}

/// Returns true if the parameters have no placeholders, so that the plan showed all that the step sends.
fn is_literal(step: &Step) -> bool {
    let mut placeholders = 0_usize;
    step.template.each_placeholder(&mut |_| placeholders += 1);
    placeholders == 0
}

fn call_print(step: &Step, arguments: &Payload, holes: &[Hole]) -> String {
    match arguments {
        Payload::Json(value) => call_fingerprint(step.tool(), value, holes),
        Payload::Blob(stored) => {
            call_fingerprint(step.tool(), &Value::from(stored.blob.as_str()), holes)
        }
    }
}

fn asked(
    state: &State,
    step: &Step,
    (arguments, holes): (&Payload, &[Hole]),
    (by, inputs): (PolicySource, &Inputs<'_>),
) -> QuestionSubject {
    let draft = match arguments {
        // A retry of the same generation sends the same arguments, so they cannot be changed.
        Payload::Json(value) if step.sent.is_none() && text_is_within(value, LARGE_BYTES) => {
            let schema = slots::schema_of(step, inputs);
            let (arguments, holes) = (Value::clone(value), holes.to_vec());
            Some(Box::new(ArgumentDraft { schema, arguments, holes }))
        }
        Payload::Json(_) | Payload::Blob(_) => None,
    };
    let (tool, key) = (step.tool().clone(), state.effect_key(step));
    QuestionSubject::Approval {
        tool,
        key,
        arguments: shown(arguments),
        risk: Some(risk(state, step)),
        asked_by: Some(by),
        print: Some(call_print(step, arguments, holes)),
        draft,
    }
}
