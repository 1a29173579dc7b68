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

mod consent;

mod documents;

mod examples;

mod task_context;

mod failure;

mod flow_files;

mod home;

mod inputs;

mod library_args;

mod log;

mod models;

mod models_file;

mod office;
mod offline;

mod pursuit;

mod settings;

mod view;

use args::{Cli, CliCommand};
use args_flow::FlowWhat;
use clap::Parser;
use failure::CommandFailure;
use home::CliContext;
use praxis_adapters::keeper;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The keeper of a program is this binary too; it must do nothing else.
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    if let Some(code) = keep(&words) {
        return code;
    }
    let cli = Cli::parse();
    let told = match &cli.command {
        CliCommand::Run(run) => Some(&run.told),
        CliCommand::Watch(watch) => Some(&watch.told),
        CliCommand::Flow(flow) => match &flow.what {
            FlowWhat::Run(run) => Some(&run.told),
            _ => None,
        },
        _ => None,
    };
    let json = cli.global.json || told.is_some_and(|told| told.format.is_some());
    let desk = match CliContext::open(&cli.global) {
        Ok(desk) => example_of(&cli.command).into_iter().fold(desk, CliContext::beside),
        Err((failure, lang)) => return failure.report(json, lang),
    };
    let desk = told.into_iter().fold(desk, CliContext::telling);
    run(&desk, &cli.command).unwrap_or_else(|failure| failure.report(json, desk.lang))
}

/// The example that is to be run.
fn example_of(command: &CliCommand) -> Option<&str> {
    let CliCommand::Run(run) = command else { return None };
    run.example.as_deref()
}

/// Runs a keeper if that is what was called.
fn keep(words: &[String]) -> Option<ExitCode> {
    match words {
        [first, locks, _, argv @ ..] if first == keeper::KEEPER => {
            Some(keeper::keep(Path::new(locks), argv))
        }
        [first, _, argv @ ..] if first == keeper::FIRST => Some(keeper::first(argv)),
        [first] if first == keeper::PROBE => Some(keeper::probe()),
        _ => None,
    }
}

fn run(desk: &CliContext, command: &CliCommand) -> Result<ExitCode, CommandFailure> {
    match command {
        CliCommand::Run(run) => commands::run::run(desk, run),
        CliCommand::Plan(plan) => commands::plan::run(desk, plan),
        CliCommand::Test(test) => commands::test::run(desk, test),
        CliCommand::Ps(ps) => commands::ps::run(desk, ps),
        CliCommand::Show(show) => {
            let code = commands::show::run(desk, show)?;
            commands::watch::warn_if_undriven(desk, show)?;
            Ok(code)
        }
        CliCommand::Watch(watch) => commands::watch::run(desk, watch),
        CliCommand::Why(why) => commands::why::run(desk, why),
        CliCommand::Inbox(inbox) => commands::inbox::run(desk, inbox),
        CliCommand::Answer(answer) => commands::answer::run(desk, answer),
        CliCommand::Cancel(cancel) => commands::orders::cancel(desk, cancel),
        CliCommand::Resume(resume) => commands::orders::resume(desk, resume),
        CliCommand::Retry(retry) => commands::retry::run(desk, retry),
        CliCommand::Fork(fork) => commands::fork::run(desk, fork),
        CliCommand::Diff(diff) => commands::past::diff(desk, diff),
        CliCommand::Replay(which) => commands::past::replay(desk, which),
        CliCommand::Export(export) => commands::past::export(desk, export),
        CliCommand::Erase(erase) => commands::erase::run(desk, erase),
        CliCommand::Doctor => commands::doctor::run(desk),
        CliCommand::Owner => commands::owner::run(desk),
        CliCommand::Example(example) => commands::example::run(desk, example),
        CliCommand::Config(config) => commands::config::run(desk, config),
        CliCommand::Model(model) => commands::model::run(desk, model),
        CliCommand::Completion { shell } => Ok(commands::completion::run(*shell)),
        CliCommand::Scene(scene) => commands::scene::run(desk, scene),
        CliCommand::Workflow(workflow) => commands::workflow::run(desk, workflow),
        CliCommand::Flow(flow) => commands::flow::run(desk, flow),
        CliCommand::Tool(tool) => commands::tool::run(desk, tool),
        CliCommand::Experience(experience) => commands::experience::run(desk, experience),
        CliCommand::Cache(cache) => commands::experience::cache(desk, cache),
        CliCommand::Prompt(prompt) => commands::prompt::run(desk, prompt),
    }
}
