//! Chores that are programs of their own: `cargo xtask bench` and `cargo xtask suites`.
//!
//! They need the whole engine, optimized. `xtask` does not, so that the other chores build in seconds.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Words that are handed on, `--help` among them.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Words {
    /// `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    _words: Vec<OsString>,
}

/// Builds a program of the workspace and runs it with the words after the name of the chore. Its exit code is ours.
pub(crate) fn run(package: &str) -> anyhow::Result<ExitCode> {
    let status = Command::new("cargo")
        .args(["run", "--quiet", "--release", "--package", package, "--"])
        // As they were given: the parser would take a `--` at their beginning for itself.
        .args(std::env::args_os().skip(2))
        .status()?;
    // A program that was killed has no code.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    enum Chore {
        Bench(Words),
    }

    #[test]
    fn no_word_after_the_chore_is_understood_here() {
        for line in [
            vec![],
            vec!["--help"],
            vec!["chain", "--json"],
            vec!["--set", "dead zh", "--failures", "-"],
            vec!["--data=x", "-q", "--", "--odd"],
            vec!["--", "--odd"],
        ] {
            let words = [vec!["xtask", "bench"], line.clone()].concat();
            assert!(Chore::try_parse_from(words).is_ok(), "{line:?}");
        }
    }
}
