//! Lists the crates of the workspace with `cargo metadata`.

use anyhow::{Context, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder of its `Cargo.toml`.
    pub(crate) folder: PathBuf,
    /// The root file of its module tree: `lib.rs`, or `main.rs` if it has no library.
    pub(crate) root: Option<PathBuf>,
    /// The root files of its other libraries and programs.
    pub(crate) more_roots: Vec<PathBuf>,
    /// The crates of the workspace that it depends on, except for tests.
    pub(crate) needs: BTreeSet<String>,
}

/// Reads the crates of the workspace in `root`, sorted by name.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Package>> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .output()
        .context("cargo metadata")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`cargo metadata` failed: {said}");
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let listed = list(&metadata, "packages");
    let names: BTreeSet<&str> = listed.iter().map(|package| text(package, "name")).collect();
    let mut packages = listed.iter().map(|it| package(it, &names)).collect::<Vec<_>>();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn package(value: &Value, names: &BTreeSet<&str>) -> Package {
    let roots = |kind: &str| -> Vec<PathBuf> {
        let is = |target: &&Value| list(target, "kind").iter().any(|it| it == kind);
        let targets = list(value, "targets").iter().filter(is);
        targets.map(|target| PathBuf::from(text(target, "src_path"))).collect()
    };
    let mut all = roots("lib").into_iter().chain(roots("bin"));
    let root = all.next();
    let ours = |need: &&Value| {
        need.get("kind").and_then(Value::as_str) != Some("dev")
            && need.get("path").is_some_and(|path| !path.is_null())
            && names.contains(text(need, "name"))
    };
    let needs = list(value, "dependencies").iter().filter(ours);
    let manifest = PathBuf::from(text(value, "manifest_path"));
    Package {
        name: text(value, "name").to_owned(),
        folder: manifest.parent().unwrap_or(&manifest).to_owned(),
        root,
        more_roots: all.collect(),
        needs: needs.map(|need| text(need, "name").to_owned()).collect(),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
