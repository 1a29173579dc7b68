//! A validation error in one part of a value.

use crate::lang::{Bilingual, Lang};
use serde::{Deserialize, Serialize};

/// A validation error in one part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// The JSON pointer to the part.
    pub pointer: String,
    /// The description of the error, in English.
    pub detail: String,
    /// The description in Chinese; empty where there is only the English one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail_zh: String,
    /// The kind of violation, if a schema was violated. Journals from before `kind` existed have only the description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ViolationKind>,
}

/// The kinds of schema violations that recovery treats differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViolationKind {
    /// A required property with this name is missing.
    Missing(String),
    /// The value is not one of the allowed ones.
    NotAllowed,
    /// The value has the wrong type or form.
    Form,
}

impl FieldError {
    /// Creates an error with a description in both languages.
    pub fn new(pointer: impl Into<String>, detail: impl Into<Bilingual>) -> Self {
        let Bilingual { en, zh } = detail.into();
        let detail_zh = if zh == en { String::new() } else { zh };
        Self { pointer: pointer.into(), detail: en, detail_zh, kind: None }
    }

    /// Creates an error with a description from outside, which is in English only.
    pub fn untranslated(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        let (pointer, detail) = (pointer.into(), detail.into());
        Self { pointer, detail, detail_zh: String::new(), kind: None }
    }

    /// Sets the kind of violation.
    #[must_use]
    pub fn of_kind(self, kind: ViolationKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Returns the name of the missing property, if one is missing.
    pub fn missing(&self) -> Option<&str> {
        match &self.kind {
            Some(ViolationKind::Missing(name)) => Some(name),
            Some(ViolationKind::NotAllowed | ViolationKind::Form) => None,
            None => missing_in_words(&self.detail),
        }
    }

    /// Returns the description in a language; the English one if there is no other.
    pub fn text(&self, lang: Lang) -> &str {
        match lang {
            Lang::Zh if !self.detail_zh.is_empty() => &self.detail_zh,
            Lang::En | Lang::Zh => &self.detail,
        }
    }

    /// Returns the description in both languages.
    pub fn words(&self) -> Bilingual {
        (self.text(Lang::En), self.text(Lang::Zh)).into()
    }

    /// Moves the error to a place: its pointer begins there.
    #[must_use]
    pub fn below(self, place: &str) -> Self {
        Self { pointer: format!("{place}{}", self.pointer), ..self }
    }
}

/// Returns the name in `"city" is a required property`, the words of journals from before `kind` existed.
fn missing_in_words(detail: &str) -> Option<&str> {
    let (name, rest) = detail.strip_prefix('"')?.split_once('"')?;
    rest.contains("required").then_some(name)
}
