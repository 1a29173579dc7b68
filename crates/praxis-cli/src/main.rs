//! The `praxis` binary: commands, settings, wiring.

mod args;

mod commands;

mod failure;

mod home;

mod inputs;

mod settings;

mod view;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The keeper of a program is this binary too; it must do nothing else.
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("__exec") {
        let words: Vec<String> = words.collect();
        return keep(&words);
    }
    let cli = Cli::parse();
    match run(&cli) {
        Ok(code) => code,
        Err(failure) => failure.report(cli.global.json),
    }
}

fn keep(words: &[String]) -> ExitCode {
    match words {
        [locks, separator, argv @ ..] if separator == "--" => {
            praxis_adapters::keeper::keep(std::path::Path::new(locks), argv)
        }
        _ => ExitCode::from(2),
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let desk = home::Desk::open(&cli.global)?;
    match &cli.command {
        Command::Run(run) => commands::run::run(&desk, run),
        Command::Ps(ps) => commands::ps::run(&desk, ps),
        Command::Show(show) => commands::show::run(&desk, show),
        Command::Watch(watch) => commands::watch::run(&desk, watch),
        Command::Why(why) => commands::why::run(&desk, why),
        Command::Config(config) => commands::config::run(&desk, config),
        Command::Completion { shell } => Ok(commands::completion::run(*shell)),
    }
}
