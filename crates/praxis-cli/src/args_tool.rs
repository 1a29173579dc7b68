//! What can be typed after `praxis tool`.

use crate::args_goal::TaskArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis tool list --tools tools/
  praxis tool show read_table
  praxis tool search \"sort a table by two columns\"
  praxis tool check tools/*.yaml
  praxis tool call count_lines -p file=notes.txt --tools tools.yaml")]
pub(crate) struct ToolArgs {
    #[command(subcommand)]
    pub(crate) what: ToolWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolWhat {
    /// All tools that can be used here
    List {
        /// Tool manifests: a file or a folder
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
    /// One tool: what it takes and gives, what it can do, how it is reached
    Show {
        /// Its id
        #[arg(value_name = "TOOL")]
        tool: String,
        /// Tool manifests: a file or a folder
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
    /// The tools that fit some words, the best first, and what speaks for each
    #[command(after_help = "Examples:
  praxis tool search \"sort a table by two columns\"
  praxis tool search 把表格按城市汇总 -n 5
  praxis tool search \"send an invoice\" --tools tools/ --json")]
    Search {
        /// What is to be done, in words
        #[arg(value_name = "WORDS", required = true)]
        words: Vec<String>,
        /// How many at most
        #[arg(short = 'n', long = "most", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
        most: u32,
        /// Tool manifests: a file or a folder
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
    /// Check manifests; everything that is wrong is told
    Check {
        /// Files or folders
        #[arg(value_name = "FILE|DIR", required = true)]
        files: Vec<PathBuf>,
    },
    /// Call one tool, as a task of one step
    Call(Box<ToolCallArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis tool call count_lines -p file=notes.txt --tools tools.yaml
  praxis tool call add_user --params user.json --tools tools/ --json

The call is a task: it is journaled, tried again and asked about like every step of a plan.")]
pub(crate) struct ToolCallArgs {
    /// Its id
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
}
