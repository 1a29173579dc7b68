//! `cargo xtask tidy --report`: measures the readability of the code in four numbers, with limits.
//!
//! - in: the sources of every crate without their tests, and `docs/GLOSSARY.md`
//! - out: each measure with its limit and the worst places; an error for each exceeded limit
//! - never: counts generated files

use super::docs;
use super::findings::Findings;
use super::functions;
use super::glossary;
use super::tree::ModuleTree;
use super::type_names;
use super::workspace::Package;
use std::path::Path;

/// Limit of the share of doc blocks that begin with a question word, in percent.
const MOST_QUESTION_OPENINGS: f64 = 5.0;
/// Limit of the share of types that share their name with another type, in percent.
const MOST_SHARED_NAMES: f64 = 20.0;
/// Maximum number of lines of code in a function.
const MOST_FUNCTION_LINES: usize = 60;
/// Maximum number of places that a measure lists.
const SHOWN: usize = 10;

/// Measures the workspace in `root`.
pub(crate) fn report(root: &Path, packages: &[Package]) -> anyhow::Result<Findings> {
    let mut trees = Vec::new();
    for package in packages {
        for file in package.root.iter().chain(&package.more_roots) {
            trees.push(ModuleTree::read(root, file)?);
        }
    }
    let files = || trees.iter().flat_map(|tree| &tree.files).filter(|file| !file.is_generated());
    let mut findings = Findings::default();
    report_docs(&files().flat_map(docs::blocks).collect::<Vec<_>>(), &mut findings);
    report_types(&files().flat_map(type_names::defined).collect::<Vec<_>>(), &mut findings);
    report_functions(files().flat_map(functions::lengths).collect(), &mut findings);
    glossary::check(root, &mut findings);
    Ok(findings)
}

fn report_docs(blocks: &[docs::DocBlock], findings: &mut Findings) {
    let asking: Vec<&docs::DocBlock> = blocks.iter().filter(|block| block.asks).collect();
    let in_code = blocks.iter().filter(|block| block.names_code).count();
    let share = percent(asking.len(), blocks.len());
    let line = format!(
        "doc blocks that begin with a question word: {} of {} ({share:.1} %, at most {MOST_QUESTION_OPENINGS} %); \
         that name something in `code`: {:.1} %",
        asking.len(),
        blocks.len(),
        percent(in_code, blocks.len())
    );
    let examples = asking.iter().map(|block| block.at.clone()).collect();
    measured(line, examples, share >= MOST_QUESTION_OPENINGS, findings);
}

fn report_types(types: &[type_names::TypeName], findings: &mut Findings) {
    let shared = type_names::shared(types);
    let count = shared.iter().map(|(_, places)| places.len()).sum::<usize>();
    let share = percent(count, types.len());
    let line = format!(
        "types that share their name with another: {count} of {} ({share:.1} %, at most {MOST_SHARED_NAMES} %)",
        types.len()
    );
    let examples = shared.iter().map(|(name, at)| format!("{name}: {}", at.join(" "))).collect();
    measured(line, examples, share >= MOST_SHARED_NAMES, findings);
}

fn report_functions(mut lengths: Vec<functions::FunctionLength>, findings: &mut Findings) {
    lengths.sort_by_key(|length| std::cmp::Reverse(length.lines));
    let most = lengths.first().map_or(0, |length| length.lines);
    let line = format!(
        "the longest function: {most} lines of code (at most {MOST_FUNCTION_LINES}), of {} functions",
        lengths.len()
    );
    let examples = lengths.iter().map(|length| format!("{} {}", length.lines, length.at)).collect();
    measured(line, examples, most > MOST_FUNCTION_LINES, findings);
}

/// Adds a measure as a note, or as an error with its worst places if it exceeds its limit.
fn measured(line: String, places: Vec<String>, is_over: bool, findings: &mut Findings) {
    if is_over {
        let shown: Vec<String> = places.into_iter().take(SHOWN).collect();
        findings.error(format!("{line}; for example:\n  {}", shown.join("\n  ")));
    } else {
        findings.note(line);
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::fixture::WorkspaceFixture;
    use super::super::workspace;
    use super::*;

    fn errors(fixture: &WorkspaceFixture) -> Vec<String> {
        let root = fixture.root();
        let packages = workspace::read(&root).unwrap();
        report(&root, &packages).unwrap().errors
    }

    #[test]
    fn a_doc_that_asks_and_a_name_that_two_types_have_are_over_their_limits() {
        let a = "/// What it weighs.\npub struct Slot;";
        let b = "/// A place in a form.\npub enum Slot {}";
        let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)];
        let errors = errors(&WorkspaceFixture::of_layers("a\nb", &files));
        let [docs, types] = errors.as_slice() else { panic!("{errors:#?}") };
        assert!(docs.contains("1 of 5 (20.0 %") && docs.ends_with("  src/a.rs:2"), "{docs}");
        assert!(
            types.contains("2 of 2") && types.ends_with("Slot: src/a.rs:3 src/b.rs:3"),
            "{types}"
        );
    }

    #[test]
    fn what_only_tests_see_is_not_measured() {
        let text = "/// A place.\npub struct Place;\n#[cfg(test)]\nmod tests {\n    /// What it is.\n    struct Place;\n}";
        let files = [("lib.rs", "mod a;"), ("a.rs", text)];
        assert_eq!(errors(&WorkspaceFixture::of_layers("a", &files)), [] as [String; 0]);
    }

    #[test]
    fn lines_of_a_function_are_counted_without_blank_lines_and_comments() {
        let body = "    let _ = 1;\n\n    // Because.\n".repeat(61);
        let text = format!("fn long() {{\n{body}}}");
        let errors =
            errors(&WorkspaceFixture::of_layers("a", &[("lib.rs", "mod a;"), ("a.rs", &text)]));
        assert!(errors.len() == 1 && errors[0].ends_with("  61 src/a.rs:2 long"), "{errors:#?}");
    }
}
