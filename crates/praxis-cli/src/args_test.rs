//! Arguments of `praxis test`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis test add task_01jx forecast
  praxis test run
  praxis test update forecast

Exit 8 if a task would run differently now.")]
pub(crate) struct Test {
    /// Folder of the tests
    #[arg(long, global = true, value_name = "DIR", default_value = "tests/praxis")]
    pub(crate) dir: PathBuf,
    #[command(subcommand)]
    pub(crate) what: TestCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TestCommand {
    /// Turn a past task into a test
    Add(TestAdd),
    /// Replay recorded tasks; all if none is named
    Run {
        /// Names of tests
        names: Vec<String>,
    },
    /// List the tests
    List,
    /// Show how a test differs now, and accept the current behaviour
    Update {
        /// Name of the test
        name: String,
    },
    /// Remove a test
    Rm {
        /// Name of the test
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TestAdd {
    /// A task and a name for the test [default: the task id]; with --last only the name
    #[arg(value_name = "TASK NAME", num_args = 0..=2)]
    pub(crate) words: Vec<String>,
    /// The latest task
    #[arg(long)]
    pub(crate) last: bool,
}
