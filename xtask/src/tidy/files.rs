//! Checks every file: a module doc, a limited size, only declarations in a `mod.rs`, and an issue for each `TODO`.

use super::findings::Findings;
use super::test_only::{of_item, test_only};
use super::tree::{ModuleTree, SourceFile};
use std::ops::RangeInclusive;
use std::path::Path;
use syn::{AttrStyle, Item};

/// Maximum number of lines of a file, without its tests.
const MOST_LINES: usize = 300;
/// Maximum number of files that a note lists.
const SHOWN: usize = 5;
/// The marker of unfinished work.
const MARK: &str = concat!("TO", "DO");

/// Checks the files of a crate, except test files and generated files.
pub(crate) fn check(name: &str, tree: &ModuleTree, has_layers: bool, findings: &mut Findings) {
    let mut long = Vec::new();
    for file in tree.files.iter().filter(|file| !file.is_generated()) {
        if !has_doc(file) {
            findings.error(format!(
                "{}:1: the module has no doc; begin the file with `//!` and what the module does",
                file.shown
            ));
        }
        let lines = file.text.lines().count().saturating_sub(test_lines(&file.parsed.items));
        long.extend((lines > MOST_LINES).then_some((lines, file.shown.as_str())));
        let declares = file.shown.ends_with("/mod.rs") || file.shown.ends_with("/lib.rs");
        let more = file.parsed.items.iter().filter(|item| !is_declaration(item)).count();
        if has_layers && declares && more > 0 {
            findings.note(format!(
                "{}: {more} items beside declarations and docs; they belong in a file of their own",
                file.shown
            ));
        }
    }
    long.sort_by_key(|(lines, _)| std::cmp::Reverse(*lines));
    let shown: Vec<String> =
        long.iter().take(SHOWN).map(|(lines, file)| format!("{file} {lines}")).collect();
    if !long.is_empty() {
        findings.note(format!(
            "{name}: files of more than {MOST_LINES} lines without tests: {}; the longest: {}",
            long.len(),
            shown.join(", ")
        ));
    }
}

fn has_doc(file: &SourceFile) -> bool {
    let is_doc = |attribute: &syn::Attribute| {
        matches!(attribute.style, AttrStyle::Inner(_)) && attribute.path().is_ident("doc")
    };
    file.parsed.attrs.iter().any(is_doc)
}

fn is_declaration(item: &Item) -> bool {
    match item {
        Item::Mod(module) => module.content.is_none() || test_only(&module.attrs),
        Item::Use(_) | Item::ExternCrate(_) => true,
        other => test_only(of_item(other)),
    }
}

fn test_lines(items: &[Item]) -> usize {
    test_ranges(items).into_iter().map(Iterator::count).sum()
}

/// Returns the line ranges of the inline test modules.
pub(crate) fn test_ranges(items: &[Item]) -> Vec<RangeInclusive<usize>> {
    let ranges = items.iter().filter_map(|item| match item {
        Item::Mod(module) if test_only(&module.attrs) => {
            let (brace, _) = module.content.as_ref()?;
            Some(module.mod_token.span.start().line..=brace.span.close().end().line)
        }
        _ => None,
    });
    ranges.collect()
}

/// Finds markers of unfinished work without an issue in all Rust files below `folder`, tests included.
pub(crate) fn check_marks(
    root: &Path,
    folder: &Path,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let mut paths = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    paths.sort_by_key(std::fs::DirEntry::path);
    for path in paths.iter().map(std::fs::DirEntry::path) {
        if path.is_dir() && !path.ends_with("target") {
            check_marks(root, &path, findings)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_open_mark(line)) {
                findings.error(format!(
                    "{shown}:{number}: `{}` names no issue; write `{MARK}(#12)`, or do it now",
                    line.trim()
                ));
            }
        }
    }
    Ok(())
}

/// Returns true if a comment in the line contains the marker without an issue number. In backticks the marker is only
/// mentioned.
fn is_open_mark(line: &str) -> bool {
    let Some((_, comment)) = line.split_once("//") else { return false };
    comment.match_indices(MARK).any(|(at, _)| {
        let (before, after) = comment.split_at(at);
        let after = after.trim_start_matches(MARK).trim_start_matches(['(', ' ', ':']);
        let number = after.strip_prefix('#').unwrap_or_default();
        !before.ends_with('`') && !number.starts_with(|sign: char| sign.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::WorkspaceFixture;
    use super::*;

    #[test]
    fn a_mark_in_a_comment_names_an_issue() {
        let is_open = |line: &str| is_open_mark(&line.replace("LATER", MARK));
        assert!(is_open("let a = b; // LATER: faster"));
        assert!(is_open("//! LATER"));
        assert!(!is_open("// LATER(#12): faster"));
        assert!(!is_open("// LATER #12"));
        assert!(!is_open("// a `LATER` in prose"));
        assert!(!is_open("let a = \"LATER\";"));
    }

    #[test]
    fn a_module_without_a_doc_is_an_error_unless_it_is_generated() {
        let plain = "#![allow(dead_code)]\n";
        let generated = "// This file is @generated by a program.\nstruct A;\n";
        let fixture =
            WorkspaceFixture::of_layers("plain made", &[("lib.rs", "mod plain;\nmod made;")])
                .raw("src/plain.rs", plain)
                .raw("src/made.rs", generated);
        let said = "src/plain.rs:1: the module has no doc; begin the file with `//!` and what the module does";
        assert_eq!(fixture.errors(), [said]);
    }

    #[test]
    fn code_in_a_mod_rs_and_long_files_are_notes() {
        let long = "const A: u8 = 1;\n".repeat(300);
        let files =
            [("lib.rs", "mod a;"), ("a/mod.rs", "mod b;\nfn c() {}"), ("a/b.rs", long.trim_end())];
        let found = WorkspaceFixture::of_layers("a", &files).check();
        let code = "src/a/mod.rs: 1 items beside declarations and docs; they belong in a file of their own";
        let size =
            "core: files of more than 300 lines without tests: 1; the longest: src/a/b.rs 301";
        assert_eq!((found.errors, found.notes), (vec![], vec![code.to_owned(), size.to_owned()]));
    }

    #[test]
    fn the_lines_of_tests_do_not_count() {
        let tests = "    const A: u8 = 1;\n".repeat(300);
        let text = format!("#[cfg(test)]\nmod tests {{\n{tests}}}");
        let found =
            WorkspaceFixture::of_layers("a", &[("lib.rs", "mod a;"), ("a.rs", &text)]).check();
        assert_eq!((found.errors, found.notes), (vec![], Vec::<String>::new()));
    }
}
