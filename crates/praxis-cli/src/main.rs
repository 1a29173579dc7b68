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

use args::{Cli, Command};
use args_flow::FlowWhat;
use clap::Parser;
use failure::Failure;
use home::Desk;
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
        Command::Run(run) => Some(&run.told),
        Command::Watch(watch) => Some(&watch.told),
        Command::Flow(flow) => match &flow.what {
            FlowWhat::Run(run) => Some(&run.told),
            _ => None,
        },
        _ => None,
    };
    let json = cli.global.json || told.is_some_and(|told| told.format.is_some());
    let desk = match Desk::open(&cli.global) {
        Ok(desk) => example_of(&cli.command).into_iter().fold(desk, Desk::beside),
        Err((failure, lang)) => return failure.report(json, lang),
    };
    let desk = told.into_iter().fold(desk, Desk::telling);
    run(&desk, &cli.command).unwrap_or_else(|failure| failure.report(json, desk.lang))
}

/// The example that is to be run.
fn example_of(command: &Command) -> Option<&str> {
    let Command::Run(run) = command else { return None };
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

fn run(desk: &Desk, command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(run) => commands::run::run(desk, run),
        Command::Plan(plan) => commands::plan::run(desk, plan),
        Command::Test(test) => commands::test::run(desk, test),
        Command::Ps(ps) => commands::ps::run(desk, ps),
        Command::Show(show) => {
            let code = commands::show::run(desk, show)?;
            commands::watch::warn_if_undriven(desk, show)?;
            Ok(code)
        }
        Command::Watch(watch) => commands::watch::run(desk, watch),
        Command::Why(why) => commands::why::run(desk, why),
        Command::Inbox(inbox) => commands::inbox::run(desk, inbox),
        Command::Answer(answer) => commands::answer::run(desk, answer),
        Command::Cancel(cancel) => commands::orders::cancel(desk, cancel),
        Command::Resume(resume) => commands::orders::resume(desk, resume),
        Command::Retry(retry) => commands::retry::run(desk, retry),
        Command::Fork(fork) => commands::fork::run(desk, fork),
        Command::Diff(diff) => commands::past::diff(desk, diff),
        Command::Replay(which) => commands::past::replay(desk, which),
        Command::Export(export) => commands::past::export(desk, export),
        Command::Erase(erase) => commands::erase::run(desk, erase),
        Command::Doctor => commands::doctor::run(desk),
        Command::Owner => commands::owner::run(desk),
        Command::Example(example) => commands::example::run(desk, example),
        Command::Config(config) => commands::config::run(desk, config),
        Command::Model(model) => commands::model::run(desk, model),
        Command::Completion { shell } => Ok(commands::completion::run(*shell)),
        Command::Scene(scene) => commands::scene::run(desk, scene),
        Command::Workflow(workflow) => commands::workflow::run(desk, workflow),
        Command::Flow(flow) => commands::flow::run(desk, flow),
        Command::Tool(tool) => commands::tool::run(desk, tool),
        Command::Experience(experience) => commands::experience::run(desk, experience),
        Command::Cache(cache) => commands::experience::cache(desk, cache),
        Command::Prompt(prompt) => commands::prompt::run(desk, prompt),
    }
}
