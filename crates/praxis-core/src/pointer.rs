//! JSON Pointers: paths into a JSON value.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Borrow;
use std::fmt;

/// A JSON Pointer: `/loc/lon`, `/tags/1`, `/a~1b`. The empty pointer is the whole value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// Wraps the text of a pointer without validation; an invalid one finds nothing.
    pub fn new(written: impl Into<String>) -> Self {
        Self(written.into())
    }

    /// Returns the pointer to a field or an item below this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        Self(pointer_to(&self.0, name))
    }

    /// Appends a pointer that is relative to this one.
    #[must_use]
    pub fn join(&self, inner: &str) -> Self {
        Self(format!("{}{inner}", self.0))
    }

    /// Returns the unescaped tokens; `None` if the text is not a valid pointer.
    pub fn tokens(&self) -> Option<Vec<String>> {
        if self.0.is_empty() {
            return Some(vec![]);
        }
        let read = |token: &str| {
            let plain = token.replace("~1", "").replace("~0", "");
            (!plain.contains('~')).then(|| unescaped(token))
        };
        self.0.strip_prefix('/')?.split('/').map(read).collect()
    }

    /// Returns the last token, unescaped; empty for the whole value.
    pub fn name(&self) -> String {
        self.tokens().and_then(|mut tokens| tokens.pop()).unwrap_or_default()
    }

    /// Returns true if `other` points inside the value at this pointer.
    pub fn holds(&self, other: &Self) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns true if `other` is this place or lies inside it.
    pub fn covers(&self, other: &str) -> bool {
        other.strip_prefix(&self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the value at this pointer.
    pub fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        value.pointer(&self.0)
    }

    /// Returns the text of the pointer.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Pointer {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Pointer {
    fn from(written: &str) -> Self {
        Self::new(written)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Parses an array index: no sign, no leading zero.
pub(crate) fn index(token: &str) -> Option<usize> {
    let index: usize = token.parse().ok()?;
    (index.to_string() == token).then_some(index)
}

/// Returns the pointer to a key below another pointer.
pub fn pointer_to(above: &str, key: &str) -> String {
    format!("{above}/{}", escaped(key))
}

/// Escapes a name for use as a token.
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Unescapes a token.
pub fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Returns the first token and the remaining pointer; `None` for the whole value or an invalid pointer.
pub fn first(pointer: &str) -> Option<(String, &str)> {
    let tokens = pointer.strip_prefix('/')?;
    let (first, rest) = tokens.split_at(tokens.find('/').unwrap_or(tokens.len()));
    Some((unescaped(first), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_slashes_tildes_and_nothing_in_them_come_back_as_they_were() {
        for names in [vec![], vec!["a/b", "~1", "", "~"], vec![""], vec!["0", "01"]] {
            let pointer = names.iter().fold(Pointer::default(), |at, name| at.child(name));
            assert_eq!(pointer.tokens().unwrap(), names, "{pointer}");
        }
        for none in ["a", "/a~", "/~2"] {
            assert_eq!(Pointer::from(none).tokens(), None, "{none}");
        }
        assert!(Pointer::from("/a").holds(&"/a/b".into()));
        assert!(!Pointer::from("/a").holds(&"/ab".into()));
        assert_eq!(
            (index("10"), index("01"), index("-"), index("+1")),
            (Some(10), None, None, None)
        );
    }
}
