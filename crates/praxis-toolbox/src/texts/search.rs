//! Finds a literal text in another, case-sensitive or not.

use praxis_core::problem::Bilingual;
use std::borrow::Cow;

/// The start and the end of a match, in bytes of the searched text.
pub(super) type ByteSpan = (usize, usize);

/// Returns all matches from left to right, without overlap.
pub(super) fn spans(text: &str, search: &str, ignore_case: bool) -> Vec<ByteSpan> {
    if !ignore_case {
        return text.match_indices(search).map(|(at, found)| (at, at + found.len())).collect();
    }
    let low = LoweredText::of(text);
    let search: String = search.chars().flat_map(char::to_lowercase).collect();
    low.text
        .match_indices(search.as_str())
        .filter_map(|(at, found)| Some((low.origin(at)?, low.origin(at + found.len())?)))
        .collect()
}

/// A lowercased text with a map to the original positions: some characters grow when lowercased.
struct LoweredText<'a> {
    text: Cow<'a, str>,
    /// The start of each character in `text` and in the original.
    starts: Vec<ByteSpan>,
}

impl<'a> LoweredText<'a> {
    fn of(original: &'a str) -> Self {
        let mut text = String::new();
        let mut starts = Vec::new();
        for (at, letter) in original.char_indices() {
            starts.push((text.len(), at));
            text.extend(letter.to_lowercase());
        }
        starts.push((text.len(), original.len()));
        Self { text: text.into(), starts }
    }

    /// Returns the position in the original; `None` inside of a character.
    fn origin(&self, at: usize) -> Option<usize> {
        let found = self.starts.binary_search_by_key(&at, |(here, _)| *here).ok()?;
        self.starts.get(found).map(|(_, origin)| *origin)
    }
}

/// Says that there is nothing to search for.
pub(super) fn empty() -> Bilingual {
    ("the search text is empty", "搜索文本为空").into()
}

#[cfg(test)]
mod tests {
    use super::spans;

    #[test]
    fn places_are_those_of_the_text_itself_even_where_letters_grow() {
        assert_eq!(spans("aXaxa", "x", false), [(3, 4)]);
        assert_eq!(spans("aXaxa", "x", true), [(1, 2), (3, 4)]);
        // `İ` in lower case is two characters.
        assert_eq!(spans("İx", "X", true), [(2, 3)]);
        assert_eq!(spans("İ", "i", true), []);
        assert_eq!(spans("aaaa", "aa", false), [(0, 2), (2, 4)]);
    }
}
