//! Chores that are separate programs: `cargo xtask bench` and `cargo xtask suites`.
//!
//! They need the whole engine in release mode. `xtask` does not depend on it, so that the other chores build in
//! seconds.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// The profiles that benchmarks run in: the usual release build, and that of the distributed packages.
pub(crate) const PROFILES: [&str; 2] = ["release", "dist"];

/// Words that are handed on, `--help` among them.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct PassedArgs {
    /// `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    _words: Vec<OsString>,
}

/// Builds a program of the workspace and runs it once in each profile with the arguments after the chore's name.
/// Returns the exit code of the first failing run.
pub(crate) fn run(package: &str, profiles: &[&str]) -> anyhow::Result<ExitCode> {
    // Taken from the process, because clap would consume a leading `--`.
    let words: Vec<OsString> = std::env::args_os().skip(2).collect();
    let (only, words) = only(words);
    let wanted = |profile: &&&str| only.as_ref().is_none_or(|only| *only == ***profile);
    let mut chosen = profiles.iter().filter(wanted).peekable();
    anyhow::ensure!(chosen.peek().is_some(), "`--profile` is one of {}", profiles.join(", "));
    for profile in chosen {
        let status = Command::new("cargo")
            .args(["run", "--quiet", "--profile", profile, "--package", package, "--"])
            .args(&words)
            .status()?;
        if !status.success() {
            // A program that was killed by a signal has no exit code.
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Splits a leading `--profile NAME` from the arguments that are passed on.
fn only(mut words: Vec<OsString>) -> (Option<OsString>, Vec<OsString>) {
    if words.first().is_none_or(|word| word != "--profile") || words.len() < 2 {
        return (None, words);
    }
    let rest = words.split_off(2);
    (words.pop(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    enum Chore {
        Bench(PassedArgs),
    }

    #[test]
    fn a_profile_is_taken_only_from_the_beginning_of_the_words() {
        let said = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(only(said("--profile dist W1")), (Some("dist".into()), said("W1")));
        for line in ["", "W1 --json", "W1 --profile dist", "--profile"] {
            assert_eq!(only(said(line)), (None, said(line)));
        }
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
