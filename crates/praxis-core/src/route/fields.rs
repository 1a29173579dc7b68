//! Reads the fields of a scene or workflow file and collects all problems.

use crate::lang::type_zh;
use crate::near::near;
use crate::payload::shape;
use crate::problem::{Bilingual, Problem};
use serde_json::{Map, Value};

/// The kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LibraryFileKind {
    Scene,
    Workflow,
}

impl LibraryFileKind {
    /// Returns the problem for a field of the wrong form.
    pub(super) fn problem(self, at: &str, words: impl Into<Bilingual>) -> Problem {
        match self {
            Self::Scene => Problem::new("scene_shape", at, words),
            Self::Workflow => Problem::new("workflow_shape", at, words),
        }
    }
}

/// The fields of one object.
pub(super) struct ObjectFields<'a> {
    map: &'a Map<String, Value>,
    at: String,
    kind: LibraryFileKind,
    /// The problems found so far.
    pub(super) problems: Vec<Problem>,
}

impl<'a> ObjectFields<'a> {
    /// Reads the fields of an object and reports every field that is not in `known`.
    pub(super) fn of(
        kind: LibraryFileKind,
        value: &'a Value,
        at: &str,
        known: &[&str],
    ) -> Result<Self, Problem> {
        let Some(map) = value.as_object() else {
            return Err(
                kind.problem(at, wrong("a table of fields", "由字段组成的表（table）", value))
            );
        };
        let mut fields = Self { map, at: at.to_owned(), kind, problems: vec![] };
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let words = (format!("unknown field `{key}`"), format!("未知字段 `{key}`"));
            let near = near(key, known.iter().copied());
            fields.problems.push(Problem::new("unknown_field", at, words).or_near(&near));
        }
        Ok(fields)
    }

    fn place(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}, {key}", self.at) }
    }

    /// Records a problem with a field.
    pub(super) fn blame(&mut self, key: &str, words: impl Into<Bilingual>) {
        let problem = self.kind.problem(&self.place(key), words);
        self.problems.push(problem);
    }

    fn missing(&mut self, key: &str) {
        self.blame(key, ("missing or empty", "缺失或为空"));
    }

    /// Returns a required text.
    pub(super) fn text(&mut self, key: &str) -> String {
        let text = self.optional_text(key);
        if text.is_none() && !self.map.contains_key(key) {
            self.missing(key);
        }
        text.unwrap_or_default()
    }

    /// Returns an optional text.
    pub(super) fn optional_text(&mut self, key: &str) -> Option<String> {
        let value = self.map.get(key)?;
        match value.as_str().map(str::trim) {
            Some("") => self.missing(key),
            Some(text) => return Some(text.to_owned()),
            None => self.blame(key, wrong("a string", "字符串", value)),
        }
        None
    }

    /// Returns an optional `Bilingual`: one text for both languages, or one for each.
    pub(super) fn words(&mut self, key: &str) -> Option<Bilingual> {
        let value = self.map.get(key)?;
        if value.is_string() {
            return self.optional_text(key).map(|text| Bilingual { en: text.clone(), zh: text });
        }
        let place = self.place(key);
        match ObjectFields::of(self.kind, value, &place, &["en", "zh"]) {
            Ok(mut inner) => {
                let words = Bilingual { en: inner.text("en"), zh: inner.text("zh") };
                self.problems.append(&mut inner.problems);
                Some(words)
            }
            Err(_) => {
                let (en, zh) = (
                    "a string or a table with `en` and `zh`",
                    "字符串，或含 `en` 和 `zh` 的表（table）",
                );
                self.blame(key, wrong(en, zh, value));
                None
            }
        }
    }

    /// Returns a required `Bilingual`.
    pub(super) fn required_words(&mut self, key: &str) -> Bilingual {
        if !self.map.contains_key(key) {
            self.missing(key);
        }
        self.words(key).unwrap_or(Bilingual { en: String::new(), zh: String::new() })
    }

    /// Returns a list of texts, empty if the field is missing.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(value) = self.map.get(key) else { return vec![] };
        let text = |item: &Value| {
            item.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let texts = value.as_array().map(|items| items.iter().map(text).collect::<Option<_>>());
        texts.flatten().unwrap_or_else(|| {
            self.blame(key, wrong("a list of non-empty strings", "由非空字符串组成的列表", value));
            vec![]
        })
    }

    /// Returns a table, empty if the field is missing.
    pub(super) fn table(&mut self, key: &str) -> Map<String, Value> {
        let Some(value) = self.map.get(key) else { return Map::new() };
        if !value.is_object() {
            self.blame(key, wrong("a table", "表（table）", value));
        }
        value.as_object().cloned().unwrap_or_default()
    }

    /// Returns the raw value of a field.
    pub(super) fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }
}

/// Returns the message for a value of the wrong type.
pub(super) fn wrong(en: &str, zh: &str, found: &Value) -> Bilingual {
    let found = shape(found);
    Bilingual {
        en: format!("expected {en}, got `{found}`"),
        zh: format!("应为{zh}，实际为{}", type_zh(found)),
    }
}
