use super::super::fixture::WorkspaceFixture;

/// A crate of one top module whose files import each other in a circle.
fn circle(files: usize) -> Vec<String> {
    let mods: String = (0..files).map(|at| format!("mod f{at};\n")).collect();
    let mut all = vec![("lib.rs".to_owned(), "mod a;".to_owned()), ("a/mod.rs".to_owned(), mods)];
    for at in 0..files {
        let next = (at + 1) % files;
        let text = format!("use super::f{next}::S{next};\npub struct S{at};");
        all.push((format!("a/f{at}.rs"), text));
    }
    let all: Vec<(&str, &str)> =
        all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    WorkspaceFixture::of_layers("a", &all).errors()
}

#[test]
fn three_files_may_import_each_other_in_a_circle() {
    assert_eq!(circle(3), Vec::<String>::new());
}

#[test]
fn a_circle_of_four_files_is_an_error_that_lists_them() {
    let said = "core: 4 files import each other in a circle, and at most 3 may; move what they share into a file below them
    src/a/f0.rs:2 imports `super::f1::S1` in src/a/f1.rs
    src/a/f1.rs:2 imports `super::f2::S2` in src/a/f2.rs
    src/a/f2.rs:2 imports `super::f3::S3` in src/a/f3.rs
    src/a/f3.rs:2 imports `super::f0::S0` in src/a/f0.rs";
    assert_eq!(circle(4), [said]);
}

#[test]
fn top_modules_that_import_each_other_are_shown_with_the_shortest_way_round() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;"),
        ("a.rs", "use crate::b::B;\npub struct A;"),
        ("b.rs", "use crate::c::C;\nuse crate::a::A;\npub struct B;"),
        ("c.rs", "use crate::a::A;\npub struct C;"),
    ];
    let said = "core: 3 top modules import each other in a circle: a b c; the shortest way round is a → b → a
    a → b: src/a.rs:2 imports `crate::b::B`
    b → a: src/b.rs:3 imports `crate::a::A`";
    let errors = WorkspaceFixture::of_layers("a\nc\nb", &files).errors();
    assert_eq!(errors.len(), 2);
    assert_eq!(errors.last().unwrap(), said);
}

#[test]
fn a_crate_without_layers_has_its_knots_noted() {
    let lib = "//! A crate.\nmod a { use crate::b::B; pub struct A; }\nmod b { use crate::a::A; pub struct B; }\n";
    let found =
        WorkspaceFixture::of_crates("one:", &[("one", &[])]).raw("one/src/lib.rs", lib).check();
    assert_eq!(found.errors, Vec::<String>::new());
    assert_eq!(found.notes, ["one: knots of top modules: 2; of files: none"]);
}
