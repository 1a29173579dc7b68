//! Chores of the project, one file each; `cargo xtask --help` lists them.

mod features;

mod fuzz;

mod golden;

mod messages;

mod mutants;

mod powerloss;

mod program;

mod tidy;

use clap::Parser;
use std::process::ExitCode;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Measures how fast Praxis is, against the raw limits of the machine
    Bench(program::PassedArgs),
    /// Runs Praxis against a public suite; fails when a gate is missed
    Suites(program::PassedArgs),
    /// Check that every test of the checklist exists
    Features {
        /// The output of `cargo test`: every named test must have passed in it
        #[arg(long, value_name = "FILE")]
        log: Option<String>,
    },
    /// Apply each kept one-line change and see its test fail
    Mutants {
        /// Only lines that contain this
        #[arg(default_value = "")]
        wanted: String,
    },
    /// Feed every fuzz target for a while; needs nightly and cargo-fuzz
    Fuzz {
        /// How long each target runs
        #[arg(default_value_t = 60)]
        seconds: u32,
        /// Only targets whose name contains this
        #[arg(default_value = "")]
        wanted: String,
    },
    /// Write every message that people read into `docs/messages`, one file per language
    Messages {
        /// Only check that the files are up to date
        #[arg(long)]
        check: bool,
    },
    Tidy(tidy::TidyArgs),
    /// Record the golden journals of the present version
    Golden,
    /// Take the power away from a recorded run, once for each seed
    Powerloss {
        /// How many seeds
        #[arg(default_value_t = 10_000)]
        seeds: u32,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    match Chore::parse() {
        Chore::Bench(_) => program::run("praxis-bench", &program::PROFILES),
        Chore::Suites(_) => program::run("praxis-suites", &["release"]),
        Chore::Features { log } => features::run(log.as_deref()).map(|()| ExitCode::SUCCESS),
        Chore::Mutants { wanted } => mutants::run(&wanted).map(|()| ExitCode::SUCCESS),
        Chore::Fuzz { seconds, wanted } => fuzz::run(seconds, &wanted).map(|()| ExitCode::SUCCESS),
        Chore::Messages { check } => {
            messages::run(std::path::Path::new("."), check).map(|()| ExitCode::SUCCESS)
        }
        Chore::Tidy(args) => tidy::run(&args),
        Chore::Golden => golden::run().map(|()| ExitCode::SUCCESS),
        Chore::Powerloss { seeds } => powerloss::run(seeds).map(|()| ExitCode::SUCCESS),
    }
}
