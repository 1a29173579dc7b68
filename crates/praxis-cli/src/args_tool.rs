//! Arguments of `praxis tool`.

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
    pub(crate) what: ToolCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// List the available tools
    List {
        /// Tool manifests: a file or a folder; repeatable
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
    /// Show a tool: parameters, output, risk and transport
    Show {
        /// Id
        #[arg(value_name = "TOOL")]
        tool: String,
        /// Tool manifests: a file or a folder; repeatable
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
    /// Search tools by words, best match first, with reasons
    #[command(after_help = "Examples:
  praxis tool search \"sort a table by two columns\"
  praxis tool search 把表格按城市汇总 -n 5
  praxis tool search \"send an invoice\" --tools tools/ --json")]
    Search {
        /// Task in words
        #[arg(value_name = "WORDS", required = true)]
        words: Vec<String>,
        /// Maximum number of results
        #[arg(short = 'n', long = "most", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
        most: u32,
        /// Tool manifests: a file or a folder; repeatable
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
    /// Check manifests and print every problem
    Check {
        /// Files or folders
        #[arg(value_name = "FILE|DIR", required = true)]
        files: Vec<PathBuf>,
    },
    /// Call a tool, as a task with one step
    Call(Box<ToolCallArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis tool call count_lines -p file=notes.txt --tools tools.yaml
  praxis tool call add_user --params user.json --tools tools/ --json

The call is a task: it is journaled, retried and approved like every step of a plan.")]
pub(crate) struct ToolCallArgs {
    /// Id
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
}
