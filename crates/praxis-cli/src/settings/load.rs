//! Merges the layers: for every key the value of the highest layer wins.
//!
//! - in: an `Environment` and flags
//! - out: `Settings` and `SettingSources`, or every problem at once
//! - never: reads the process environment itself

use super::dotenv;
use super::environment::Environment;
use super::forms;
use super::keys::Keys;
use super::layers::{self, SettingOrigin, SettingValue, SettingsFile};
use super::model::Settings;
use super::sources::{ConsideredFile, EffectiveSetting, Layer, SettingSources};
use praxis_core::problem::Problem;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Value;

/// Loads the settings and the source of each value. A flag is a key such as `run.limits` with its text.
pub(crate) fn load(
    environment: &Environment,
    flags: &[(String, String)],
) -> Result<(Settings, SettingSources), Vec<Problem>> {
    let keys = Keys::embedded()?;
    let layers = layers::read(&keys, environment, flags);
    let mut problems = layers.problems;
    let mut winners: BTreeMap<String, SettingValue> = BTreeMap::new();
    for given in layers.given {
        winners.insert(given.key.clone(), given);
    }
    let values = winners.values().map(|given| (given.key.as_str(), given.value.clone()));
    let mut settings = layers::build_settings(values)
        .map_err(|error| vec![Problem::new("bad_setting", "built in", forms::words(&error))])?;
    if let Some(given) = winners.get_mut("data.dir") {
        problems.extend(place_data(&mut settings, given, environment).err());
    }
    let lists = [
        ("tools.paths", &mut settings.tools.paths),
        ("tools.folders", &mut settings.tools.folders),
    ];
    for (key, paths) in lists {
        if let Some(given) = winners.get_mut(key) {
            problems.extend(place_paths(paths, given, environment).err());
        }
    }
    if problems.is_empty() {
        Ok((settings, SettingSources { retired: layers.retired, ..sources(winners, layers.files) }))
    } else {
        Err(problems)
    }
}

/// Returns a variable that is no setting, such as a secret, from the environment or else from `.env`.
///
/// An unreadable `.env` counts as empty, because `load` has reported it already.
pub(crate) fn reserved(environment: &Environment, name: &str) -> Option<String> {
    let dotenv = || {
        let text = fs::read_to_string(environment.cwd.join(".env")).ok()?;
        let (mut lines, _) = dotenv::parse(&text);
        lines.remove(name).map(|line| line.value).filter(|value| !value.is_empty())
    };
    environment.var(name).map(str::to_owned).or_else(dotenv)
}

/// Returns the folders of the user's prompts, scenes and workflows, lowest precedence first: next to the user's
/// settings, and `.praxis` next to the project's.
pub(crate) fn library_folders(environment: &Environment) -> Vec<PathBuf> {
    let project = layers::project_file(&environment.cwd);
    let project = project.parent().unwrap_or(&environment.cwd).join(".praxis");
    environment.config_folder().into_iter().chain([project]).collect()
}

fn place_data(
    settings: &mut Settings,
    given: &mut SettingValue,
    environment: &Environment,
) -> Result<(), Problem> {
    let dir = &mut settings.data.dir;
    *dir = if dir.as_os_str().is_empty() {
        environment.data_folder().ok_or_else(|| {
            let words = (
                "`data.dir` is empty, and neither XDG_DATA_HOME nor HOME is set",
                "`data.dir` 为空，且 XDG_DATA_HOME 和 HOME 均未设置",
            );
            let next = ("set `data.dir`", "请设置 `data.dir`");
            Problem::new("bad_setting", &given.origin.at, words).next(next)
        })?
    } else {
        absolute(dir, &given.origin, environment)?
    };
    given.value = shown(dir);
    Ok(())
}

fn place_paths(
    paths: &mut [PathBuf],
    given: &mut SettingValue,
    environment: &Environment,
) -> Result<(), Problem> {
    for path in paths.iter_mut() {
        *path = absolute(path, &given.origin, environment)?;
    }
    given.value = Value::Array(paths.iter().map(|path| shown(path)).collect());
    Ok(())
}

/// Resolves `~`, and a relative path against the base of its origin.
fn absolute(
    path: &Path,
    origin: &SettingOrigin,
    environment: &Environment,
) -> Result<PathBuf, Problem> {
    let Ok(below_home) = path.strip_prefix("~") else {
        return Ok(origin.base.join(path).components().collect());
    };
    let home = environment.home().ok_or_else(|| {
        let path = path.display();
        let words = (
            format!("cannot expand `~` in `{path}`: HOME is not set"),
            format!("无法展开 `{path}` 中的 `~`：未设置 HOME"),
        );
        Problem::new("bad_setting", &origin.at, words)
    })?;
    Ok(home.join(below_home))
}

fn shown(path: &Path) -> Value {
    Value::String(path.display().to_string())
}

fn sources(winners: BTreeMap<String, SettingValue>, files: Vec<SettingsFile>) -> SettingSources {
    let won = |layer: Layer| winners.values().any(|given| given.origin.layer == layer);
    let considered = |file: SettingsFile| ConsideredFile {
        layer: file.layer,
        path: file.path.display().to_string(),
        exists: file.exists,
        used: won(file.layer),
    };
    let files = files.into_iter().map(considered).collect();
    let chosen = |given: SettingValue| EffectiveSetting {
        key: given.key,
        value: given.value,
        layer: given.origin.layer,
        at: given.origin.at,
    };
    let keys = winners.into_values().map(chosen).collect();
    SettingSources { files, keys, retired: Vec::new() }
}
