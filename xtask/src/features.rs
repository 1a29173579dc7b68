//! `cargo xtask features`: every test and every scenario that the checklist names exists and, with `--log`, every test
//! has passed.

use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Checks `docs/FEATURES.md` against the sources, and against the output of `cargo test`.
pub(crate) fn run(log: Option<&str>) -> anyhow::Result<()> {
    let text = std::fs::read_to_string("docs/FEATURES.md").context("docs/FEATURES.md")?;
    let rows = rows(&text);
    let written = written_tests()?;
    let passed = log.map(passed_tests).transpose()?;
    let mut missing: Vec<String> = scenarios(&text).filter_map(absent).collect();
    for (row, tests) in &rows {
        for test in tests {
            let name = test.rsplit("::").next().unwrap_or(test);
            if !written.contains(name) {
                missing.push(format!("{row}: `{test}` does not exist"));
            } else if passed.as_ref().is_some_and(|passed| !passed.contains(test)) {
                missing.push(format!("{row}: `{test}` did not run and pass"));
            }
        }
    }
    let bare: Vec<&str> =
        rows.iter().filter(|(_, t)| t.is_empty()).map(|(row, _)| row.as_str()).collect();
    println!("{} rows, {} with tests", rows.len(), rows.len() - bare.len());
    println!("without a test: {}", bare.join(" "));
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{}", missing.join("\n"))
}

/// The rows of the checklist and the tests that each names.
fn rows(text: &str) -> BTreeMap<String, Vec<String>> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let id = cells.next().filter(|id| id.len() == 5 && id.as_bytes().get(1) == Some(&b'-'))?;
        let tests = cells.nth(1)?.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Some((id.to_owned(), tests))
    };
    text.lines().filter_map(row).collect()
}

/// The goals as data that are named in brackets after the test that runs them all.
fn scenarios(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split("goals::every_goal_ends_as_its_file_says` (").skip(1);
    let named = after.filter_map(|rest| rest.split(')').next());
    named.flat_map(|names| names.split(", "))
}

/// What is to be said of a scenario that is not there.
fn absent(name: &str) -> Option<String> {
    let file = format!("crates/praxis-engine/tests/goals/{name}.json");
    (!Path::new(&file).exists()).then(|| format!("`{file}` does not exist"))
}

/// The names of all test functions in the sources.
fn written_tests() -> anyhow::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for folder in ["crates", "bench", "suites", "xtask"] {
        collect(Path::new(folder), &mut names)?;
    }
    Ok(names)
}

fn collect(folder: &Path, names: &mut BTreeSet<String>) -> anyhow::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, names)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let function = |line: &str| {
                let name = line.trim_start().strip_prefix("async ").unwrap_or(line.trim_start());
                Some(name.strip_prefix("fn ")?.split('(').next()?.to_owned())
            };
            names.extend(text.lines().filter_map(function));
        }
    }
    Ok(())
}

/// The tests that a run of `cargo test` reported as passed.
fn passed_tests(log: &str) -> anyhow::Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(log).with_context(|| log.to_owned())?;
    let passed = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... ok")?.to_owned());
    Ok(text.lines().filter_map(passed).collect())
}
