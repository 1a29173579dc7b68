//! What a call may do.

use crate::problem::Bilingual;
use serde::{Deserialize, Serialize};

/// What a call can do to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Changes nothing.
    Read,
    /// Changes something.
    #[default]
    Write,
    /// Changes something that cannot be changed back.
    Irreversible,
}

impl Risk {
    /// All of them, by the words that files use.
    pub const WORDS: [(&'static str, Self); 3] =
        [("read", Self::Read), ("write", Self::Write), ("irreversible", Self::Irreversible)];

    /// What a word means.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, risk)| risk)
    }

    /// What a call of this risk can do, for whoever is to approve of it.
    pub fn words(self) -> Bilingual {
        let (en, zh) = match self {
            Self::Read => ("it changes nothing", "不会更改任何内容"),
            Self::Write => ("it changes something", "会更改数据"),
            Self::Irreversible => {
                ("it changes something that cannot be changed back", "会作出无法撤销的更改")
            }
        };
        (en, zh).into()
    }
}
