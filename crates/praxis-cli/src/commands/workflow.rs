//! `praxis workflow`: lists, shows and checks workflows, the fixed step sequences for known kinds of tasks.

use super::library::{open, source, told_source};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::inputs;
use crate::library_args::{WorkflowArgs as Args, WorkflowCommand};
use crate::view::text::{Paint, comma, counted, cut, pad, sanitize};
use praxis_adapters::library::{LoadedLibrary, MOST_BYTES, read_bounded};
use praxis_core::document::{self, DocumentFormat};
use praxis_core::problem::Problem;
use praxis_core::route::workflow::{self, Workflow};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Maximum number of characters to print of a text.
const MOST_CHARS: usize = 100_000;

pub(crate) fn run(context: &CliContext, args: &Args) -> Result<ExitCode, CommandFailure> {
    match &args.what {
        WorkflowCommand::List => {
            let library = open(context);
            for workflow in &library.workflows {
                list(context, &library, workflow);
            }
        }
        WorkflowCommand::Show { workflow } => {
            let library = open(context);
            let found = workflow::by_id(&library.workflows, workflow);
            let absent = |problem| CommandFailure { exit: Exit::NotFound, problems: vec![problem] };
            show(context, &library, found.map_err(absent)?);
        }
        WorkflowCommand::Check { file, tools } => check(context, file, tools)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &CliContext, library: &LoadedLibrary, workflow: &Workflow) {
    if context.json {
        return out!("{}", as_json(library, workflow));
    }
    let name = cut(workflow.name.tell(context.lang), 24);
    let steps = workflow.steps.len();
    let steps = context.say(counted(steps, "step"), format!("{steps} 步"));
    let from = told_source(context, library.file_of_workflow(&workflow.id));
    let described = workflow.description.as_ref().map(|words| cut(words.tell(context.lang), 60));
    out!(
        "{} {} {} {} {}",
        pad(&cut(&workflow.id, 24), 24),
        pad(&name, 24),
        pad(&steps, 8),
        pad(&from, 8),
        described.unwrap_or_default()
    );
}

fn show(context: &CliContext, library: &LoadedLibrary, workflow: &Workflow) {
    if context.json {
        return out!("{}", as_json(library, workflow));
    }
    out!("{}", sanitize(&workflow.shown(context.lang), MOST_CHARS));
    let line = |en: &str, zh: &str, words: &str| {
        if !words.is_empty() {
            out!("{} {}", pad(&context.say(en, zh), 10), sanitize(words, MOST_CHARS));
        }
    };
    line("intent", "意图", workflow.intent.as_deref().unwrap_or_default());
    line("scene", "场景", workflow.scene.as_deref().unwrap_or_default());
    line("keywords", "关键词", &workflow.keywords.join(comma(context.lang)));
    if !workflow.defaults.is_empty() {
        line("defaults", "默认值", &Value::Object(workflow.defaults.clone()).to_string());
    }
    line("source", "来源", &told_source(context, library.file_of_workflow(&workflow.id)));
}

fn as_json(library: &LoadedLibrary, workflow: &Workflow) -> Value {
    let mut written = serde_json::to_value(workflow).unwrap_or_default();
    if let Some(map) = written.as_object_mut() {
        map.insert("source".to_owned(), json!(source(library.file_of_workflow(&workflow.id))));
    }
    written
}

/// Checks every workflow of a file; reports all problems at once.
fn check(context: &CliContext, file: &Path, tools: &[PathBuf]) -> Result<(), CommandFailure> {
    let toolbox = inputs::toolbox(context, tools)?;
    let place = file.display().to_string();
    let workflows = read(file).map_err(|problems| CommandFailure::refused(problems, ""))?;
    let problems: Vec<Problem> = workflows
        .iter()
        .flat_map(|workflow| {
            let at = format!("{place}, workflow `{}`", workflow.id);
            workflow::check(workflow, &toolbox).into_iter().map(move |problem| problem.within(&at))
        })
        .collect();
    if !problems.is_empty() {
        return Err(CommandFailure::refused(problems, ""));
    }
    let paint = Paint(context.colors);
    for workflow in workflows {
        let (id, steps) = (cut(&workflow.id, 80), workflow.steps.len());
        if context.json {
            out!("{}", json!({"workflow": workflow.id, "steps": steps, "ok": true}));
        } else {
            let steps = context.say(counted(steps, "step"), format!("{steps} 步"));
            out!("{} {id}: {steps}", paint.green("✔"));
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<Workflow>, Vec<Problem>> {
    let place = file.display().to_string();
    let bytes = read_bounded(file, MOST_BYTES).map_err(|problem| vec![problem])?;
    let format = DocumentFormat::of_name(&place).unwrap_or(DocumentFormat::Toml);
    let document = document::read(&bytes, format).map_err(|error| vec![error.problem(&place)])?;
    let within = |problem: Problem| problem.within(&place);
    workflow::read(&document).map_err(|problems| problems.into_iter().map(within).collect())
}
