//! `praxis completion`.

use crate::args::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints a completion script.
pub(crate) fn run(shell: Shell) -> ExitCode {
    clap_complete::generate(shell, &mut Cli::command(), "praxis", &mut std::io::stdout());
    ExitCode::SUCCESS
}
