//! Which layer each value came from, for people who wonder.

use serde::Serialize;
use toml::Value;

/// A layer. A later one wins over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Layer {
    /// The embedded file.
    Default,
    /// The user's `config.toml`.
    User,
    /// The user's `config.NAME.toml`.
    UserEnv,
    /// The project's `praxis.toml`.
    Project,
    /// The `.env` of the current folder.
    Dotenv,
    /// The environment.
    Environment,
    /// The command line.
    Flags,
}

/// Where everything came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SettingSources {
    /// The files that were looked for, the weakest first.
    pub files: Vec<ConsideredFile>,
    /// Every key, by name.
    pub keys: Vec<EffectiveSetting>,
    /// Keys of earlier versions that were set, and where. They have no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retired: Vec<(String, String)>,
}

/// A file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ConsideredFile {
    /// Which layer it would be.
    pub layer: Layer,
    /// Its path.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether a value of it won.
    pub used: bool,
}

/// A key, its value, and where that stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EffectiveSetting {
    /// As `section.name`.
    pub key: String,
    /// As written; paths are absolute.
    pub value: Value,
    /// The layer that won.
    pub layer: Layer,
    /// The file and line, the variable, or the flag.
    pub at: String,
}
