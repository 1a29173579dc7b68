//! Opens a plan in the user's editor.

use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::inputs;
use crate::view::yaml::yaml;
use praxis_core::ids::QuestionId;
use praxis_core::intake::plan::{self, PlannedStep};
use praxis_core::state::State;
use praxis_core::state::step::{Step, StepStatus};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Returns the steps of a plan that have not run, as a document.
pub(crate) fn open_plan(state: &State) -> Value {
    let is_open = |step: &&Step| {
        !step.dropped && !matches!(step.status, StepStatus::Success | StepStatus::Running)
    };
    let steps: Vec<PlannedStep> =
        state.steps.iter().filter(is_open).map(|step| step.plan.clone()).collect();
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    plan::write(None, goal, &steps)
}

/// Returns the edited plan; `None` if it was not changed.
pub(crate) fn edited(
    context: &CliContext,
    state: &State,
    question: &QuestionId,
) -> Result<Option<Value>, CommandFailure> {
    let editor = context.variable("VISUAL").or_else(|| context.variable("EDITOR"));
    let Some(editor) = editor else {
        let words = ("neither VISUAL nor EDITOR is set", "未设置 VISUAL 和 EDITOR");
        let command = format!("praxis answer {question} --plan FILE");
        let next = (
            format!("set one of them, or write the plan to a file and run `{command}`"),
            format!("请设置其中之一，或将计划写入文件并运行 `{command}`"),
        );
        return Err(CommandFailure::usage("no_editor", words).next(next));
    };
    let path = context.folder.root().join(format!("edit-{question}.yaml"));
    let before = open_plan(state);
    let read = write(&path, &yaml(&before))
        .and_then(|()| open(editor, &path))
        .and_then(|()| inputs::read_params(&path));
    let _ = std::fs::remove_file(&path);
    read.map(|after| (after != before).then_some(after))
}

fn write(path: &Path, text: &str) -> Result<(), CommandFailure> {
    std::fs::write(path, text).map_err(|error| unusable(&error.to_string()))
}

/// Waits for the editor. It is started by a shell, because the variable may hold arguments: `code --wait`.
fn open(editor: &str, path: &Path) -> Result<(), CommandFailure> {
    let line = format!("{editor} \"$1\"");
    let ended = Command::new("sh").args(["-c", &line, "sh"]).arg(path).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(unusable(&status.to_string())),
        Err(error) => Err(unusable(&error.to_string())),
    }
}

fn unusable(why: &str) -> CommandFailure {
    let words = (
        format!("cannot open the plan in the editor: {why}"),
        format!("无法在编辑器中打开计划：{why}"),
    );
    CommandFailure::new(Exit::Usage, "no_editor", words)
}
