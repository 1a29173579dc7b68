//! Arguments of `praxis flow`.

use crate::args::EventFormatArgs;
use crate::args_goal::TaskArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow check greet.yaml
  praxis flow run greet.yaml -p who=Ada
  praxis flow show greet.yaml --svg > greet.svg
  praxis flow list flows/
  praxis flow calls

A `SubFlow` node finds its flow in NAME.yaml next to the file, or in the folders of --flows.")]
pub(crate) struct FlowArgs {
    #[command(subcommand)]
    pub(crate) what: FlowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FlowCommand {
    /// Check flows and print every problem with a fix
    Check(FlowCheck),
    /// Run a flow
    Run(Box<FlowRun>),
    /// List the flows of a folder
    List(FlowList),
    /// Show a flow as text, as a drawing, or as data
    Show(FlowShow),
    /// Format flows
    Fmt(FlowFmt),
    /// Compare two flows; exit 1 if they differ
    Diff(FlowDiff),
    /// List the built-in node types
    Calls,
}

/// Tools and sub-flows of a flow.
#[derive(Debug, Args)]
pub(crate) struct Called {
    /// Tool manifests: a file or a folder; repeatable
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) tools: Vec<PathBuf>,
    /// More folders with sub-flows; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow check greet.yaml
  praxis flow check flows/*.yaml --tools tools/ --json

Exit: 0 no errors · 2 errors · 6 file not found")]
pub(crate) struct FlowCheck {
    /// Flow files in YAML, JSON or TOML
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) called: Called,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow run greet.yaml -p who=Ada
  praxis flow run orders.yaml --params orders.json --tools tools/ --detach

Inputs without a value or a default are asked for in the terminal; without a terminal: exit 3.")]
pub(crate) struct FlowRun {
    /// Flow file in YAML, JSON or TOML
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// More folders with sub-flows; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
    /// Model for `LLM` nodes and for missing values [default: the `report` model]; `offline` for none
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Budget for models, e.g. tokens=20k,money=CNY0.5
    #[arg(long, value_name = "LIMITS")]
    pub(crate) budget: Option<String>,
    /// Print the task id and return; the task runs in the background
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) told: EventFormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FlowList {
    /// Folder
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) called: Called,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow show greet.yaml
  praxis flow show greet.yaml --mermaid
  praxis flow show greet.yaml --svg > greet.svg")]
pub(crate) struct FlowShow {
    /// Flow file in YAML, JSON or TOML
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// More folders with sub-flows; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
    /// Print a Mermaid diagram
    #[arg(long, group = "form")]
    pub(crate) mermaid: bool,
    /// Print an SVG drawing
    #[arg(long, group = "form")]
    pub(crate) svg: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow fmt greet.yaml
  praxis flow fmt flows/*.yaml --check

Comments below the head of a file would be lost: such a file is only formatted with --drop-comments.")]
pub(crate) struct FlowFmt {
    /// Flow files in YAML, JSON or TOML
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; exit 1 if a file is not formatted
    #[arg(long)]
    pub(crate) check: bool,
    /// Format files with comments too, and drop the comments
    #[arg(long)]
    pub(crate) drop_comments: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FlowDiff {
    /// First flow
    #[arg(value_name = "FILE")]
    pub(crate) before: PathBuf,
    /// Second flow
    #[arg(value_name = "FILE")]
    pub(crate) after: PathBuf,
    /// More folders with sub-flows; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
}
