//! What can be typed about prompts, scenes and workflows.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis scene list
  praxis scene show ToolManagement
  praxis scene show 工具管理 --lang zh

A file scenes/NAME.toml in ~/.config/praxis or .praxis adds a scene, or replaces the one of its id.")]
pub(crate) struct SceneArgs {
    #[command(subcommand)]
    pub(crate) what: SceneWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SceneWhat {
    /// All scenes, in the order in which they are asked
    List,
    /// One scene: its names, its keywords and its guidance
    Show {
        /// Its id, or one of its other names
        scene: String,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis workflow list
  praxis workflow show greeting
  praxis workflow check workflows/own.toml --tools tools/

A file workflows/NAME.toml in ~/.config/praxis or .praxis adds workflows, or replaces those of their ids.")]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    pub(crate) what: WorkflowWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowWhat {
    /// All workflows
    List,
    /// One workflow: its steps, tools and parameters
    Show {
        /// Its id
        workflow: String,
    },
    /// Check a file of workflows against the tools; everything that is wrong is told
    Check {
        /// A file in TOML, YAML or JSON
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Tool manifests: a file or a folder
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

A file prompts/LANG/PART.md in ~/.config/praxis or .praxis takes the place of a part.")]
pub(crate) struct Prompt {
    #[command(subcommand)]
    pub(crate) what: PromptWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PromptWhat {
    /// All parts: their holes, and where their texts come from
    List,
    /// The text of a part in the language of --lang
    Show {
        /// Its name
        part: String,
    },
    /// Check the texts in force, a file, or a folder; everything that is wrong is told
    Check {
        /// A file PART.md, or a folder of such files
        #[arg(value_name = "FILE|DIR")]
        path: Option<PathBuf>,
    },
}
