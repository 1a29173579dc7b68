//! The cases of the suite `offline-goals`, as their YAML files write them.

use anyhow::Context;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::ids::ToolId;
use praxis_core::state::TaskStatus;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A goal and its expected result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineCase {
    pub(crate) id: String,
    pub(crate) goal: String,
    /// The initial metadata of the task.
    #[serde(default)]
    pub(crate) metadata: Map<String, Value>,
    /// The files in the working folder, by path.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// The tools whose every call fails.
    #[serde(default)]
    pub(crate) down: BTreeSet<ToolId>,
    pub(crate) expect: OfflineExpectation,
}

/// The expected result of a goal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineExpectation {
    pub(crate) outcome: ExpectedOutcome,
    #[serde(default)]
    pub(crate) steps: Vec<ExpectedStep>,
    /// The parameters that the user is asked for.
    #[serde(default)]
    pub(crate) asks: Vec<String>,
    /// The final status if nobody answers questions; `None` if no task is created.
    #[serde(default)]
    pub(crate) status: Option<TaskStatus>,
    /// The fault code of the failed step.
    #[serde(default)]
    pub(crate) error: Option<String>,
    /// Expected output fields, by the number of the step, counted from one.
    #[serde(default)]
    pub(crate) gives: BTreeMap<usize, Map<String, Value>>,
    /// Alternative plans that are equally right.
    #[serde(default)]
    pub(crate) also: Vec<Vec<ExpectedStep>>,
}

/// The prediction before anything runs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExpectedOutcome {
    Ready,
    NeedParams,
    NoPlan,
}

/// A step of a right plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedStep {
    pub(crate) tool: ToolId,
    /// The expected arguments.
    #[serde(default)]
    pub(crate) with: Map<String, Value>,
    /// The steps that must precede it, counted from one, where the order matters.
    #[serde(default)]
    pub(crate) after: Vec<usize>,
}

impl OfflineCase {
    /// Returns the class: `single` of `zh_single_06`.
    pub(crate) fn class(&self) -> &str {
        let name = self.id.rsplit_once('_').map_or(self.id.as_str(), |(name, _)| name);
        name.split_once('_').map_or(name, |(_, class)| class)
    }

    /// Returns the language: `zh` of `zh_single_06`.
    pub(crate) fn lang(&self) -> &str {
        self.id.split('_').next().unwrap_or_default()
    }
}

impl OfflineExpectation {
    /// Returns all right plans, `steps` first.
    pub(crate) fn plans(&self) -> impl Iterator<Item = &Vec<ExpectedStep>> {
        std::iter::once(&self.steps).chain(&self.also)
    }
}

/// Returns the folder of the case files.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline")
}

/// Reads all cases of a folder, file by file.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<OfflineCase>> {
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
    let mut files: Vec<PathBuf> = entries?.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let document = document::read(&std::fs::read(&file)?, DocumentFormat::Yaml)
            .with_context(|| file.display().to_string())?;
        let cases: Vec<OfflineCase> =
            serde_json::from_value(document).with_context(|| file.display().to_string())?;
        all.extend(cases);
    }
    Ok(all)
}
