//! Exit code of a task, and the commands to type next.

use crate::failure::Exit;
use crate::view::origin::how_to_answer;
use praxis_core::fault::Fault;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::lang::Lang;
use praxis_core::state::{State, TaskStatus};
use std::process::ExitCode;

/// Returns the commands that a person may type next.
pub(crate) fn what_next(state: &State, task: &TaskId) -> Vec<String> {
    let mut commands = vec![format!("praxis show {task}")];
    match state.status() {
        TaskStatus::Waiting => {
            commands.extend(state.questions.values().map(how_to_answer));
        }
        TaskStatus::Failed | TaskStatus::Cancelled => commands.push(format!("praxis retry {task}")),
        TaskStatus::Completed => {
            let last =
                state.result_of.first().map(|step| format!("praxis why {task} {}", word(step)));
            commands.extend(last);
        }
        TaskStatus::Pending
        | TaskStatus::Planning
        | TaskStatus::Executing
        | TaskStatus::Evaluating
        | TaskStatus::Reflecting => {}
    }
    commands
}

/// Returns the advice for a fault, with the id of its task.
pub(crate) fn advice(fault: &Fault, task: Option<&TaskId>, lang: Lang) -> String {
    let advice = fault.next(lang);
    task.map_or_else(|| advice.to_owned(), |task| advice.replace("TASK", task.as_str()))
}

/// Quotes a step id for the shell. No id contains a quote.
fn word(step: &StepId) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.:,@%+=".contains(c);
    if step.as_str().chars().all(plain) { step.to_string() } else { format!("'{step}'") }
}

/// Returns the exit code for the state of a task.
pub(crate) fn exit(state: &State) -> ExitCode {
    match state.status() {
        TaskStatus::Completed => ExitCode::SUCCESS,
        TaskStatus::Failed
            if matches!(
                state.fault(),
                Some(Fault::TaskTimeout { .. } | Fault::BudgetUsedUp { .. })
            ) =>
        {
            Exit::Budget.into()
        }
        TaskStatus::Cancelled => Exit::Cancelled.into(),
        TaskStatus::Waiting => Exit::InputNeeded.into(),
        TaskStatus::Failed
        | TaskStatus::Pending
        | TaskStatus::Planning
        | TaskStatus::Executing
        | TaskStatus::Evaluating
        | TaskStatus::Reflecting => Exit::TaskFailed.into(),
    }
}
