use super::super::fixture::WorkspaceFixture;

/// Three layers of one module each, with this text in the lowest.
fn low(text: &str) -> Vec<String> {
    let files = [
        ("lib.rs", "pub mod low;\npub mod middle;\npub mod high;"),
        ("low.rs", text),
        ("middle.rs", "pub struct Middle;"),
        (
            "high.rs",
            "pub struct High;\npub fn high() {}\n#[macro_export]\nmacro_rules! loud { () => {} }",
        ),
    ];
    WorkspaceFixture::of_layers("low # the words\n\nmiddle\nhigh", &files).errors()
}

const UP: &str = "from `high` (layer 3), which is above it; imports go down: move what is needed to a layer below 1, \
    or the code that needs it to a layer above 3";

fn upward(place: &str, path: &str) -> Vec<String> {
    vec![format!("src/low.rs:{place}: `low` (layer 1) imports `{path}` {UP}")]
}

#[test]
fn an_import_of_a_lower_layer_is_fine() {
    let files = [
        ("lib.rs", "pub mod low;\npub mod high;\npub use high::High;"),
        ("low.rs", "pub struct Low;\nimpl Low { pub(in crate::low) fn low() {} }"),
        ("high.rs", "use crate::low::Low;\npub struct High(Low);"),
    ];
    assert_eq!(WorkspaceFixture::of_layers("low\nhigh", &files).errors(), Vec::<String>::new());
}

#[test]
fn an_upward_import_names_the_line_the_path_and_both_layers() {
    assert_eq!(low("\nuse crate::high::High;"), upward("3", "crate::high::High"));
}

#[test]
fn groups_renames_and_globs_are_imports() {
    assert_eq!(low("use crate::{high::{High as Top}};"), upward("2", "crate::high::High"));
    assert_eq!(low("use crate::high::*;"), upward("2", "crate::high"));
    assert_eq!(low("fn low() { use super::high::high; }"), upward("2", "super::high::high"));
}

#[test]
fn a_path_that_is_not_imported_first_is_an_import() {
    assert_eq!(low("fn low() { crate::high::high() }"), upward("2", "crate::high::high"));
    assert_eq!(low("struct Low(Vec<crate::high::High>);"), upward("2", "crate::high::High"));
    let text = "#[serde(with = \"crate::high::high\")]\nstruct Low;";
    assert_eq!(low(text), upward("2", "crate::high::high"));
}

#[test]
fn a_path_in_the_arguments_or_the_definition_of_a_macro_is_an_import() {
    assert_eq!(
        low("fn low() { println!(\"{}\", crate::high::high()) }"),
        upward("2", "crate::high::high")
    );
    let text = "macro_rules! low {\n    () => { $crate::high::high() };\n}";
    assert_eq!(low(text), upward("3", "crate::high::high"));
    assert_eq!(low("fn low() { crate::loud!() }"), upward("2", "crate::loud"));
}

#[test]
fn what_only_tests_import_does_not_count() {
    let text = "#[cfg(test)]\nuse crate::high::High;\n#[cfg(all(test, unix))]\nfn a() { crate::high::high() }\n\
        #[cfg(test)]\nmod tests { use crate::high::High; }\n#[cfg(test)]\nmod low_tests;\n#[test]\nfn b() { crate::high::high() }";
    assert_eq!(low(text), Vec::<String>::new());
}

#[test]
fn a_sideways_import_is_an_error() {
    let files = [
        ("lib.rs", "mod one;\nmod other;"),
        ("one.rs", "use crate::other::Other;"),
        ("other.rs", "pub struct Other;"),
    ];
    let said = "src/one.rs:2: `one` (layer 1) imports `crate::other::Other` from `other` (layer 1), which is in the \
        same layer; modules of one layer do not import each other: move what is needed to a layer below 1, or the \
        code that needs it to a layer above 1";
    assert_eq!(WorkspaceFixture::of_layers("one other", &files).errors(), [said]);
}

#[test]
fn a_module_that_only_passes_a_lower_thing_on_is_not_to_be_gone_through_from_below() {
    let files = [
        ("lib.rs", "pub mod low;\npub mod middle;\npub mod high;"),
        ("low.rs", "pub struct Low;"),
        ("middle.rs", "use crate::high::Low;"),
        ("high.rs", "pub use crate::low::Low;"),
    ];
    let said = "src/middle.rs:2: `middle` (layer 2) imports `crate::high::Low` from `high` (layer 3), which only \
        passes it on; import it from `low`, which defines it";
    assert_eq!(WorkspaceFixture::of_layers("low\nmiddle\nhigh", &files).errors(), [said]);
}

#[test]
fn every_top_module_is_listed_once_and_every_listed_one_exists() {
    let files = [("lib.rs", "mod a;\nmod b;\n#[cfg(test)]\nmod c;"), ("a.rs", ""), ("b.rs", "")];
    let said = [
        "docs/ARCHITECTURE.md:6: the layers of core list `gone`, but its root declares no such module; remove it from the block",
        "docs/ARCHITECTURE.md:7: the layers of core list `a` twice; keep it in one layer",
        "docs/ARCHITECTURE.md: the layers of core do not list `b`; add it to the lowest layer above everything that it imports",
    ];
    assert_eq!(WorkspaceFixture::of_layers("a gone\na", &files).errors(), said);
}
