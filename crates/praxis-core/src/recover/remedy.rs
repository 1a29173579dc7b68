//! Repairs that the `FaultClass` of a failure allows without asking anyone.
//!
//! - in: a failed step and its fault
//! - out: the only change that can have been meant, or `None`
//! - never: guesses the arguments of a call that changes something

use super::fewer::fewer;
use super::known::known_as;
use super::rule;
use super::tool_hints::heed;
use super::widen::wider;
use crate::call::risk::Risk;
use crate::dataflow::context::StepIndex;
use crate::dataflow::lex::{self, LexedPiece};
use crate::dataflow::path::Segment;
use crate::dataflow::resolve::{MissingValue, OnUnresolved, resolve};
use crate::fault::Fault;
use crate::fault::class::FaultClass;
use crate::field_error::FieldError;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::rung::RecoveryRung;
use crate::pointer::pointer_to;
use crate::schema::coerce::coerced;
use crate::schema::schema_at;
use crate::state::State;
use crate::state::failing::FailingStep;
use crate::state::step::{Step, StepStatus};
use serde_json::Value;
use std::collections::BTreeMap;

/// The limit on stepwise changes of one step.
const MOST_EASED: u32 = 3;

/// Returns the change that repairs a failed step, if its class has one. A class repairs a step once, or stepwise.
pub fn remedy(
    state: &State,
    step: &Step,
    (fault, failing_step): (&Fault, &FailingStep),
    inputs: &Inputs<'_>,
) -> Option<Event> {
    let class = FaultClass::of(fault);
    if class.is_eased_stepwise() {
        return eased(state, step, (class, failing_step), inputs);
    }
    if failing_step.mended.contains(&class) {
        return None;
    }
    match class {
        FaultClass::MissingParam | FaultClass::Format | FaultClass::EnumInvalid => {
            let set = if let Fault::ParamsInvalid { errors } = fault {
                put_right(state, step, errors, inputs)?
            } else {
                heed(state, step, fault, inputs)?
            };
            Some(amended(step, None, None, set, rule::FORM))
        }
        FaultClass::UnresolvedRef => {
            let Fault::UnresolvedPlaceholder { misses } = fault else { return None };
            let parameters = rebound(state, step, misses)?;
            Some(amended(step, None, Some(parameters), BTreeMap::new(), rule::ONLY_STEP))
        }
        FaultClass::Timeout | FaultClass::Transient | FaultClass::ToolUnknown => {
            let tool = alternative(state, step, inputs)?;
            Some(amended(step, Some(tool), None, BTreeMap::new(), rule::OTHER_TOOL))
        }
        FaultClass::NotFound
        | FaultClass::RateLimited
        | FaultClass::Auth
        | FaultClass::TooLarge
        | FaultClass::EmptyResult
        | FaultClass::SemanticBad
        | FaultClass::SideEffectUnknown
        | FaultClass::Denied
        | FaultClass::Ended
        | FaultClass::Unknown => None,
    }
}

/// Returns the next stepwise change. An output that is too large gets a smaller page; an empty one a wider search,
/// then another tool that did not fail with the same class.
fn eased(
    state: &State,
    step: &Step,
    (class, failing_step): (FaultClass, &FailingStep),
    inputs: &Inputs<'_>,
) -> Option<Event> {
    let risk = state.contract(step.tool())?.risk;
    if risk != Risk::Read || failing_step.eased >= MOST_EASED {
        return None;
    }
    if class == FaultClass::TooLarge {
        let (name, half) = fewer(state, step, inputs)?;
        let set = BTreeMap::from([(pointer_to("", &name), half)]);
        return Some(amended(step, None, None, set, &rule::fewer(&name)));
    }
    if let Some((name, parameters)) = wider(state, step, inputs) {
        let why = rule::without(&name);
        return Some(amended(step, None, Some(parameters), BTreeMap::new(), &why));
    }
    let other = alternative(state, step, inputs)?;
    let failed = failing_step.failures.iter().any(|f| f.tool == other && f.class == class);
    (!failed).then(|| amended(step, Some(other), None, BTreeMap::new(), rule::OTHER_TOOL))
}

fn amended(
    step: &Step,
    tool: Option<ToolId>,
    parameters: Option<Value>,
    set: BTreeMap<String, Value>,
    why: &str,
) -> Event {
    Event::StepAmended {
        step: step.plan.id.clone(),
        rung: RecoveryRung::Class,
        tool,
        parameters,
        set,
        why: why.to_owned(),
        by: rule::BY.to_owned(),
    }
}

/// Finds a value for every parameter that does not fit; `None` if one of them cannot be repaired.
fn put_right(
    state: &State,
    step: &Step,
    errors: &[FieldError],
    inputs: &Inputs<'_>,
) -> Option<BTreeMap<String, Value>> {
    let schema = inputs.tools.input_schema(&step.plan.tool)?;
    let resolved =
        resolve(&step.template, &state.context, inputs.blobs, OnUnresolved::Keep).ok()?;
    let risk = state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
    let mut set = BTreeMap::new();
    for error in errors {
        if let Some(name) = error.missing() {
            let pointer = pointer_to(&error.pointer, name);
            let property = schema_at(schema, &pointer)?;
            let found = known_as(state, name)?;
            let fits = coerced(&found, property, false).unwrap_or(found);
            set.insert(pointer, fits);
            continue;
        }
        let property = schema_at(schema, &error.pointer)?;
        let value = resolved.value.pointer(&error.pointer)?;
        set.insert(error.pointer.clone(), coerced(value, property, risk == Risk::Read)?);
    }
    (!set.is_empty()).then_some(set)
}

/// Binds every unresolved reference to the only step whose output has its field.
fn rebound(state: &State, step: &Step, misses: &[MissingValue]) -> Option<Value> {
    let mut parameters = step.plan.parameters.clone();
    for miss in misses {
        let field = field_of(&miss.placeholder)?;
        let source = only_step_with(state, &field)?;
        let place = parameters.pointer_mut(&miss.pointer)?;
        let text = place.as_str()?;
        let bound = format!("{{{{{source}.outputs.{field}}}}}");
        *place = Value::from(text.replace(&miss.placeholder, &bound));
    }
    (parameters != step.plan.parameters).then_some(parameters)
}

fn field_of(placeholder: &str) -> Option<String> {
    let pieces = lex::lex(placeholder);
    let Some(LexedPiece::Reference(reference)) = pieces.first() else { return None };
    match reference.segments.last()? {
        Segment::Key(name) => Some(name.to_string()),
        Segment::Quoted(_) | Segment::Index(_) => None,
    }
}

fn only_step_with(state: &State, field: &str) -> Option<String> {
    let has = |(index, step): &(usize, &Step)| {
        let index = StepIndex::at(*index);
        let result = state.context.result(index);
        step.status == StepStatus::Success
            && result.is_some_and(|result| result.output.field(field).is_some())
    };
    let mut found = state.steps.iter().enumerate().filter(has);
    let (_, step) = found.next()?;
    found.next().is_none().then(|| step.plan.id.to_string())
}

/// Returns the first tool among the manifest's `alternatives` that was selected, has no higher risk and accepts the
/// same arguments.
fn alternative(state: &State, step: &Step, inputs: &Inputs<'_>) -> Option<ToolId> {
    let tool = inputs.library?.tool(&step.plan.tool)?;
    let goal_state = state.goal.as_deref()?;
    let risk = state.contract(step.tool())?.risk;
    let resolved =
        resolve(&step.template, &state.context, inputs.blobs, OnUnresolved::Keep).ok()?;
    let fits = |other: &&ToolId| {
        let same_risk = state.contract(other).is_some_and(|contract| contract.risk <= risk);
        let known = goal_state.has_tool(other) && inputs.tools.input_schema(other).is_some();
        known && same_risk && inputs.tools.input_errors(other, &resolved.value).is_empty()
    };
    tool.alternatives.iter().find(fits).cloned()
}
