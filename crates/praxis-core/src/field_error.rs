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
}

impl FieldError {
    /// Creates an error with a description in both languages.
    pub fn new(pointer: impl Into<String>, detail: impl Into<Bilingual>) -> Self {
        let Bilingual { en, zh } = detail.into();
        let detail_zh = if zh == en { String::new() } else { zh };
        Self { pointer: pointer.into(), detail: en, detail_zh }
    }

    /// Creates an error with a description from outside, which is in English only.
    pub fn untranslated(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), detail: detail.into(), detail_zh: String::new() }
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
