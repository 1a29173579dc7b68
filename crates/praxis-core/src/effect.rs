//! The effects that `decide` can return.

use crate::ask::purpose::Purpose;
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
    Ask(Purpose),
    /// Find out without a model how the request stands to earlier work.
    ChooseStrategy,
    /// Look up what earlier tasks taught. Whoever drives the task does it, and records what was found.
    Recall,
    /// Work something out that needs no model and may take long.
    Work(WorkKind),
    /// Ask a person whether the plan may run.
    ApprovePlan,
    /// Help a step that failed.
    Mend(StepIndex),
    /// Judge the outcome without a model.
    Judge,
    /// Put the answer together without a model.
    Answer,
    /// Change the plan as reflection says.
    Revise,
    /// Ask a person how to go on.
    AskForHelp,
    /// Look back without a model.
    Learn,
    /// End the task.
    Close,
}

/// Work that needs nothing but what the task is pinned to, and may take long: an index of thousands of tools, a whole plan.
/// Whoever drives the task does it aside, and records what came of it; a replay takes that as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// Choose the tools. Where no model plans, the plan comes with them.
    Choose,
    /// Choose among many tools, or ask a model where words do not tell.
    Select,
    /// Make the plan of a workflow, of an earlier task, or of tools that were chosen before.
    Plan,
    /// Reflect without a model: is there another plan?
    Reflect,
}
