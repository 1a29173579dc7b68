//! `praxis completion`: prints a completion script.

use crate::args::Cli;
use crate::say::print_out;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints the completion script of a shell.
pub(crate) fn run(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "praxis", &mut script);
    print_out(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
