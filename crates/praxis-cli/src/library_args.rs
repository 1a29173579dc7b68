//! Arguments of `praxis prompt`, `scene` and `workflow`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis scene list
  praxis scene show ToolManagement
  praxis scene show 工具管理 --lang zh

A file scenes/NAME.toml in ~/.config/praxis or .praxis adds a scene, or replaces the one with its id.")]
pub(crate) struct SceneArgs {
    #[command(subcommand)]
    pub(crate) what: SceneCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SceneCommand {
    /// List scenes in matching order
    List,
    /// Show a scene: names, keywords and guidance
    Show {
        /// Id, or another name
        scene: String,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis workflow list
  praxis workflow show greeting
  praxis workflow check workflows/own.toml --tools tools/

A file workflows/NAME.toml in ~/.config/praxis or .praxis adds workflows, or replaces those with their ids.")]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    pub(crate) what: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// List workflows
    List,
    /// Show a workflow: steps, tools and parameters
    Show {
        /// Id
        workflow: String,
    },
    /// Check a workflow file against the tools and print every problem
    Check {
        /// Workflow file in TOML, YAML or JSON
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Tool manifests: a file or a folder; repeatable
        #[arg(long, value_name = "FILE|DIR")]
        tools: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis prompt list
  praxis prompt show planning --lang zh > .praxis/prompts/zh/planning.md
  praxis prompt check
  praxis prompt check .praxis/prompts/zh/planning.md

A file prompts/LANG/PART.md in ~/.config/praxis or .praxis replaces a part.")]
pub(crate) struct Prompt {
    #[command(subcommand)]
    pub(crate) what: PromptCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PromptCommand {
    /// List prompt parts, their holes and sources
    List,
    /// Print a prompt part in the language of --lang
    Show {
        /// Name
        part: String,
    },
    /// Check the prompts in use, a file or a folder, and print every problem
    Check {
        /// File PART.md, or a folder of such files
        #[arg(value_name = "FILE|DIR")]
        path: Option<PathBuf>,
    },
}
