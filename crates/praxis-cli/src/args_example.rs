//! The words after `praxis example`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis example                            which there are
  praxis example load-forecast              write it to ./load_forecast
  praxis example load-forecast ~/projects/load

An example is a project folder: data, a plan, and in .praxis tools and workflows that are known in it and nowhere else.
Nothing is written over: the folder must be new or empty.")]
pub(crate) struct ExampleArgs {
    /// Its name; without one, all are listed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The folder to write; that of its name unless given
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}
