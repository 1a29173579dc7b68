//! The languages of the user interface, and texts in all of them.

use serde::{Deserialize, Serialize};

/// A language of the user interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese (中文).
    Zh,
}

impl Lang {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Returns the language code.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bilingual {
    /// The English text.
    pub en: String,
    /// The Chinese text.
    pub zh: String,
}

impl Bilingual {
    /// Returns the text in one language.
    pub fn tell(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

impl<E: Into<String>, Z: Into<String>> From<(E, Z)> for Bilingual {
    fn from((en, zh): (E, Z)) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }
}

impl Bilingual {
    /// Wraps a text from outside, such as the words of a library or a server, which is the same in every language.
    pub fn untranslated(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { zh: text.clone(), en: text }
    }
}

/// Returns the Chinese name of a JSON or TOML type; any other word is returned unchanged.
pub fn type_zh(name: &str) -> &str {
    match name {
        "null" => "空值",
        "boolean" | "bool" => "布尔值",
        "integer" => "整数",
        "float" => "浮点数",
        "number" => "数字",
        "string" => "字符串",
        "array" | "list" => "列表",
        "object" => "对象",
        "table" => "表（table）",
        "datetime" => "日期时间",
        other => other,
    }
}
