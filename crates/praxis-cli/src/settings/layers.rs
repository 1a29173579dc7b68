//! Reads all layers of settings into one list of values with their origins.
//!
//! - in: an `Environment`, the flags, the files
//! - out: `SettingLayers`: valid values for known keys, and every problem
//! - asks: the file system, to read
//! - never: decides which value wins

use super::dotenv::{self, DotenvLine};
use super::environment::{Environment, PREFIX};
use super::forms;
use super::keys::{ENV, Keys, is_reserved};
use super::model::Settings;
use super::sources::Layer;
use praxis_core::lang::type_zh;
use praxis_core::problem::{Bilingual, Problem};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::de::DeTable;
use toml::{Table, Value};

/// The origin of a value.
#[derive(Clone)]
pub(super) struct SettingOrigin {
    /// The layer.
    pub layer: Layer,
    /// The file and line, variable or flag, as text.
    pub at: String,
    /// The base of relative paths.
    pub base: PathBuf,
}

/// A value for a key.
pub(super) struct SettingValue {
    /// A known key.
    pub key: String,
    /// A valid value for it.
    pub value: Value,
    /// The origin of the value.
    pub origin: SettingOrigin,
}

/// A settings file that was looked for.
pub(super) struct SettingsFile {
    /// Its layer.
    pub layer: Layer,
    /// Its path.
    pub path: PathBuf,
    /// True if it exists.
    pub exists: bool,
}

/// Everything that was read, lowest precedence first.
pub(super) struct SettingLayers<'a> {
    keys: &'a Keys,
    cwd: &'a Path,
    /// Valid values for known keys.
    pub given: Vec<SettingValue>,
    /// The files that were looked for.
    pub files: Vec<SettingsFile>,
    /// Keys that no longer have an effect, with their origins.
    pub retired: Vec<(String, String)>,
    /// All problems.
    pub problems: Vec<Problem>,
}

/// Reads all layers.
pub(super) fn read<'a>(
    keys: &'a Keys,
    environment: &'a Environment,
    flags: &[(String, String)],
) -> SettingLayers<'a> {
    let mut layers = SettingLayers {
        keys,
        cwd: &environment.cwd,
        given: Vec::new(),
        files: Vec::new(),
        retired: Vec::new(),
        problems: Vec::new(),
    };
    for (key, value) in keys.iter() {
        layers.add(key, value.clone(), layers.origin(Layer::Default, "built in"));
    }
    let dotenv_path = environment.cwd.join(".env");
    let dotenv = layers.dotenv_lines(&dotenv_path);
    let named = environment.var(ENV).or_else(|| Some(dotenv.as_ref()?.get(ENV)?.value.as_str()));
    layers.user_files(environment, named.filter(|name| !name.is_empty()));
    layers.toml_file(Layer::Project, project_file(&environment.cwd));
    let exists = dotenv.is_some();
    let lines = dotenv.iter().flatten().map(|(name, line)| {
        let at = format!("{} line {}, {name}", dotenv_path.display(), line.number);
        (name.as_str(), line.value.as_str(), at)
    });
    layers.variables(Layer::Dotenv, lines);
    layers.files.push(SettingsFile { layer: Layer::Dotenv, path: dotenv_path.clone(), exists });
    let vars = environment.vars.iter().filter(|(name, _)| name.starts_with(PREFIX));
    let vars = vars.map(|(name, value)| (name.as_str(), value.as_str(), name.clone()));
    layers.variables(Layer::Environment, vars);
    for (key, text) in flags {
        layers.text(key, text, layers.origin(Layer::Flags, &format!("flag {key}")));
    }
    layers
}

impl SettingLayers<'_> {
    fn origin(&self, layer: Layer, at: &str) -> SettingOrigin {
        SettingOrigin { layer, at: at.to_owned(), base: self.cwd.to_path_buf() }
    }

    /// Adds a valid value of a known key; notes a retired key; records a problem otherwise.
    fn add(&mut self, key: &str, value: Value, origin: SettingOrigin) {
        let key = self.keys.canonical_key(key);
        if Keys::is_retired(key) {
            self.retired.push((key.to_owned(), origin.at));
        } else if self.keys.default_of(key).is_none() {
            self.problems.push(self.keys.unknown(key, &origin.at));
        } else if let Err(error) = fits(self.keys, key, &value) {
            let Bilingual { en, zh } = forms::words(&error);
            let words = (format!("`{key}`: {en}"), format!("`{key}`：{zh}"));
            self.problems.push(Problem::new("bad_setting", &origin.at, words));
        } else {
            self.given.push(SettingValue { key: key.to_owned(), value, origin });
        }
    }

    /// Adds a value given as text, from a variable or a flag.
    fn text(&mut self, key: &str, text: &str, origin: SettingOrigin) {
        let default = self.keys.default_of(key);
        let value = default.map_or_else(|| text.into(), |default| forms::from_text(text, default));
        self.add(key, value, origin);
    }

    /// Reads the lines of `.env`, if it exists. A folder of that name belongs to some other program.
    fn dotenv_lines(&mut self, path: &Path) -> Option<BTreeMap<String, DotenvLine>> {
        let text = if path.is_dir() { None } else { self.file_text(path) }?;
        let (lines, unreadable) = dotenv::parse(&text);
        self.problems.extend(unreadable.iter().map(|line| {
            let at = format!("{} line {}", path.display(), line.number);
            Problem::new("settings_file", &at, line.why.words())
        }));
        Some(lines)
    }

    fn user_files(&mut self, environment: &Environment, named: Option<&str>) {
        let folder = environment.config_folder();
        if let Some(folder) = &folder {
            self.toml_file(Layer::User, folder.join("config.toml"));
        }
        let Some(name) = named else { return };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            let words = (
                format!("invalid environment name `{name}`; use only letters, digits, `-` and `_`"),
                format!("环境名 `{name}` 无效：只能包含字母、数字、`-` 和 `_`"),
            );
            self.problems.push(Problem::new("bad_setting", ENV, words));
        } else if let Some(folder) = folder {
            self.toml_file(Layer::UserEnv, folder.join(format!("config.{name}.toml")));
        }
    }

    fn toml_file(&mut self, layer: Layer, path: PathBuf) {
        let text = self.file_text(&path);
        let exists = text.is_some();
        if let Some(text) = text {
            self.toml_text(layer, &path, &text);
        }
        self.files.push(SettingsFile { layer, path, exists });
    }

    fn toml_text(&mut self, layer: Layer, path: &Path, text: &str) {
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => return self.problems.push(invalid_toml(path, text, &error)),
        };
        let lines = lines_of(text);
        let base = path.parent().unwrap_or(self.cwd).to_path_buf();
        let origin = |name: &str| {
            let line = lines.get(name).map_or_else(String::new, |line| format!(" line {line}"));
            SettingOrigin { layer, at: format!("{}{line}", path.display()), base: base.clone() }
        };
        for (section, value) in table {
            let at = origin(&section);
            match (self.keys.has_section(&section), value) {
                (true, Value::Table(inner)) => {
                    for (name, value) in inner {
                        let key = format!("{section}.{name}");
                        self.add(&key, value, origin(&key));
                    }
                }
                (true, other) => {
                    let found = other.type_str();
                    let words = (
                        format!(
                            "`{section}`: expected a section `[{section}]`, got {found} `{other}`"
                        ),
                        format!(
                            "`{section}`：应为 TOML 表 `[{section}]`，实际为{} `{other}`",
                            type_zh(found)
                        ),
                    );
                    self.problems.push(Problem::new("bad_setting", &at.at, words));
                }
                (false, value) if value.is_table() => {
                    self.problems.push(self.keys.unknown_section(&section, &at.at));
                }
                (false, _) => self.problems.push(self.keys.unknown(&section, &at.at)),
            }
        }
    }

    /// Adds the values of variables. Two variables for the same key must agree, because neither takes precedence.
    fn variables<'v>(
        &mut self,
        layer: Layer,
        variables: impl Iterator<Item = (&'v str, &'v str, String)>,
    ) {
        let mut seen: BTreeMap<String, (&str, &str)> = BTreeMap::new();
        for (name, value, at) in variables {
            let Some(key) = self.keys.of_variable(name) else {
                if let Some(key) = Keys::retired_by(name) {
                    self.retired.push((key.to_owned(), at));
                } else if !is_reserved(name) {
                    self.problems.push(self.keys.unknown_variable(name, &at));
                }
                continue;
            };
            self.text(key, value, self.origin(layer, &at));
            let other = seen.insert(key.to_owned(), (name, value));
            if let Some((other, _)) = other.filter(|(_, before)| *before != value) {
                let words = (
                    format!("`{key}`: `{other}` and `{name}` have different values"),
                    format!("`{key}`：`{other}` 和 `{name}` 的值不同"),
                );
                let problem = Problem::new("bad_setting", &at, words);
                self.problems.push(problem.next(("keep one of them", "只保留其中一个")));
            }
        }
    }

    /// Reads a file; `None` if it does not exist or cannot be read, which is recorded as a problem.
    fn file_text(&mut self, path: &Path) -> Option<String> {
        let words = match fs::read(path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => return Some(text),
                Err(error) => {
                    let valid = error.utf8_error().valid_up_to();
                    Bilingual::from((
                        format!("the file is not UTF-8: invalid byte at offset {valid}"),
                        format!("文件不是 UTF-8：偏移 {valid} 处的字节无效"),
                    ))
                }
            },
            Err(error) if is_absent(error.kind()) => return None,
            Err(error) => Bilingual::from((
                format!("cannot read the file: {error}"),
                format!("无法读取文件：{error}"),
            )),
        };
        let at = path.display().to_string();
        self.problems.push(Problem::new("settings_file", &at, words));
        None
    }
}

fn is_absent(kind: ErrorKind) -> bool {
    kind == ErrorKind::NotFound || kind == ErrorKind::NotADirectory
}

/// Returns the nearest `praxis.toml` in this folder or above; if there is none, its path in this folder.
pub(super) fn project_file(cwd: &Path) -> PathBuf {
    let mut files = cwd.ancestors().map(|folder| folder.join("praxis.toml"));
    files.find(|file| file.is_file()).unwrap_or_else(|| cwd.join("praxis.toml"))
}

/// Validates a value by building `Settings` from the defaults with only this value replaced.
fn fits(keys: &Keys, key: &str, value: &Value) -> Result<(), String> {
    let changed = keys.iter().map(|(known, default)| {
        (known, if known == key { value.clone() } else { default.clone() })
    });
    build_settings(changed).map(drop)
}

/// Builds `Settings` from a value for every key.
pub(super) fn build_settings<'k>(
    values: impl Iterator<Item = (&'k str, Value)>,
) -> Result<Settings, String> {
    let mut sections = Table::new();
    for (section, name, value) in
        values.filter_map(|(key, value)| key.split_once('.').map(|(s, n)| (s, n, value)))
    {
        let entry = sections.entry(section).or_insert_with(|| Value::Table(Table::new()));
        if let Some(section) = entry.as_table_mut() {
            section.insert(name.to_owned(), value);
        }
    }
    sections.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
}

fn invalid_toml(path: &Path, text: &str, error: &toml::de::Error) -> Problem {
    let line = error.span().map_or(1, |span| line_at(text, span.start));
    let at = format!("{} line {line}", path.display());
    let said = error.message();
    let words = (format!("invalid TOML: {said}"), format!("TOML 格式错误：{said}"));
    Problem::new("settings_file", &at, words)
}

/// Returns the line of every section and key.
fn lines_of(text: &str) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    let Ok(table) = DeTable::parse(text) else { return lines };
    for (section, value) in table.get_ref() {
        lines.insert(section.get_ref().to_string(), line_at(text, section.span().start));
        for (name, _) in value.get_ref().as_table().into_iter().flatten() {
            let key = format!("{}.{}", section.get_ref(), name.get_ref());
            lines.insert(key, line_at(text, name.span().start));
        }
    }
    lines
}

fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
