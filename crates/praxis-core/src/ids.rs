//! Ids, each a newtype of its own, so that the compiler rejects one in the place of another.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<Arc<str>>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

name!(
    /// The id of a task, `task_<ulid>`.
    TaskId
);
name!(
    /// The id of a step or of an action of a step, as written in the plan. Unique within a task.
    StepId
);
name!(
    /// The id of a tool, as written in its manifest.
    ToolId
);
name!(
    /// The id of a question to a person, `q_…`.
    QuestionId
);
name!(
    /// The owner of data; `local` by default.
    Tenant
);
name!(
    /// The SHA-256 of a stored content, in lower-case hex.
    BlobId
);

impl Default for Tenant {
    fn default() -> Self {
        Self::from("local")
    }
}

/// The reason why an id that a person or a model wrote is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It is empty or blank.
    #[error("it is empty")]
    Empty,
    /// It is longer than [`MAX_NAME_LENGTH`].
    #[error("it has {0} characters, at most {MAX_NAME_LENGTH} are allowed")]
    Long(usize),
    /// It contains a character that has a meaning in paths, keys or placeholders, or that is invisible.
    #[error("it contains {0:?}, which is not allowed in an id")]
    Forbidden(char),
}

/// Returns true for invisible characters: zero-width and format characters, line separators, tags. They reorder or
/// hide text, so that two different names look the same; text shown to people must escape them.
pub fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The maximum length of a step or tool id, in characters.
pub const MAX_NAME_LENGTH: usize = 128;

/// Rejects names that would be ambiguous in a path (`a/b#1`), a key (`a~1`) or a placeholder (`{{a.b[0]}}`).
pub fn check_name(name: &str) -> Result<(), BadName> {
    if name.trim().is_empty() {
        return Err(BadName::Empty);
    }
    let length = name.chars().count();
    if length > MAX_NAME_LENGTH {
        return Err(BadName::Long(length));
    }
    let forbidden = |c: &char| {
        c.is_control() || c.is_whitespace() || is_unseen(*c) || "{}[]/#~\"'$\\".contains(*c)
    };
    name.chars().find(forbidden).map_or(Ok(()), |c| Err(BadName::Forbidden(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_chinese_dots_and_hyphens_are_fine_and_path_characters_are_not() {
        for good in ["step_1", "步骤一", "step-2", "1.1", "step_2_add_datasource"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        assert_eq!(check_name(" "), Err(BadName::Empty));
        assert_eq!(check_name("a/b"), Err(BadName::Forbidden('/')));
        assert_eq!(check_name("a\0"), Err(BadName::Forbidden('\0')));
        assert_eq!(check_name("a\u{202e}"), Err(BadName::Forbidden('\u{202e}')));
        assert_eq!(check_name(&"x".repeat(129)), Err(BadName::Long(129)));
    }
}
