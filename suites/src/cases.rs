//! Finds and reads the cases of a suite: every `*.jsonl` directly in its folder.

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Returns the files in `folder` whose name starts with `begin` and ends with `end`, sorted.
pub(crate) fn files(folder: &Path, begin: &str, end: &str) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(begin) && name.ends_with(end)) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Reads the rows of all files `begin*.jsonl` in `folder`.
pub(crate) fn rows<Row: DeserializeOwned>(folder: &Path, begin: &str) -> anyhow::Result<Vec<Row>> {
    let files = files(folder, begin, ".jsonl")?;
    ensure!(!files.is_empty(), "no {begin}*.jsonl in {}", folder.display());
    let mut rows = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = || format!("{}, line {}", file.display(), index + 1);
            rows.push(serde_json::from_str(line).with_context(at)?);
        }
    }
    Ok(rows)
}
