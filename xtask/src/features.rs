//! `cargo xtask features`: checks that every test and scenario named in the feature list exists and, with `--log`,
//! that every test passed.

use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The pages that name scenarios.
const PAGES: [&str; 2] = ["docs/FEATURES.md", "docs/SEED_MAP.md"];

/// Checks `docs/FEATURES.md` against the sources and, if given, the output of `cargo test`.
pub(crate) fn run(log: Option<&str>) -> anyhow::Result<()> {
    let text = std::fs::read_to_string("docs/FEATURES.md").context("docs/FEATURES.md")?;
    let rows = rows(&text);
    let written = written_tests()?;
    let passed = log.map(passed_tests).transpose()?;
    let mut missing = Vec::new();
    for page in PAGES {
        let text = std::fs::read_to_string(page).context(page)?;
        missing.extend(absent(page, &text, |file| Path::new(file).exists()));
    }
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

/// Reads the rows of the feature list, each with the tests that it names.
fn rows(text: &str) -> BTreeMap<String, Vec<String>> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let id = cells.next().filter(|id| id.len() == 5 && id.as_bytes().get(1) == Some(&b'-'))?;
        let tests = cells.nth(1)?.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Some((id.to_owned(), tests))
    };
    text.lines().filter_map(row).collect()
}

/// The tests that run scenario files: test, folder and file extension.
const SCENARIOS: [(&str, &str, &str); 2] = [
    ("goals::every_goal_ends_as_its_file_says", "crates/praxis-engine/tests/goals", "json"),
    ("flows::every_flow_ends_as_it_is_written", "crates/praxis-engine/tests/flows", "yaml"),
];

/// Returns the scenario files that are named in parentheses after the test that runs them.
fn scenarios(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for (test, folder, ending) in SCENARIOS {
        let after = text.split(&format!("`{test}` (")).skip(1).collect::<Vec<_>>();
        let named = after.into_iter().filter_map(|rest| rest.split(')').next());
        let names = named.flat_map(|names| names.split(", "));
        files.extend(names.map(|name| format!("{folder}/{name}.{ending}")));
    }
    files
}

/// Returns a message for each scenario of a page that does not exist.
fn absent(page: &str, text: &str, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let gone = scenarios(text).into_iter().filter(|file| !is_there(file));
    gone.map(|file| format!("{page}: `{file}` does not exist")).collect()
}

/// Returns the names of all functions in the sources, tests among them.
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

/// Returns the tests that a log of `cargo test` reports as passed.
fn passed_tests(log: &str) -> anyhow::Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(log).with_context(|| log.to_owned())?;
    let passed = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... ok")?.to_owned());
    Ok(text.lines().filter_map(passed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_in_brackets_are_files_in_the_folder_of_the_test_that_runs_them() {
        let row = "| B-001 | x | `flows::every_flow_ends_as_it_is_written` (chain, two_starts)<br>`a::b` (no) |\n\
                   | A-001 | y | `goals::every_goal_ends_as_its_file_says` (plain) |\n";
        let files = [
            "crates/praxis-engine/tests/goals/plain.json",
            "crates/praxis-engine/tests/flows/chain.yaml",
            "crates/praxis-engine/tests/flows/two_starts.yaml",
        ];
        assert_eq!(scenarios(row), files);
    }

    #[test]
    fn a_scenario_that_is_not_there_is_told_with_its_page() {
        let row = "`flows::every_flow_ends_as_it_is_written` (chain, gone)";
        let told = "page.md: `crates/praxis-engine/tests/flows/gone.yaml` does not exist";
        assert_eq!(absent("page.md", row, |file| file.ends_with("/chain.yaml")), [told]);
    }

    #[test]
    fn every_scenario_that_the_pages_name_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for page in PAGES {
            let text = std::fs::read_to_string(root.join(page)).unwrap();
            assert!(!scenarios(&text).is_empty(), "{page}");
            let gone = absent(page, &text, |file| root.join(file).exists());
            assert_eq!(gone, Vec::<String>::new());
        }
    }
}
