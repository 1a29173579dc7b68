use super::super::fixture::WorkspaceFixture;

#[test]
fn a_chain_of_five_crates_is_fine_and_one_of_six_is_not() {
    let crates: [(&str, &[&str]); 6] = [
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["b"]),
        ("d", &["c", "a"]),
        ("e", &["d"]),
        ("f", &["e"]),
    ];
    let block = "a:\nb: a\nc: b\nd: c a\ne: d";
    assert_eq!(WorkspaceFixture::of_crates(block, &crates[..5]).errors(), Vec::<String>::new());
    let said = "a chain of 6 crates depend on each other, and at most 5 may: f → e → d → c → b → a";
    assert_eq!(WorkspaceFixture::of_crates(&format!("{block}\nf: e"), &crates).errors(), [said]);
}

#[test]
fn a_dependency_that_the_block_does_not_allow_is_an_error() {
    let said = "b depends on a, which the block `crates` of docs/ARCHITECTURE.md does not allow; remove the \
        dependency, or add a to the line of b if the map changes";
    assert_eq!(
        WorkspaceFixture::of_crates("a:\nb:", &[("a", &[]), ("b", &["a"])]).errors(),
        [said]
    );
}

#[test]
fn a_dependency_of_tests_alone_does_not_count() {
    let manifest = "[package]\nname = \"b\"\nedition = \"2024\"\n\n[dev-dependencies]\na = { path = \"../a\" }\n";
    let fixture = WorkspaceFixture::of_crates("a:\nb:", &[("a", &[]), ("b", &[])]);
    assert_eq!(fixture.raw("b/Cargo.toml", manifest).errors(), Vec::<String>::new());
}

#[test]
fn the_block_lists_every_crate_once_and_no_other() {
    let said = [
        "docs/ARCHITECTURE.md:3: the workspace has no crate `gone`; remove it from the block",
        "docs/ARCHITECTURE.md:4: a has two lines in the block `crates`; keep one",
        "docs/ARCHITECTURE.md: the block `crates` does not list b; add the line `b: a`",
    ];
    let fixture = WorkspaceFixture::of_crates("a:\ngone: a\na:", &[("a", &[]), ("b", &["a"])]);
    assert_eq!(fixture.errors(), said);
}

#[test]
fn a_page_without_the_block_is_an_error() {
    let said = "docs/ARCHITECTURE.md has no block `crates`; add one with a line for each crate, like \
        `praxis-engine: praxis-core`";
    let fixture =
        WorkspaceFixture::of_crates("", &[("a", &[])]).raw("docs/ARCHITECTURE.md", "# The map\n");
    assert_eq!(fixture.errors(), [said]);
}

#[test]
fn layers_of_a_crate_that_does_not_exist_are_an_error() {
    let page = "```crates\na:\n```\n```layers b\nc\n```\n";
    let fixture = WorkspaceFixture::of_crates("", &[("a", &[])]).raw("docs/ARCHITECTURE.md", page);
    let said = "docs/ARCHITECTURE.md has a block `layers b`, but the workspace has no crate `b`";
    assert_eq!(fixture.errors(), [said]);
}
