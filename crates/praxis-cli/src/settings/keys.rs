//! The setting keys, as listed in the embedded file, and their environment variables.
//!
//! - in: a key or a variable name, as written by the user
//! - out: the key, or a problem with the nearest names
//! - never: a value

use super::environment::PREFIX;
use praxis_core::near::near;
use praxis_core::problem::Problem;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The embedded file: every key with its default.
pub(super) const DEFAULTS: &str = include_str!("../../praxis.default.toml");

/// Short variable names of two keys.
const ALIASES: [(&str, &str); 2] = [("PRAXIS_DATA", "data.dir"), ("PRAXIS_LANG", "ui.lang")];

/// Alternative names of keys in files.
const OTHER_NAMES: [(&str, &str); 1] = [("goal.enable_post_task_evaluation", "goal.learn")];

/// Keys of earlier versions: accepted, without any effect.
const RETIRED: [&str; 1] = ["run.max_rounds"];

/// The variable that selects `config.NAME.toml`.
pub(super) const ENV: &str = "PRAXIS_ENV";

/// Every key, as `section.name`, with its default.
pub(super) struct Keys(BTreeMap<String, Value>);

impl Keys {
    /// Reads the keys of the embedded file.
    pub(super) fn embedded() -> Result<Self, Vec<Problem>> {
        let table: Table = DEFAULTS.parse().map_err(|error: toml::de::Error| {
            let words = (error.to_string(), format!("内置设置有误：{error}"));
            vec![Problem::new("settings_file", "built in", words)]
        })?;
        let mut keys = BTreeMap::new();
        for (section, value) in &table {
            for (name, default) in value.as_table().into_iter().flatten() {
                keys.insert(format!("{section}.{name}"), default.clone());
            }
        }
        Ok(Self(keys))
    }

    /// Returns every key with its default, sorted by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, default)| (key.as_str(), default))
    }

    /// Returns the key that a name in a file stands for.
    pub(super) fn canonical_key<'k>(&self, key: &'k str) -> &'k str {
        OTHER_NAMES.iter().find(|(name, _)| *name == key).map_or(key, |(_, meant)| meant)
    }

    /// Returns true for a key of an earlier version that no longer has an effect.
    pub(super) fn is_retired(key: &str) -> bool {
        RETIRED.contains(&key)
    }

    /// Returns the retired key that a variable sets.
    pub(super) fn retired_by(name: &str) -> Option<&'static str> {
        let spelt =
            |key: &&str| [variable(key, "_"), variable(key, "__")].iter().any(|it| it == name);
        RETIRED.into_iter().find(spelt)
    }

    /// Returns the default of a key.
    pub(super) fn default_of(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns true if there is a section of this name.
    pub(super) fn has_section(&self, name: &str) -> bool {
        self.sections().any(|section| section == name)
    }

    /// Returns the key that a variable sets.
    pub(super) fn of_variable(&self, name: &str) -> Option<&str> {
        let others = OTHER_NAMES.iter().map(|(other, key)| (variable(other, "_"), *key));
        let other = others.filter(|(other, _)| other == name).map(|(_, key)| key).next();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, key)| *key);
        let alias = alias.or(other);
        let matches = |key: &&String| {
            alias.map_or_else(
                || [variable(key, "_"), variable(key, "__")].iter().any(|spelt| spelt == name),
                |meant| meant == key.as_str(),
            )
        };
        self.0.keys().find(matches).map(String::as_str)
    }

    /// Builds the problem for an unknown key.
    pub(super) fn unknown(&self, key: &str, at: &str) -> Problem {
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        let beside = self.iter().filter_map(|(known, _)| known.split_once('.'));
        let beside = beside.filter(|(known, _)| *known == section).map(|(_, name)| name);
        let inside = near(name, beside).into_iter().map(|name| format!("{section}.{name}"));
        let mut names: Vec<String> = inside.collect();
        if names.is_empty() {
            names = near(key, self.iter().map(|(known, _)| known));
        }
        let words = (format!("unknown setting `{key}`"), format!("未知的设置项 `{key}`"));
        Problem::new("unknown_setting", at, words).or_near(&names)
    }

    /// Builds the problem for an unknown section.
    pub(super) fn unknown_section(&self, name: &str, at: &str) -> Problem {
        let words = (format!("unknown section `[{name}]`"), format!("未知的 TOML 表 `[{name}]`"));
        let names: Vec<String> =
            near(name, self.sections()).iter().map(|name| format!("[{name}]")).collect();
        Problem::new("unknown_setting", at, words).or_near(&names)
    }

    /// Builds the problem for an unknown variable. It omits the value, which may be a secret under a wrong name.
    pub(super) fn unknown_variable(&self, name: &str, at: &str) -> Problem {
        let spelt: Vec<String> = self.0.keys().map(|key| variable(key, "_")).collect();
        let aliases = ALIASES.iter().map(|(alias, _)| *alias).chain([ENV, "PRAXIS_SUITES"]);
        let known = spelt.iter().map(String::as_str).chain(aliases);
        // All names share the prefix, so only the rest is compared.
        let written = without_prefix(name).replace("__", "_");
        let names: Vec<String> = near(&written, known.map(without_prefix))
            .into_iter()
            .map(|rest| format!("{PREFIX}{rest}"))
            .collect();
        let words = (
            format!("variable `{name}` matches no setting"),
            format!("变量 `{name}` 没有对应的设置项"),
        );
        Problem::new("unknown_setting", at, words).or_near(&names)
    }

    fn sections(&self) -> impl Iterator<Item = &str> {
        self.iter().filter_map(|(key, _)| key.split_once('.')).map(|(section, _)| section)
    }
}

/// Returns true for a Praxis variable that sets no key.
pub(super) fn is_reserved(variable: &str) -> bool {
    // A task sets these for the programs that it runs, and such a program may run praxis itself.
    let told = ["PRAXIS_TASK", "PRAXIS_STEP", "PRAXIS_ATTEMPT", "PRAXIS_IDEMPOTENCY_KEY"];
    [ENV, "PRAXIS_SUITES"].contains(&variable)
        || told.contains(&variable)
        || variable.starts_with("PRAXIS_TEST_")
        || variable.starts_with("PRAXIS_SECRET_")
}

fn variable(key: &str, joint: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', joint).to_uppercase())
}

fn without_prefix(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_are_spelt_alike_and_none_is_reserved() {
        let keys = Keys::embedded().expect("the embedded file is TOML");
        let mut seen = BTreeMap::new();
        for (key, _) in keys.iter() {
            for spelt in [variable(key, "_"), variable(key, "__")] {
                assert!(!is_reserved(&spelt), "{spelt}");
                assert_eq!(keys.of_variable(&spelt), Some(key));
                assert_eq!(seen.insert(spelt, key), None);
            }
        }
        for (alias, key) in ALIASES {
            assert_eq!(keys.of_variable(alias), Some(key));
            assert_eq!(seen.get(alias), None);
        }
    }

    #[test]
    fn every_key_of_the_embedded_file_has_a_comment_above_it() {
        let mut above = "";
        for line in DEFAULTS.lines() {
            assert!(!line.contains(" = ") || line.starts_with('#') || above.starts_with('#'));
            above = line;
        }
    }
}
