//! The process environment: variables and current folder.
//!
//! - in: the process, only in `Environment::real`
//! - out: plain values, which tests build themselves
//! - never: printed as a whole, because variables hold secrets

use praxis_core::problem::Problem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Prefix of all Praxis variables.
pub(super) const PREFIX: &str = "PRAXIS_";

/// The variables and the current folder.
#[derive(Clone)]
pub(crate) struct Environment {
    /// All variables.
    pub vars: BTreeMap<String, String>,
    /// The current folder, absolute.
    pub cwd: PathBuf,
}

impl Environment {
    /// Reads the process environment; no other function does.
    ///
    /// A variable that is not UTF-8 is left out, or refused if Praxis would read it.
    pub(crate) fn real() -> Result<Self, Vec<Problem>> {
        let cwd = std::env::current_dir().map_err(|error| {
            let words = (
                format!("cannot determine the current directory: {error}"),
                format!("无法确定当前文件夹：{error}"),
            );
            vec![Problem::new("settings_file", ".", words)]
        })?;
        let mut vars = BTreeMap::new();
        let mut problems = Vec::new();
        for (name, value) in std::env::vars_os() {
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => drop(vars.insert(name, value)),
                Err(_) if concerns(&name) => {
                    problems.push(Problem::new(
                        "bad_setting",
                        &name,
                        ("the value is not UTF-8", "该值不是 UTF-8"),
                    ));
                }
                Err(_) => {}
            }
        }
        if problems.is_empty() { Ok(Self { vars, cwd }) } else { Err(problems) }
    }

    /// Returns the value of a variable, if it is set and not empty.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the home folder.
    pub(super) fn home(&self) -> Option<&Path> {
        self.folder("HOME")
    }

    /// Returns the folder of the user's settings.
    pub(super) fn config_folder(&self) -> Option<PathBuf> {
        self.base("XDG_CONFIG_HOME", ".config")
    }

    /// Returns the default data folder.
    pub(super) fn data_folder(&self) -> Option<PathBuf> {
        self.base("XDG_DATA_HOME", ".local/share")
    }

    fn base(&self, name: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.folder(name).map(Path::to_path_buf);
        Some(named.or_else(|| Some(self.home()?.join(below_home)))?.join("praxis"))
    }

    /// Reads a folder variable. Relative paths are ignored, as the XDG Base Directory Specification requires.
    fn folder(&self, name: &str) -> Option<&Path> {
        self.var(name).map(Path::new).filter(|path| path.is_absolute())
    }
}

fn concerns(name: &str) -> bool {
    name.starts_with(PREFIX) || ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Environment {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Environment { vars: vars.collect(), cwd: PathBuf::from("/") }
    }

    #[test]
    fn the_base_folders_come_before_the_home_folder() {
        let environment = with(&[("HOME", "/home/lin"), ("XDG_CONFIG_HOME", "/etc/lin")]);
        assert_eq!(environment.config_folder(), Some(PathBuf::from("/etc/lin/praxis")));
        let data = PathBuf::from("/home/lin/.local/share/praxis");
        assert_eq!(environment.data_folder(), Some(data));
    }

    #[test]
    fn an_empty_or_relative_base_folder_is_ignored() {
        for ignored in ["", "here"] {
            let environment = with(&[("HOME", "/home/lin"), ("XDG_CONFIG_HOME", ignored)]);
            let config = PathBuf::from("/home/lin/.config/praxis");
            assert_eq!(environment.config_folder(), Some(config));
        }
        assert_eq!(with(&[]).config_folder(), None);
    }
}
