//! Arguments of `praxis example`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  praxis example                            list the examples
  praxis example load-forecast              write it to ./load_forecast
  praxis example load-forecast ~/projects/load

An example is a project folder: data, a plan, and in .praxis tools and workflows that exist only there.
Nothing is overwritten: the folder must be new or empty.")]
pub(crate) struct ExampleArgs {
    /// Name of the example; without it, all are listed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Folder to write to [default: the name of the example]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}
