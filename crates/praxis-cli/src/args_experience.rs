//! Arguments of `praxis experience` and `praxis cache`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis experience list --limit 5
  praxis experience show task_01jx
  praxis experience rm task_01jx
  praxis experience export -o experiences.jsonl

Later goals are planned with it; turn it off with `goal.experience = false` or --no-experience.")]
pub(crate) struct ExperienceArgs {
    #[command(subcommand)]
    pub(crate) what: ExperienceCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperienceCommand {
    /// List experiences, newest first
    List(ListLimit),
    /// Show the experience of a task
    Show(ExperienceFilter),
    /// Remove the experience of a task; the task itself stays
    Rm(ExperienceFilter),
    /// Export all experiences as JSON lines, oldest first
    Export {
        /// Write to this file instead of stdout
        #[arg(short = 'o', long = "output", value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis cache list
  praxis cache show task_01jx
  praxis cache rm task_01jx")]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) what: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// List tasks with a cached plan, newest first
    List(ListLimit),
    /// Show the cached plan of a task and its slots
    Show(ExperienceFilter),
    /// Remove a cached plan; the rest of the experience stays
    Rm(ExperienceFilter),
}

/// The number of results.
#[derive(Debug, Args)]
pub(crate) struct ListLimit {
    /// Maximum number of results
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
}

/// The task that taught something.
#[derive(Debug, Args)]
pub(crate) struct ExperienceFilter {
    /// Task id, or its beginning
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
}
