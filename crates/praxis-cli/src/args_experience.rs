//! What can be typed after `praxis experience` and `praxis cache`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis experience list --limit 5
  praxis experience show task_01jx
  praxis experience rm task_01jx
  praxis experience export -o experiences.jsonl

Later goals are planned with it; `goal.experience = false` or --no-experience goes without.")]
pub(crate) struct ExperienceArgs {
    #[command(subcommand)]
    pub(crate) what: ExperienceWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperienceWhat {
    /// What finished tasks taught, the newest first
    List(ListLimit),
    /// What one task taught
    Show(ExperienceFilter),
    /// Take back what a task taught; the task itself stays as it is
    Rm(ExperienceFilter),
    /// All of it as JSON lines, the oldest first
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
    pub(crate) what: CacheWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheWhat {
    /// The tasks whose plan can be used again, the newest first
    List(ListLimit),
    /// The plan of one task, with what has to be filled
    Show(ExperienceFilter),
    /// Take a plan back; what else the task taught stays
    Rm(ExperienceFilter),
}

/// How many.
#[derive(Debug, Args)]
pub(crate) struct ListLimit {
    /// How many at most
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
}

/// Which.
#[derive(Debug, Args)]
pub(crate) struct ExperienceFilter {
    /// The task that taught it: its id or the beginning of it
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
}
