//! `praxis flow`: checks, runs and shows flows that people wrote.

use super::{flow_diff, flow_fmt, flow_list, flow_run, flow_show};
use crate::args_flow::{FlowArgs as Args, FlowCheck, FlowCommand};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit, print_warnings};
use crate::flow_files::{self, FlowFiles};
use crate::inputs;
use crate::view::text::{Paint, counted, cut};
use praxis_core::call::tool::Toolbox;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::problem::{Problem, ProblemText};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, flow: &Args) -> Result<ExitCode, CommandFailure> {
    match &flow.what {
        FlowCommand::Check(args) => check(context, args),
        FlowCommand::Run(args) => flow_run::run(context, args),
        FlowCommand::List(args) => flow_list::run(context, args),
        FlowCommand::Show(args) => flow_show::run(context, args),
        FlowCommand::Fmt(args) => flow_fmt::run(context, args),
        FlowCommand::Diff(args) => flow_diff::run(context, args),
        FlowCommand::Calls => flow_list::calls(context),
    }
}

/// Checks every flow and reports the problems of all.
fn check(context: &CliContext, args: &FlowCheck) -> Result<ExitCode, CommandFailure> {
    let toolbox = inputs::toolbox(context, &args.called.tools)?;
    let (mut problems, mut missing) = (Vec::new(), 0);
    for file in &args.files {
        match flow_files::read(file, &args.called.flows) {
            Ok(files) => problems.extend(check_file(context, &files, &toolbox)),
            Err(failure) => {
                missing += usize::from(failure.exit == Exit::NotFound);
                tell_unread(context, file, &failure);
                problems.extend(failure.problems);
            }
        }
    }
    let exit = if missing == problems.len() { Exit::NotFound } else { Exit::Usage };
    match (problems.is_empty(), context.json) {
        (true, _) => Ok(ExitCode::SUCCESS),
        // Each file has reported its problems in its own line.
        (false, true) => Ok(exit.into()),
        (false, false) => Err(CommandFailure { exit, problems }),
    }
}

/// Checks one flow and returns its problems.
fn check_file(context: &CliContext, files: &FlowFiles, toolbox: &Toolbox) -> Vec<Problem> {
    let findings = files.findings(toolbox);
    let bundle = files.bundle();
    if context.json {
        out!("{}", row(context, &files.main.shown, &bundle, &findings));
        return findings.problems;
    }
    print_warnings(&findings.warnings, context.lang);
    if findings.problems.is_empty() {
        let nodes = nodes(&bundle);
        let nodes = context.say(counted(nodes, "node"), format!("{nodes} 个节点"));
        let (name, version) = (cut(&bundle.flow.name, 80), short_version(&bundle));
        out!("{} {name}: {nodes}, {version}", Paint(context.colors).green("✔"));
    }
    findings.problems
}

/// Returns a flow and its problems as JSON.
pub(crate) fn row(
    context: &CliContext,
    shown: &str,
    bundle: &Bundle,
    findings: &FlowProblems,
) -> Value {
    let told = |all: &[Problem]| {
        json!(all.iter().map(|it| it.told(context.lang)).collect::<Vec<ProblemText<'_>>>())
    };
    json!({
        "file": shown,
        "flow": bundle.flow.name,
        "description": bundle.flow.description,
        "version": bundle.version(),
        "nodes": nodes(bundle),
        "inputs": bundle.flow.inputs,
        "calls": bundle.flows.keys().collect::<Vec<_>>(),
        "ok": findings.problems.is_empty(),
        "problems": told(&findings.problems),
        "warnings": told(&findings.warnings),
    })
}

/// With `--json`, prints a JSON line for a file that cannot be read.
fn tell_unread(context: &CliContext, file: &Path, failure: &CommandFailure) {
    if context.json {
        let told: Vec<ProblemText<'_>> =
            failure.problems.iter().map(|it| it.told(context.lang)).collect();
        out!("{}", json!({"file": file.display().to_string(), "ok": false, "problems": told}));
    }
}

/// Counts the nodes of a flow, nested ones included.
pub(crate) fn nodes(bundle: &Bundle) -> usize {
    let flow = &bundle.flow;
    let inside: usize = flow.graphs().iter().map(|(_, graph)| graph.nodes.len()).sum();
    inside + flow.before.len() + flow.after.len() + usize::from(flow.on_error.is_some())
}

/// Returns the beginning of a flow's version.
pub(crate) fn short_version(bundle: &Bundle) -> String {
    short(bundle.version().as_str())
}

/// Returns the beginning of a hash, without the name of its algorithm.
pub(crate) fn short(version: &str) -> String {
    let hash = version.rsplit(':').next().unwrap_or_default();
    hash.chars().take(12).collect()
}
