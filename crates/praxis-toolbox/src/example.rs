//! Example projects embedded in the binary, with their own tools and workflows.
//!
//! - in: the name of an example
//! - out: its files as stored in `/examples`, and the tools and workflows that they define
//! - never: adds a tool to [`super::tools`]: the tools of an example are available only in its project

use super::catalog::read;
use praxis_core::call::tool::Tool;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::route::workflow::{self, Workflow};

/// A project folder embedded in the binary.
#[derive(Clone, Copy, Debug)]
pub struct ExampleProject {
    /// The name of the example.
    pub name: &'static str,
    /// The name of its folder.
    pub folder: &'static str,
    /// A one-line description, in English and in Chinese.
    pub about: (&'static str, &'static str),
    /// A goal that can be run in its folder, in English and in Chinese.
    pub goal: (&'static str, &'static str),
    /// Its files: the path below the folder, and the text.
    pub files: &'static [(&'static str, &'static str)],
}

/// Embeds files of a folder in `/examples`.
macro_rules! files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../../examples/", $folder, "/", $path)))),+]
    };
}

/// All examples.
pub const EXAMPLES: &[ExampleProject] = &[ExampleProject {
    name: "load-forecast",
    folder: "load_forecast",
    about: (
        "from a CSV file of hourly electric load to a forecast and a report: 12 tools, 4 workflows",
        "从逐时电力负荷的 CSV 文件到预测和报告：12 个工具，4 个工作流",
    ),
    goal: ("load forecast, file_path: load.csv", "负荷预测，文件路径: load.csv"),
    files: files!("load_forecast":
        "README.md",
        "goal.yaml",
        "plan.yaml",
        "load.csv",
        "make_csv.py",
        "praxis.toml",
        ".praxis/tools/load.yaml",
        ".praxis/tools/load_series.yaml",
        ".praxis/workflows/csv_check.toml",
        ".praxis/workflows/datasource_import.toml",
        ".praxis/workflows/datasource_report.toml",
        ".praxis/workflows/load_forecast.toml",
    ),
}];

impl ExampleProject {
    /// Returns the example with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        EXAMPLES.iter().find(|example| example.name == name)
    }

    /// Returns the example that defines the tool or workflow with this id.
    pub fn bringing(id: &str) -> Option<&'static Self> {
        let brings = |example: &&Self| {
            example.tools().iter().any(|tool| tool.id.as_str() == id)
                || example.workflows().iter().any(|workflow| workflow.id == id)
        };
        EXAMPLES.iter().find(brings)
    }

    /// Returns the text of a file.
    pub fn file(&self, path: &str) -> Option<&'static str> {
        self.files.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
    }

    /// Returns the tools of its manifests.
    pub fn tools(&self) -> Vec<Tool> {
        self.below(".praxis/tools/").flat_map(|text| read(text.as_bytes())).collect()
    }

    /// Returns its workflows.
    pub fn workflows(&self) -> Vec<Workflow> {
        // The files are part of the binary and parsed by a test.
        let read = |text: &str| {
            workflow::read(&document::read(text.as_bytes(), DocumentFormat::Toml).ok()?).ok()
        };
        self.below(".praxis/workflows/").filter_map(read).flatten().collect()
    }

    fn below(&self, folder: &'static str) -> impl Iterator<Item = &'static str> {
        let files = self.files.iter();
        files.filter(move |(path, _)| path.starts_with(folder)).map(|(_, text)| *text)
    }
}

#[cfg(test)]
#[path = "example_tests.rs"]
mod tests;
