//! Small workspaces in temporary folders, for the tests.

use super::check::check;
use super::findings::Findings;
use std::path::PathBuf;
use tempfile::TempDir;

/// A workspace that is gone when it is dropped.
pub(super) struct WorkspaceFixture(TempDir);

impl WorkspaceFixture {
    /// A workspace of one crate, `core`. Every file begins with a line of doc, so that what is given begins on line two.
    pub(super) fn of_layers(layers: &str, files: &[(&str, &str)]) -> Self {
        let page = format!("```crates\ncore:\n```\n\n```layers core\n{layers}\n```\n");
        let manifest = "[package]\nname = \"core\"\nedition = \"2024\"\n\n[workspace]\n";
        let empty = Self(tempfile::tempdir().unwrap());
        let fixture = empty.raw("docs/ARCHITECTURE.md", &page).raw("Cargo.toml", manifest);
        files.iter().fold(fixture, |fixture, (name, text)| {
            fixture.raw(&format!("src/{name}"), &format!("//! A module.\n{text}\n"))
        })
    }

    /// A workspace of crates, each with those that it needs, and a block that says what they may need.
    pub(super) fn of_crates(block: &str, crates: &[(&str, &[&str])]) -> Self {
        let empty = Self(tempfile::tempdir().unwrap());
        let fixture = empty.raw("docs/ARCHITECTURE.md", &format!("```crates\n{block}\n```\n")).raw(
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"docs\"]\n",
        );
        crates.iter().fold(fixture, |fixture, (name, needs)| {
            let needs = needs.iter().map(|need| format!("{need} = {{ path = \"../{need}\" }}\n"));
            let needs: String = needs.collect();
            let manifest = format!(
                "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\n{needs}"
            );
            let fixture = fixture.raw(&format!("{name}/Cargo.toml"), &manifest);
            fixture.raw(&format!("{name}/src/lib.rs"), "//! A crate.\n")
        })
    }

    /// Adds a file as it is.
    pub(super) fn raw(self, name: &str, text: &str) -> Self {
        let file = self.0.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    /// The folder of the workspace.
    pub(super) fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    /// All findings.
    pub(super) fn check(&self) -> Findings {
        check(&self.root()).unwrap()
    }

    /// The errors alone.
    pub(super) fn errors(&self) -> Vec<String> {
        self.check().errors
    }
}
