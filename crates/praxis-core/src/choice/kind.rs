//! Kinds of JSON values that conditions distinguish.

use crate::lang::Lang;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The JSON type of a value. A boolean is never a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// Any number, integer or not.
    Number,
    /// A string.
    String,
    /// A list.
    List,
    /// An object.
    Object,
}

impl JsonKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Null, Self::Bool, Self::Number, Self::String, Self::List, Self::Object];

    /// Returns the kind of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
        }
    }

    /// Returns the kind in words, such as `a number`.
    pub fn tell(self, lang: Lang) -> &'static str {
        let (en, zh) = match self {
            Self::Null => ("null", "空值"),
            Self::Bool => ("a boolean", "布尔值"),
            Self::Number => ("a number", "数字"),
            Self::String => ("a string", "字符串"),
            Self::List => ("a list", "列表"),
            Self::Object => ("an object", "对象"),
        };
        match lang {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }
}

impl fmt::Display for JsonKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.tell(Lang::En))
    }
}
