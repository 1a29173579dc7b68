//! The turns of an agent: its model is asked, its calls are made, and the model is asked again with their results.
//!
//! - in: the frame of an agent whose steps have all ended
//! - out: the next event: calls, another turn, or the end
//! - never: fails because a call failed; the model is told of it instead

use super::frame::{FrameTurn, inner_failure};
use super::model_step::agent::{TurnMeaning, TurnOutcome, kept, meaning, steps};
use crate::dataflow::context::StepIndex;
use crate::fault::Fault;
use crate::ids::BlobId;
use crate::intake::node::AgentNode;
use crate::journal::event::Event;
use crate::journal::outcome::CallOutcome;
use crate::payload::Payload;
use crate::state::step::{Step, StepStatus};
use serde_json::{Map, Value};

/// Shown to the model in place of a result if a call was skipped and has no fault.
const LEFT_OUT: &str = "a person left this call out";

impl FrameTurn<'_> {
    /// Returns the next event of an agent: calls, another turn, or the end.
    pub(super) fn agent_turn(&self, agent: &AgentNode) -> Result<Event, Fault> {
        if self.frame.pass == 0 || self.frame.over {
            let turns = self.frame.pass;
            let is_out = self.left(agent) == 0;
            return if is_out {
                Err(Fault::AgentOutOfTurns { turns })
            } else {
                Ok(self.pass_started(None))
            };
        }
        let (thought, calls) = self.frame.steps.split_first().ok_or_else(|| self.unreadable())?;
        let think = self.state.step_at(*thought).ok_or_else(|| self.unreadable())?;
        if think.status != StepStatus::Success {
            return Err(inner_failure(think));
        }
        let said = self.gave(*thought)?;
        if !calls.is_empty() {
            let results: Vec<_> = calls.iter().filter_map(|call| self.result(*call)).collect();
            let failed = results.iter().filter(|(_, result)| result.is_err()).count();
            let first = results.iter().find_map(|(_, result)| result.as_ref().ok());
            if let Some(output) = first.filter(|_| agent.gives_result) {
                let output = Payload::json(output.clone());
                return Ok(self.finished(CallOutcome::Succeeded(output)));
            }
            let kept = kept(&said, TurnOutcome::results(&results), self.left(agent));
            return Ok(self.turn_over(kept, failed > 0));
        }
        let unfit = |why: &str| {
            self.turn_over(kept(&said, TurnOutcome::unfit(why), self.left(agent)), false)
        };
        match meaning(&said) {
            TurnMeaning::Answer(answer) if agent.gives_result => {
                Err(Fault::GivenUp { reason: told(answer) })
            }
            TurnMeaning::Answer(answer) => Ok(self.answered(answer)),
            TurnMeaning::Unfit(why) => Ok(unfit(why)),
            TurnMeaning::Calls(wanted) => match steps(agent, wanted) {
                steps if steps.is_empty() => Ok(unfit("")),
                steps => Ok(Event::StepsAdded { step: self.step.plan.id.clone(), steps }),
            },
        }
    }

    /// Returns the blobs that hold the outputs of the frame's steps.
    pub(super) fn given_in_blobs(&self) -> impl Iterator<Item = BlobId> {
        let results = self.frame.steps.iter().filter_map(|step| self.state.context.result(*step));
        results.filter_map(|result| result.output.blob().cloned())
    }

    fn left(&self, agent: &AgentNode) -> u32 {
        self.frame.turns_left(agent)
    }

    fn gave(&self, step: StepIndex) -> Result<Value, Fault> {
        let result = self.state.context.result(step).ok_or_else(|| self.unreadable())?;
        self.kept(&result.output)
    }

    /// Returns the tool of a call, with its output or the reason for its failure.
    fn result(&self, index: StepIndex) -> Option<(String, Result<Value, String>)> {
        let step: &Step = self.state.step_at(index)?;
        let left_out = || LEFT_OUT.to_owned();
        let why = || step.fault.as_ref().map_or_else(left_out, ToString::to_string);
        let succeeded = step.status == StepStatus::Success;
        let gave = || self.gave(index).map_err(|fault| fault.to_string());
        let result = if succeeded { gave() } else { Err(why()) };
        Some((step.tool().to_string(), result))
    }

    fn turn_over(&self, kept: Payload, failed: bool) -> Event {
        let failed = failed.then(|| self.failed()).flatten();
        Event::PassEnded {
            step: self.step.plan.id.clone(),
            pass: self.frame.pass,
            failed: failed.map(|step| step.plan.id.clone()),
            set: None,
            collected: Some(kept),
        }
    }

    /// Ends the agent with the model's answer.
    fn answered(&self, answer: &Value) -> Event {
        let mut output = Map::new();
        output.insert("text".to_owned(), Value::from(told(answer)));
        if !answer.is_string() {
            output.insert("data".to_owned(), answer.clone());
        }
        output.insert("turns".to_owned(), Value::from(self.frame.pass));
        output.insert("calls".to_owned(), Value::from(self.frame.calls));
        if self.frame.failed_calls > 0 {
            output.insert("failed_calls".to_owned(), Value::from(self.frame.failed_calls));
        }
        self.finished(CallOutcome::Succeeded(Payload::json(Value::Object(output))))
    }
}

fn told(answer: &Value) -> String {
    answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)
}
