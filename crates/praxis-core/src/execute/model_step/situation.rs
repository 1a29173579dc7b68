//! A call that asks a model, with its context besides the arguments: builds the request and reads the reply.

use super::llm::LlmContext;
use super::{agent, digest, llm, slot};
use crate::ask::reply::ModelReply;
use crate::ask::request::ModelRequest;
use crate::call::own::ModelAnswerKind;
use crate::call::own_tools::own;
use crate::dataflow::context::StepIndex;
use crate::execute::model_step::parts::reasoned;
use crate::fault::Fault;
use crate::goal::spec::PinnedModel;
use crate::ids::ToolId;
use crate::inputs::Schemas;
use crate::mask::masked;
use crate::payload::PayloadValue;
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use serde_json::{Map, Value};

/// The largest number of earlier steps in a request.
const MOST_EARLIER: usize = 10;

/// The context of a model call besides its arguments.
#[derive(Clone, Debug)]
pub struct ModelCallContext {
    asks: ModelAnswerKind,
    besides: LlmContext,
    /// The context of the agent whose turn it is; empty for other calls.
    agent: agent::AgentContext,
}

impl ModelCallContext {
    /// Returns the context of a step that is about to ask a model, or `None` if its call asks none.
    pub fn of(state: &State, step: &Step, tools: &dyn Schemas) -> Option<Self> {
        let asks = own(step.tool())?.asks()?;
        Some(Self {
            asks,
            besides: LlmContext {
                at: state.at,
                earlier: if asks == ModelAnswerKind::Words { earlier(state, step) } else { vec![] },
            },
            agent: agent::AgentContext::of(state, step, tools).unwrap_or_default(),
        })
    }

    /// Returns the output of a call that needs no model, or that can do without one if the task has none.
    pub(super) fn at_once(&self, arguments: &Value, has_mind: bool) -> Option<Value> {
        match self.asks {
            ModelAnswerKind::Summary => digest::nothing_said(arguments),
            ModelAnswerKind::Facts => digest::nothing_answered(arguments),
            ModelAnswerKind::Values => slot::at_once(arguments, has_mind),
            ModelAnswerKind::Words | ModelAnswerKind::Turn => None,
        }
    }

    /// Returns the tools that describe their data before the model is asked.
    pub fn telling(&self) -> &[ToolId] {
        self.agent.telling()
    }

    /// Adds the description that such a tool gave.
    pub fn hears(&mut self, tool: &ToolId, words: &str) {
        self.agent.hears(tool, words);
    }

    /// Builds the request.
    pub fn request(
        &self,
        arguments: &Value,
        pinned_model: &PinnedModel,
    ) -> Result<ModelRequest, Fault> {
        match self.asks {
            ModelAnswerKind::Summary => digest::summary_request(arguments, pinned_model),
            ModelAnswerKind::Facts => digest::facts_request(arguments, pinned_model),
            ModelAnswerKind::Values => slot::request(arguments, pinned_model),
            ModelAnswerKind::Turn => self.agent.request(arguments, pinned_model),
            ModelAnswerKind::Words => llm::request(arguments, &self.besides, pinned_model),
        }
    }

    /// Reads the output from the reply.
    pub fn output(&self, arguments: &Value, reply: &ModelReply) -> Result<Value, Fault> {
        match self.asks {
            ModelAnswerKind::Facts => digest::facts(reply),
            ModelAnswerKind::Values => slot::output(arguments, reply),
            ModelAnswerKind::Turn => self.agent.output(arguments, reply),
            ModelAnswerKind::Summary => Ok(reasoned(
                Map::from_iter([("text".to_owned(), Value::from(reply.text.trim()))]),
                reply,
            )),
            ModelAnswerKind::Words => llm::output(arguments, reply),
        }
    }
}

/// Returns the outputs of the steps in the same frame that succeeded, in the order in which they ended.
fn earlier(state: &State, step: &Step) -> Vec<(String, String)> {
    let beside = |index: &StepIndex| state.step_at(*index).map(|step| (*index, step));
    let frame = step.frame.and_then(|owner| state.frames.get(&owner));
    let mut ended: Vec<(StepIndex, &Step)> = match frame {
        Some(frame) => frame.steps.iter().filter_map(beside).collect(),
        None => state.steps.everywhere().filter(|(index, _)| !index.is_inner()).collect(),
    };
    ended.retain(|(_, step)| step.status == StepStatus::Success);
    ended.sort_by_key(|(_, step)| step.finished_at);
    let told = ended.into_iter().rev().filter_map(|(index, step)| {
        let output = &state.context.result(index)?.output;
        let gave = match output.whole() {
            PayloadValue::Value(value) => masked(value).to_string(),
            PayloadValue::InBlob { stored, .. } => stored.preview.clone(),
        };
        (gave != "{}").then(|| (step.plan.id.to_string(), gave))
    });
    let mut told: Vec<(String, String)> = told.take(MOST_EARLIER).collect();
    told.reverse();
    told
}
