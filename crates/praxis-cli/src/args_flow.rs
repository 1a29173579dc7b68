//! What can be typed after `praxis flow`.

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

A flow that calls another with `SubFlow` finds it in NAME.yaml beside it, or in the folders of --flows.")]
pub(crate) struct FlowArgs {
    #[command(subcommand)]
    pub(crate) what: FlowWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FlowWhat {
    /// Check flows; everything that is wrong is told with how to mend it
    Check(FlowCheck),
    /// Run a flow
    Run(Box<FlowRun>),
    /// All flows of a folder
    List(FlowList),
    /// One flow: as text, as a drawing, or as data
    Show(FlowShow),
    /// Write a flow in its canonical form
    Fmt(FlowFmt),
    /// Compare two flows; exit 1 if they differ
    Diff(FlowDiff),
    /// What Praxis itself can be called for in a flow
    Calls,
}

/// What a flow may call.
#[derive(Debug, Args)]
pub(crate) struct Called {
    /// Tool manifests: a file or a folder
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) tools: Vec<PathBuf>,
    /// More folders with flows that are called by name
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow check greet.yaml
  praxis flow check flows/*.yaml --tools tools/ --json

Exit: 0 in order, warnings or not · 2 something keeps a flow from running · 6 no such file")]
pub(crate) struct FlowCheck {
    /// Flows in YAML or JSON
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) called: Called,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow run greet.yaml -p who=Ada
  praxis flow run orders.yaml --params orders.json --tools tools/ --detach

An input that is not given and has no default is asked for at the terminal; where nobody can be asked, exit 3.")]
pub(crate) struct FlowRun {
    /// A flow in YAML or JSON
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// More folders with flows that are called by name
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) given: TaskArgs,
    /// The model that nodes like `LLM` ask, and that looks for missing values: whoever answers goals unless said
    /// otherwise; `offline` for none
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// What models may cost: tokens=20k,money=CNY0.5
    #[arg(long, value_name = "LIMITS")]
    pub(crate) budget: Option<String>,
    /// Print the task's id and leave; it runs in the background
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) told: EventFormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FlowList {
    /// A folder
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
    /// A flow in YAML or JSON
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// More folders with flows that are called by name
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
    /// A drawing as Mermaid text
    #[arg(long, group = "form")]
    pub(crate) mermaid: bool,
    /// A drawing as one SVG file, on stdout
    #[arg(long, group = "form")]
    pub(crate) svg: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis flow fmt greet.yaml
  praxis flow fmt flows/*.yaml --check

Comments are not kept: a file that has some is only written anew with --drop-comments.")]
pub(crate) struct FlowFmt {
    /// Flows in YAML or JSON
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; exit 1 if a file is in another form
    #[arg(long)]
    pub(crate) check: bool,
    /// Write files with comments too, without them
    #[arg(long)]
    pub(crate) drop_comments: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FlowDiff {
    /// A flow
    #[arg(value_name = "FILE")]
    pub(crate) before: PathBuf,
    /// Another
    #[arg(value_name = "FILE")]
    pub(crate) after: PathBuf,
    /// More folders with flows that are called by name
    #[arg(long, value_name = "DIR")]
    pub(crate) flows: Vec<PathBuf>,
}
