//! Small workspaces in temporary folders, for tests.

use super::check::check;
use super::findings::Findings;
use std::path::PathBuf;
use tempfile::TempDir;

/// A workspace that is deleted when it is dropped.
pub(super) struct WorkspaceFixture(TempDir);

impl WorkspaceFixture {
    /// Creates a workspace with one crate, `core`. Every file begins with a doc line, so the given text begins on
    /// line two.
    pub(super) fn of_layers(layers: &str, files: &[(&str, &str)]) -> Self {
        let page = format!("```crates\ncore:\n```\n\n```layers core\n{layers}\n```\n");
        let manifest = "[package]\nname = \"core\"\nedition = \"2024\"\n\n[workspace]\n";
        let empty = Self(tempfile::tempdir().unwrap());
        let fixture = empty.raw("docs/ARCHITECTURE.md", &page).raw("Cargo.toml", manifest);
        files.iter().fold(fixture, |fixture, (name, text)| {
            fixture.raw(&format!("src/{name}"), &format!("//! A module.\n{text}\n"))
        })
    }

    /// Creates a workspace of crates with their dependencies, and a `crates` block with the allowed ones.
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

    /// Adds a file with exactly this text.
    pub(super) fn raw(self, name: &str, text: &str) -> Self {
        let file = self.0.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    /// Returns the folder of the workspace.
    pub(super) fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    /// Runs the checks and returns all findings.
    pub(super) fn check(&self) -> Findings {
        check(&self.root()).unwrap()
    }

    /// Runs the checks and returns the errors.
    pub(super) fn errors(&self) -> Vec<String> {
        self.check().errors
    }
}
