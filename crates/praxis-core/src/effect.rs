//! The effects that `decide` can return.

use crate::ask::purpose::Purpose;
use crate::dataflow::context::StepIndex;

/// An action to take next. [`begin`](crate::decide::begin::begin) turns it into the events that start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Makes the tool call of a step.
    Make(StepIndex),
    /// Combines the outputs of a step's actions into its own output.
    Gather(StepIndex),
    /// Advances the frame of a step: starts another pass or ends the frame.
    Turn(StepIndex),
    /// Asks a person for new parameters after the tool rejected the old ones.
    AskAgain(StepIndex),
    /// Finds out whether a call in doubt took effect: asks the tool's `check_with` tool, or else a person.
    Clarify(StepIndex),
    /// Asks a person for more time.
    AskForTime,
    /// Asks a model.
    Ask(Purpose),
    /// Decides without a model how the request relates to earlier work.
    ChooseStrategy,
    /// Looks up the experience of earlier tasks. The engine does this and records what it found.
    Recall,
    /// Computes something that needs no model and may take long.
    Work(WorkKind),
    /// Asks a person to approve the plan.
    ApprovePlan,
    /// Repairs a step that failed.
    Recover(StepIndex),
    /// Judges the outcome without a model.
    Judge,
    /// Composes the answer without a model.
    Answer,
    /// Changes the plan as the reflection says.
    Revise,
    /// Asks a person how to go on.
    AskForHelp,
    /// Draws lessons from the task without a model.
    Learn,
    /// Ends the task.
    Close,
}

/// A computation that needs only the task's pinned inputs and may take long, such as indexing thousands of tools or
/// making a whole plan. The engine runs it on blocking threads and records the result; a replay takes the recorded
/// result like an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// Chooses the tools. Without a planning model, makes the plan too.
    Choose,
    /// Chooses among many tools; asks a model if the words of the goal do not decide.
    Select,
    /// Makes the plan from a workflow, from an earlier task, or from tools that were chosen before.
    Plan,
    /// Reflects without a model: looks for another plan.
    Reflect,
}
