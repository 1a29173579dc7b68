//! The source of each setting, for `praxis config`.

use serde::Serialize;
use toml::Value;

/// A layer of settings. A later one takes precedence over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Layer {
    /// The embedded defaults.
    Default,
    /// The user's `config.toml`.
    User,
    /// The user's `config.NAME.toml`.
    UserEnv,
    /// The project's `praxis.toml`.
    Project,
    /// The `.env` of the current folder.
    Dotenv,
    /// The environment variables.
    Environment,
    /// The command line flags.
    Flags,
}

/// The sources of all settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SettingSources {
    /// The files that were looked for, lowest precedence first.
    pub files: Vec<ConsideredFile>,
    /// Every key, sorted by name.
    pub keys: Vec<EffectiveSetting>,
    /// Keys of earlier versions that were set, with their origins. They have no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retired: Vec<(String, String)>,
}

/// A settings file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ConsideredFile {
    /// Its layer.
    pub layer: Layer,
    /// Its path.
    pub path: String,
    /// True if it exists.
    pub exists: bool,
    /// True if one of its values is effective.
    pub used: bool,
}

/// The effective value of a key, and its origin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EffectiveSetting {
    /// The key, as `section.name`.
    pub key: String,
    /// The value as written; paths are absolute.
    pub value: Value,
    /// The layer that won.
    pub layer: Layer,
    /// The file and line, the variable, or the flag.
    pub at: String,
}
