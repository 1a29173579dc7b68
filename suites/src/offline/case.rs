//! The goals in words, as their files have them.

use anyhow::Context;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::ids::ToolId;
use praxis_core::state::TaskStatus;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A goal, and what a person would call right.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineCase {
    pub(crate) id: String,
    pub(crate) goal: String,
    /// What is given beside the words.
    #[serde(default)]
    pub(crate) metadata: Map<String, Value>,
    /// What stands in the working folder.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// The tools that are broken.
    #[serde(default)]
    pub(crate) down: BTreeSet<ToolId>,
    pub(crate) expect: OfflineExpectation,
}

/// What is right.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfflineExpectation {
    pub(crate) outcome: ExpectedOutcome,
    #[serde(default)]
    pub(crate) steps: Vec<ExpectedStep>,
    /// The parameters that are asked for.
    #[serde(default)]
    pub(crate) asks: Vec<String>,
    /// How it ends with nobody answering; none where there is no task.
    #[serde(default)]
    pub(crate) status: Option<TaskStatus>,
    /// The code of the step that failed.
    #[serde(default)]
    pub(crate) error: Option<String>,
    /// Fields of outputs by the number of the step, counted from one.
    #[serde(default)]
    pub(crate) gives: BTreeMap<usize, Map<String, Value>>,
    /// Plans that are as right.
    #[serde(default)]
    pub(crate) also: Vec<Vec<ExpectedStep>>,
}

/// What is said before anything runs.
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
    /// What its arguments must be.
    #[serde(default)]
    pub(crate) with: Map<String, Value>,
    /// The steps before it, counted from one, where it is wrong without.
    #[serde(default)]
    pub(crate) after: Vec<usize>,
}

impl OfflineCase {
    /// The class: `single` of `zh_single_06`.
    pub(crate) fn class(&self) -> &str {
        let name = self.id.rsplit_once('_').map_or(self.id.as_str(), |(name, _)| name);
        name.split_once('_').map_or(name, |(_, class)| class)
    }

    /// The language: `zh` of `zh_single_06`.
    pub(crate) fn lang(&self) -> &str {
        self.id.split('_').next().unwrap_or_default()
    }
}

impl OfflineExpectation {
    /// The plans that are right.
    pub(crate) fn plans(&self) -> impl Iterator<Item = &Vec<ExpectedStep>> {
        std::iter::once(&self.steps).chain(&self.also)
    }
}

/// Where the goals are.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline")
}

/// All goals, file by file.
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
