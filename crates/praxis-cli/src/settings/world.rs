//! Test fixture of the settings: a folder with files, and an environment.

use super::{Environment, SettingSources, Settings, load, reserved};
use praxis_core::problem::Problem;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A home folder and a project folder whose subfolder `deep/er` is the current one.
pub(super) struct SettingsWorld {
    folder: TempDir,
    environment: Environment,
    flags: Vec<(String, String)>,
}

impl SettingsWorld {
    pub(super) fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let cwd = folder.path().join("project/deep/er");
        fs::create_dir_all(&cwd).expect("a folder");
        let home = folder.path().join("home").display().to_string();
        let vars = [("HOME".to_owned(), home)].into();
        Self { folder, environment: Environment { vars, cwd }, flags: Vec::new() }
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(super) fn file(self, below: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    pub(super) fn user(self, text: &str) -> Self {
        self.file("home/.config/praxis/config.toml", text)
    }

    pub(super) fn user_env(self, text: &str) -> Self {
        self.file("home/.config/praxis/config.night.toml", text).var("PRAXIS_ENV", "night")
    }

    pub(super) fn project(self, text: &str) -> Self {
        self.file("project/praxis.toml", text)
    }

    pub(super) fn dotenv(self, text: &str) -> Self {
        self.file("project/deep/er/.env", text)
    }

    pub(super) fn var(mut self, name: &str, value: &str) -> Self {
        self.environment.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(super) fn without_var(mut self, name: &str) -> Self {
        self.environment.vars.remove(name);
        self
    }

    pub(super) fn flag(mut self, key: &str, value: &str) -> Self {
        self.flags.push((key.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn load(&self) -> (Settings, SettingSources) {
        load(&self.environment, &self.flags).expect("settings without problems")
    }

    pub(super) fn reserved(&self, name: &str) -> Option<String> {
        reserved(&self.environment, name)
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        load(&self.environment, &self.flags).expect_err("problems")
    }

    /// Formats the problems, one per line, with the temporary folder written as `~`.
    pub(super) fn told(&self) -> String {
        let lines: Vec<String> = self.problems().iter().map(Problem::to_string).collect();
        self.short(&lines.join("\n"))
    }

    pub(super) fn short(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "~")
    }
}
