//! The `praxis` binary: commands, settings, wiring.

#[macro_use]
mod say;

mod args;

mod args_act;

mod args_example;

mod args_model;

mod args_goal;

mod args_flow;

mod args_tool;

mod args_experience;

mod args_test;

mod budget;

mod commands;

mod approval_args;

mod documents;

mod examples;

mod task_context;

mod failure;

mod flow_files;

mod context;

mod inputs;

mod library_args;

mod log;

mod models;

mod models_file;

mod offline;
mod send_order;

mod goal_request;

mod help;

mod usage_zh;

mod settings;

mod view;

use args::CliCommand;
use args_flow::FlowCommand;
use context::CliContext;
use failure::CommandFailure;
use praxis_adapters::keeper;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The keeper of a tool program is this binary too; that process must do nothing else.
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    if let Some(code) = keep(&words) {
        return code;
    }
    if words.first().is_some_and(|word| word == commands::owner::NAME) {
        keeper::close_inherited();
    }
    let cli = help::parse(&words);
    let told = match &cli.command {
        CliCommand::Run(run) => Some(&run.told),
        CliCommand::Watch(watch) => Some(&watch.told),
        CliCommand::Flow(flow) => match &flow.what {
            FlowCommand::Run(run) => Some(&run.told),
            _ => None,
        },
        _ => None,
    };
    let json = cli.global.json || told.is_some_and(|told| told.format.is_some());
    let context = match CliContext::open(&cli.global) {
        Ok(context) => example_of(&cli.command).into_iter().fold(context, CliContext::with_example),
        Err((failure, lang)) => return failure.report(json, lang),
    };
    let context = told.into_iter().fold(context, CliContext::with_event_format);
    run(&context, &cli.command).unwrap_or_else(|failure| failure.report(json, context.lang))
}

/// Returns the name of the example to run.
fn example_of(command: &CliCommand) -> Option<&str> {
    let CliCommand::Run(run) = command else { return None };
    run.example.as_deref()
}

/// Runs as a keeper process if the arguments ask for one.
fn keep(words: &[String]) -> Option<ExitCode> {
    match words {
        [first, locks, _, argv @ ..] if first == keeper::KEEPER => {
            Some(keeper::keep(Path::new(locks), argv))
        }
        [first, lock, _, argv @ ..] if first == keeper::FIRST => {
            Some(keeper::first(Path::new(lock), argv))
        }
        [first] if first == keeper::PROBE => Some(keeper::probe()),
        _ => None,
    }
}

fn run(context: &CliContext, command: &CliCommand) -> Result<ExitCode, CommandFailure> {
    match command {
        CliCommand::Run(run) => commands::run::run(context, run),
        CliCommand::Plan(plan) => commands::plan::run(context, plan),
        CliCommand::Test(test) => commands::test::run(context, test),
        CliCommand::Ps(ps) => commands::ps::run(context, ps),
        CliCommand::Show(show) => {
            let code = commands::show::run(context, show)?;
            commands::watch::warn_if_undriven(context, show)?;
            Ok(code)
        }
        CliCommand::Watch(watch) => commands::watch::run(context, watch),
        CliCommand::Why(why) => commands::why::run(context, why),
        CliCommand::Inbox(inbox) => commands::inbox::run(context, inbox),
        CliCommand::Answer(answer) => commands::answer::run(context, answer),
        CliCommand::Cancel(cancel) => commands::orders::cancel(context, cancel),
        CliCommand::Resume(resume) => commands::orders::resume(context, resume),
        CliCommand::Retry(retry) => commands::retry::run(context, retry),
        CliCommand::Fork(fork) => commands::fork::run(context, fork),
        CliCommand::Diff(diff) => commands::recorded_views::diff(context, diff),
        CliCommand::Replay(which) => commands::recorded_views::replay(context, which),
        CliCommand::Export(export) => commands::recorded_views::export(context, export),
        CliCommand::Erase(erase) => commands::erase::run(context, erase),
        CliCommand::Doctor => commands::doctor::run(context),
        CliCommand::Owner => commands::owner::run(context),
        CliCommand::Example(example) => commands::example::run(context, example),
        CliCommand::Config(config) => commands::config::run(context, config),
        CliCommand::Model(model) => commands::model::run(context, model),
        CliCommand::Completion { shell } => Ok(commands::completion::run(*shell)),
        CliCommand::Scene(scene) => commands::scene::run(context, scene),
        CliCommand::Workflow(workflow) => commands::workflow::run(context, workflow),
        CliCommand::Flow(flow) => commands::flow::run(context, flow),
        CliCommand::Tool(tool) => commands::tool::run(context, tool),
        CliCommand::Experience(experience) => commands::experience::run(context, experience),
        CliCommand::Cache(cache) => commands::experience::cache(context, cache),
        CliCommand::Prompt(prompt) => commands::prompt::run(context, prompt),
    }
}
