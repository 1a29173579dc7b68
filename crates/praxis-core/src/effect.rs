//! The effects that `decide` can return.

use crate::ask::errand::Errand;
use crate::dataflow::context::StepIndex;

/// Something to be done. [`begin`](crate::decide::begin::begin) turns it into the events that start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Make the call of a step.
    Make(StepIndex),
    /// Put together what the actions of a step gave.
    Gather(StepIndex),
    /// Do what comes next in the frame of a step: another pass, or its end.
    Turn(StepIndex),
    /// Ask a person for parameters that a tool did not take.
    AskAgain(StepIndex),
    /// Ask the tool that knows, or else a person, whether a call took effect.
    Clarify(StepIndex),
    /// Ask a person for more time.
    AskForTime,
    /// Ask a model.
    Ask(Errand),
    /// Find out without a model how the request stands to earlier work.
    ChooseStrategy,
    /// Look up what earlier tasks taught. Whoever drives the task does it, and records what was found.
    Recall,
    /// Choose the tools without a model.
    Choose,
    /// Make the plan of a workflow.
    Follow,
    /// Ask a person whether the plan may run.
    ApprovePlan,
    /// Help a step that failed.
    Mend(StepIndex),
    /// Judge the outcome without a model.
    Judge,
    /// Put the answer together without a model.
    Answer,
    /// Reflect without a model.
    Reflect,
    /// Change the plan as reflection says.
    Revise,
    /// Ask a person how to go on.
    AskForHelp,
    /// Look back without a model.
    Learn,
    /// End the task.
    Close,
}
