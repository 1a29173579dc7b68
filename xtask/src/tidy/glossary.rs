//! Checks that the glossary defines each word once.

use super::findings::Findings;
use std::collections::BTreeMap;
use std::path::Path;

/// The page that defines the words of the project, one per row.
const PAGE: &str = "docs/GLOSSARY.md";

/// Checks that no word of the glossary is defined twice.
pub(crate) fn check(root: &Path, findings: &mut Findings) {
    let page = std::fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    let mut defined: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, line) in (1..).zip(page.lines()) {
        let Some((words, _)) = line.strip_prefix("| ").and_then(|row| row.split_once(" |")) else {
            continue;
        };
        for word in words.split("**").skip(1).step_by(2) {
            defined.entry(word.to_lowercase()).or_default().push(number);
        }
    }
    findings.note(format!("words of the glossary: {}", defined.len()));
    for (word, lines) in defined.iter().filter(|(_, lines)| lines.len() > 1) {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        findings.error(format!("{PAGE}: `{word}` is defined in lines {}", lines.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_two_rows_define_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        let page = "| word | meaning |\n|---|---|\n| **rung** | a level |\n| **part**, **Rung** | a **way** of asking |\n";
        std::fs::write(folder.path().join(PAGE), page).unwrap();
        let mut findings = Findings::default();
        check(folder.path(), &mut findings);
        assert_eq!(findings.errors, ["docs/GLOSSARY.md: `rung` is defined in lines 3, 4"]);
        assert_eq!(findings.notes, ["words of the glossary: 2"]);
    }
}
