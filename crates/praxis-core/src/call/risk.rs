//! Risk of a call: the change that it can make.

use crate::problem::Bilingual;
use serde::{Deserialize, Serialize};

/// The change that a call can make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Changes nothing.
    Read,
    /// Changes something.
    #[default]
    Write,
    /// Changes something irreversibly.
    Irreversible,
}

impl Risk {
    /// All risks with their names in files.
    pub const WORDS: [(&'static str, Self); 3] =
        [("read", Self::Read), ("write", Self::Write), ("irreversible", Self::Irreversible)];

    /// Returns the risk with this name.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, risk)| risk)
    }

    /// Describes the risk to a person who is asked for approval.
    pub fn words(self) -> Bilingual {
        let (en, zh) = match self {
            Self::Read => ("it changes nothing", "不会更改任何内容"),
            Self::Write => ("it changes data", "会更改数据"),
            Self::Irreversible => {
                ("it makes changes that cannot be undone", "会作出无法撤销的更改")
            }
        };
        (en, zh).into()
    }
}
