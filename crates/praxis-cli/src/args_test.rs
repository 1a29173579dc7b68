//! What can be typed after `praxis test`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis test add task_01jx forecast
  praxis test run
  praxis test update forecast

Exit 8 if a task would go another way now.")]
pub(crate) struct Test {
    /// Where the tests are
    #[arg(long, global = true, value_name = "DIR", default_value = "tests/praxis")]
    pub(crate) dir: PathBuf,
    #[command(subcommand)]
    pub(crate) what: TestWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TestWhat {
    /// Make a test of a past task
    Add(TestAdd),
    /// Decide the recorded tasks anew; all if none is named
    Run {
        /// Names of tests
        names: Vec<String>,
    },
    /// List the tests
    List,
    /// Show where a test goes another way now, and take its task as it is now
    Update {
        /// The name of a test
        name: String,
    },
    /// Remove a test
    Rm {
        /// The name of a test
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TestAdd {
    /// A task, and what the test is called: the task's id if nothing is said; with --last only the name
    #[arg(value_name = "TASK NAME", num_args = 0..=2)]
    pub(crate) words: Vec<String>,
    /// The task that was submitted last
    #[arg(long)]
    pub(crate) last: bool,
}
