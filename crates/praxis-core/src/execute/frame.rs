//! Advances frames (steps inside a step): starts another pass or ends the frame.
//!
//! - in: the state, the step that owns the frame, the blobs that [`needs`] returned
//! - out: the events of the frame's next turn
//! - never: makes a call; the steps inside are ordinary steps

use super::own_calls::operand;
use super::slots;
use crate::choice::branch::BranchChoice;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{LoadedBlobs, blobs_read, complete, whole};
use crate::dataflow::scope::NameScope;
use crate::dataflow::template::ParameterTemplate;
use crate::fault::Fault;
use crate::ids::BlobId;
use crate::inputs::Inputs;
use crate::intake::node::{LoopNode, OnFailure, StepBody};
use crate::intake::reserved::FIRST_OF;
use crate::intake::reserved::INDEX;
use crate::intake::reserved::ITEM;
use crate::intake::reserved::OVER;
use crate::intake::reserved::VARIABLES;
use crate::journal::event::Event;
use crate::journal::outcome::CallOutcome;
use crate::payload::{Payload, PayloadValue};
use crate::state::State;
use crate::state::frame::FrameState;
use crate::state::frame::is_unhandled;
use crate::state::frame::path;
use crate::state::step::{SentCall, Step};
use serde_json::{Map, Value, json};

/// A frame that is ready for its next turn, and the path in which its names are looked up.
pub(super) struct FrameTurn<'a> {
    pub(super) state: &'a State,
    pub(super) step: &'a Step,
    body: &'a StepBody,
    pub(super) frame: &'a FrameState,
    path: String,
    blobs: &'a LoadedBlobs,
}

/// Returns the blobs that must be loaded before a frame's turn.
pub fn needs(state: &State, owner: StepIndex) -> Vec<BlobId> {
    if state.frames.get(&owner).is_some_and(|frame| frame.fills) {
        return slots::needs(state, owner);
    }
    let none = LoadedBlobs::new();
    let Some(turn) = FrameTurn::of(state, owner, &none) else { return vec![] };
    let repeat = turn.body.repeat.as_ref();
    // Once a frame is open, its arguments are in its variables. Only a loop still reads its list from `sent`.
    let sent = turn.step.sent.iter().filter(|_| !turn.frame.opened || repeat.is_some());
    let mut needed: Vec<BlobId> = sent.flat_map(SentCall::blobs).collect();
    if turn.body.agent.is_some() {
        needed.extend(turn.given_in_blobs());
    }
    needed.extend(turn.frame.collected.iter().filter_map(|kept| kept.blob().cloned()));
    let until = repeat.and_then(|repeat| repeat.until.as_ref());
    let sides = until.into_iter().flat_map(|until| &until.conditions);
    let sides = sides.flat_map(|condition| [&condition.left].into_iter().chain(&condition.right));
    let set = repeat.into_iter().flat_map(|repeat| repeat.set.values().chain(&repeat.collect));
    for written in turn.body.outputs.values().chain(set).chain(sides) {
        needed.extend(blobs_read(&turn.template(written), &state.context));
    }
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// Returns the next events of a frame whose steps have all ended.
pub fn turn(state: &State, owner: StepIndex, inputs: &Inputs<'_>) -> Vec<Event> {
    if state.frames.get(&owner).is_some_and(|frame| frame.fills) {
        return slots::found(state, owner, inputs).into_iter().collect();
    }
    let Some(turn) = FrameTurn::of(state, owner, inputs.blobs) else { return vec![] };
    let event = match (&turn.body.repeat, turn.frame.pass) {
        _ if !turn.frame.opened => turn.opened(),
        (None, _) if turn.body.agent.is_some() => {
            turn.body.agent.as_ref().map_or_else(|| turn.ended(), |agent| turn.agent_turn(agent))
        }
        (None, 0) => Ok(turn.pass_started(None)),
        (None, _) => turn.ended(),
        (Some(repeat), 1..) if !turn.frame.over => turn.pass_over(repeat),
        (Some(repeat), _) => turn.next_pass(repeat),
    };
    vec![event.unwrap_or_else(|fault| turn.finished(CallOutcome::Failed { fault, output: None }))]
}

impl<'a> FrameTurn<'a> {
    fn of(state: &'a State, owner: StepIndex, blobs: &'a LoadedBlobs) -> Option<Self> {
        let step = state.step_at(owner)?;
        let (body, frame) = (step.plan.body()?, state.frames.get(&owner)?);
        Some(Self { state, step, body, frame, path: path(step, frame.pass), blobs })
    }

    fn template(&self, value: &Value) -> ParameterTemplate {
        ParameterTemplate::parse_in(value, NameScope::within(&self.state.context, &self.path))
    }

    /// Resolves the placeholders of a value.
    fn value(&self, written: &Value) -> Result<Value, Fault> {
        let scope = NameScope::within(&self.state.context, &self.path);
        whole(written, scope, self.blobs).map_err(|misses| match misses.as_slice() {
            [] => self.unreadable(),
            _ => Fault::UnresolvedPlaceholder { misses },
        })
    }

    fn object(&self, written: &Map<String, Value>) -> Result<Value, Fault> {
        let value = |(key, it): (&String, &Value)| Ok((key.clone(), self.value(it)?));
        written.iter().map(value).collect::<Result<Map<_, _>, _>>().map(Value::Object)
    }

    /// Resolves the outputs of the frame. Takes the first value of `FIRST_OF` that resolves, and null if none does.
    fn outputs(&self) -> Map<String, Value> {
        let first = |written: &Value| {
            let several = written.get(FIRST_OF).and_then(Value::as_array);
            let mut written = several.map_or_else(|| vec![written], |all| all.iter().collect());
            written.drain(..).find_map(|written| self.value(written).ok()).unwrap_or_default()
        };
        self.body.outputs.iter().map(|(key, written)| (key.clone(), first(written))).collect()
    }

    /// Returns the arguments that the step was sent.
    fn sent(&self) -> Result<Value, Fault> {
        let sent = self.step.sent.as_ref().ok_or_else(|| self.unreadable())?;
        complete(&sent.arguments, &sent.holes, self.blobs).ok_or_else(|| self.unreadable())
    }

    pub(super) fn unreadable(&self) -> Fault {
        Fault::Interrupted { tool: self.step.tool().clone() }
    }

    /// Returns the first failed step of the pass whose failure no other step handles.
    pub(super) fn failed(&self) -> Option<&'a Step> {
        let steps = self.frame.steps.iter().filter_map(|index| self.state.step_at(*index));
        let mut failed = steps.filter(|step| is_unhandled(self.state, step));
        failed.next()
    }

    fn opened(&self) -> Result<Event, Fault> {
        let mut given = self.sent()?;
        if self.body.repeat.is_some() {
            given = given.get_mut(VARIABLES).map(Value::take).unwrap_or_default();
        }
        let given = Some(given).filter(Value::is_object).unwrap_or_else(|| json!({}));
        Ok(Event::FrameOpened { step: self.step.plan.id.clone(), variables: Payload::json(given) })
    }

    pub(super) fn pass_started(&self, item: Option<Value>) -> Event {
        let pass = self.frame.pass + 1;
        let item = item.map(|item| (ITEM.to_owned(), item));
        let own: Map<String, Value> =
            [(INDEX.to_owned(), Value::from(pass))].into_iter().chain(item).collect();
        Event::PassStarted {
            step: self.step.plan.id.clone(),
            pass,
            variables: self.body.repeat.as_ref().map(|_| Payload::json(Value::Object(own))),
        }
    }

    /// Ends a pass, with the new values of the loop's variables and the value to collect.
    fn pass_over(&self, repeat: &LoopNode) -> Result<Event, Fault> {
        let failed = self.failed().map(|step| step.plan.id.clone());
        let well = failed.is_none();
        let set = Some(&repeat.set).filter(|set| well && !set.is_empty());
        let collect = repeat.collect.as_ref().filter(|_| well);
        Ok(Event::PassEnded {
            step: self.step.plan.id.clone(),
            pass: self.frame.pass,
            failed,
            set: set.map(|set| self.object(set)).transpose()?.map(Payload::json),
            collected: collect.map(|it| self.value(it)).transpose()?.map(Payload::json),
        })
    }

    /// Starts another pass or ends the loop.
    fn next_pass(&self, repeat: &LoopNode) -> Result<Event, Fault> {
        let failed = self.failed().filter(|_| self.frame.over);
        match (failed, repeat.on_failure) {
            (Some(failed), OnFailure::Fail) => return Err(inner_failure(failed)),
            (Some(_), OnFailure::Stop) => return self.loop_ended("failure"),
            (Some(_), OnFailure::Continue) | (None, _) => {}
        }
        if self.holds(repeat)? {
            return self.loop_ended("condition_met");
        }
        let passes = usize::try_from(self.frame.pass).unwrap_or(usize::MAX);
        let mut sent = self.sent()?;
        let mut items = sent.get_mut(OVER).and_then(Value::as_array_mut);
        if items.as_ref().is_some_and(|items| items.len() <= passes) {
            return self.loop_ended("list_exhausted");
        }
        if self.frame.pass >= repeat.max {
            return self.loop_ended("max_iteration_reached");
        }
        let item = items.as_mut().and_then(|items| items.get_mut(passes)).map(Value::take);
        Ok(self.pass_started(item))
    }

    /// Returns true if the loop's `until` condition holds. Before the first pass, a condition with unresolved values
    /// does not hold.
    fn holds(&self, repeat: &LoopNode) -> Result<bool, Fault> {
        let Some(until) = repeat.until.clone() else { return Ok(false) };
        let choice = BranchChoice { branches: vec![until], otherwise: Some(String::new()) };
        let mut missing = false;
        let settled = choice.settle(|side| {
            let value = self.value(side);
            missing |= value.is_err();
            operand(value.ok(), side)
        });
        match settled.choose() {
            Ok(chosen) => Ok(!chosen.by_default),
            Err(_) if missing && self.frame.pass == 0 => Ok(false),
            Err(fault) => Err(Fault::ChoiceFailed { fault: Box::new(fault) }),
        }
    }

    fn loop_ended(&self, why: &str) -> Result<Event, Fault> {
        let mut output = self.outputs();
        output.insert("iteration_count".to_owned(), Value::from(self.frame.pass));
        output.insert("stop_reason".to_owned(), Value::from(why));
        if self.frame.failed > 0 {
            output.insert("failed_count".to_owned(), Value::from(self.frame.failed));
        }
        if self.body.repeat.as_ref().is_some_and(|repeat| repeat.collect.is_some()) {
            let kept = self.frame.collected.iter().map(|kept| self.kept(kept));
            let kept = kept.collect::<Result<Vec<_>, _>>()?;
            output.insert("collected".to_owned(), Value::Array(kept));
        }
        Ok(self.finished(CallOutcome::Succeeded(Payload::json(Value::Object(output)))))
    }

    pub(super) fn kept(&self, payload: &Payload) -> Result<Value, Fault> {
        match payload.whole() {
            PayloadValue::Value(value) => Ok(value.clone()),
            PayloadValue::InBlob { stored, .. } => {
                let read = self.blobs.get(&stored.blob).map(|value| Value::clone(value));
                read.ok_or_else(|| self.unreadable())
            }
        }
    }

    /// Ends a frame that runs once.
    fn ended(&self) -> Result<Event, Fault> {
        match self.failed() {
            Some(failed) => Err(inner_failure(failed)),
            None => {
                let output = Payload::json(Value::Object(self.outputs()));
                Ok(self.finished(CallOutcome::Succeeded(output)))
            }
        }
    }

    pub(super) fn finished(&self, outcome: CallOutcome) -> Event {
        let (step, attempt) = (self.step.plan.id.clone(), self.step.attempt);
        Event::StepFinished { step, attempt, outcome, retry_at: None, usage: None }
    }
}

pub(super) fn inner_failure(failed: &Step) -> Fault {
    let gone = || Fault::Interrupted { tool: failed.tool().clone() };
    let fault = Box::new(failed.fault.clone().unwrap_or_else(gone));
    Fault::InnerStepFailed { step: failed.plan.id.clone(), fault }
}
