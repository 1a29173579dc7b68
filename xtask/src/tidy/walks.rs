//! Checks the walks of the map: every `crate/file.rs::function` that they name must exist.

use super::findings::Findings;
use std::path::Path;

/// The short crate names that the map uses, with their folders.
const CRATES: [(&str, &str); 5] = [
    ("core", "crates/praxis-core/src"),
    ("planner", "crates/praxis-planner/src"),
    ("engine", "crates/praxis-engine/src"),
    ("adapters", "crates/praxis-adapters/src"),
    ("cli", "crates/praxis-cli/src"),
];

/// Checks every hop that the page names in backticks.
pub(crate) fn check(root: &Path, page: &str, findings: &mut Findings) {
    for hop in page.split('`').skip(1).step_by(2) {
        if let Some(wrong) = missing(root, hop) {
            findings.error(format!("docs/ARCHITECTURE.md: `{hop}`: {wrong}"));
        }
    }
}

/// Returns the problem of a hop; `None` if it exists, or is not a hop.
fn missing(root: &Path, hop: &str) -> Option<String> {
    let (name, rest) = hop.split_once('/')?;
    let (_, folder) = CRATES.iter().find(|(known, _)| *known == name)?;
    let (file, function) = match rest.split_once("::") {
        Some((file, function)) => (file, Some(function)),
        None => (rest, None),
    };
    let path = Path::new(folder).join(file);
    if !root.join(&path).exists() {
        return Some(format!("{} does not exist", path.display()));
    }
    let function = function?.rsplit("::").next()?;
    let text = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
    let is_there = ["(", "<"].iter().any(|end| text.contains(&format!("fn {function}{end}")));
    (!is_there).then(|| format!("{} has no function `{function}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_walk_names_files_and_functions_that_are_there() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("crates/praxis-core/src/decide");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("begin.rs"), "pub fn begin(a: u8) {}\nfn of<'a>(a: &'a u8) {}")
            .unwrap();
        let told = |hop: &str| missing(root.path(), hop);
        for there in
            ["core/decide/begin.rs::begin", "core/decide/begin.rs::of", "core/decide/", "a/b"]
        {
            assert_eq!(told(there), None, "{there}");
        }
        assert!(told("core/decide/begin.rs::beg").unwrap().ends_with("has no function `beg`"));
        assert!(told("core/start.rs::begin").unwrap().ends_with("start.rs does not exist"));
    }
}
