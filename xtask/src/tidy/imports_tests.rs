use super::super::tree::ModuleTree;
use super::*;

/// The imports of a crate as `from → to: item`, without repetitions.
fn imports(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let tree = ModuleTree::read(folder.path(), &folder.path().join("lib.rs")).unwrap();
    let line = |import: &Import| {
        let item = import.item.as_deref().unwrap_or("(module)");
        format!("{} → {}: {item}", tree.shown(import.from), tree.shown(import.to))
    };
    find(&tree).iter().map(line).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn a_re_export_is_followed_to_the_file_that_defines_the_thing() {
    let files = [
        ("lib.rs", "mod user;\nmod shown;\npub use shown::Deep as Renamed;"),
        ("user.rs", "use crate::shown::Deep;\nuse crate::Renamed;\nuse super::shown::all::Wide;"),
        ("shown/mod.rs", "mod deep;\npub mod all;\npub use deep::Deep;"),
        ("shown/deep.rs", "pub struct Deep;\npub struct Wide;"),
        ("shown/all.rs", "pub use super::deep::*;"),
    ];
    let found = [
        "shown/all.rs → shown/deep.rs: (module)",
        "user.rs → shown/deep.rs: Deep",
        "user.rs → shown/deep.rs: Wide",
    ];
    assert_eq!(imports(&files), found);
}

#[test]
fn a_module_in_scope_leads_to_what_is_taken_from_it() {
    let files = [
        ("lib.rs", "mod user;\nmod goal;"),
        (
            "user.rs",
            "use crate::goal::{self, next};\nfn a() { next::due(); vec![goal::Goal::new()]; }",
        ),
        ("goal/mod.rs", "pub mod next;\nmod goal_type;\npub use goal_type::Goal;"),
        ("goal/next.rs", "pub fn due() {}"),
        ("goal/goal_type.rs", "pub struct Goal;"),
    ];
    let found = [
        "user.rs → goal/goal_type.rs: Goal",
        "user.rs → goal/mod.rs: (module)",
        "user.rs → goal/next.rs: (module)",
        "user.rs → goal/next.rs: due",
    ];
    assert_eq!(imports(&files), found);
}

#[test]
fn a_parent_with_code_imports_the_children_that_it_calls() {
    let files = [
        ("lib.rs", "mod parent;"),
        (
            "parent/mod.rs",
            "mod child;\nmod silent;\npub use silent::Silent;\npub struct A;\nfn a() { child::b(); }",
        ),
        ("parent/child.rs", "use super::A;\npub fn b() {}"),
        ("parent/silent.rs", "pub struct Silent;"),
    ];
    let found = ["parent/child.rs → parent/mod.rs: A", "parent/mod.rs → parent/child.rs: b"];
    assert_eq!(imports(&files), found);
}

#[test]
fn a_name_from_a_glob_leads_to_the_file_that_defines_it() {
    let files = [
        ("lib.rs", "mod user;\nmod words;\nmod far;"),
        ("user.rs", "use crate::words::*;\nfn a(_: Near, _: Far) {}"),
        ("words.rs", "pub use crate::far::Far;\npub struct Near;"),
        ("far.rs", "pub struct Far;"),
    ];
    let found = [
        "user.rs → far.rs: Far",
        "user.rs → words.rs: (module)",
        "user.rs → words.rs: Near",
        "words.rs → far.rs: Far",
    ];
    assert_eq!(imports(&files), found);
}

#[test]
fn a_name_that_a_macro_makes_belongs_to_the_module_that_it_is_taken_from() {
    let files = [
        ("lib.rs", "mod user;\nmod ids;"),
        (
            "user.rs",
            "use crate::ids::TaskId;\nuse serde_json::Value;\nuse std::fmt::{self, Debug};",
        ),
        ("ids.rs", "macro_rules! id { ($name:ident) => { pub struct $name; } }\nid!(TaskId);"),
    ];
    assert_eq!(imports(&files), ["user.rs → ids.rs: TaskId"]);
}

#[test]
fn modules_inside_of_a_file_and_files_elsewhere_are_read() {
    let files = [
        ("lib.rs", "mod a;\n#[path = \"odd/place.rs\"]\nmod b;"),
        ("a.rs", "mod inner { pub mod deep; use super::super::b::B; }"),
        ("a/inner/deep.rs", "use crate::b::B;"),
        ("odd/place.rs", "pub struct B;"),
    ];
    assert_eq!(imports(&files), ["a.rs → odd/place.rs: B", "a/inner/deep.rs → odd/place.rs: B"]);
}

#[test]
fn a_name_that_is_a_module_and_a_function_is_a_module_only_inside_of_a_path() {
    let files = [
        ("lib.rs", "mod user;\nmod goal;"),
        ("user.rs", "use crate::goal::run;\nfn a() { crate::goal::run::deep() }"),
        ("goal/mod.rs", "pub mod run;\nmod other;\npub use other::run;"),
        ("goal/run.rs", "pub fn deep() {}"),
        ("goal/other.rs", "pub fn run() {}"),
    ];
    assert_eq!(imports(&files), ["user.rs → goal/other.rs: run", "user.rs → goal/run.rs: deep"]);
}

#[test]
fn what_may_see_an_item_is_not_imported() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod b;"),
        ("a/b.rs", "pub(super) struct B;\npub(in crate::a) struct C;"),
    ];
    assert_eq!(imports(&files), Vec::<String>::new());
}
