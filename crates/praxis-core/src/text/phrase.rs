//! Phrase matching that ignores case and character width and respects word boundaries.

/// Lowercases a text and converts full-width characters to ASCII.
pub fn folded(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(c) - 0xff01 + u32::from('!')).unwrap_or(c)
        }
        _ => c,
    };
    text.chars().map(narrow).flat_map(char::to_lowercase).collect()
}

/// Returns true for a Chinese character.
pub fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}')
}

/// Returns true for a letter, a digit or `_` of a script that separates words by blanks.
pub fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_chinese(c)
}

/// Returns true if `text` contains `phrase` as whole words; both must be folded. `role` matches `roles` but not
/// `controller`. Chinese has no blanks, so it matches anywhere.
pub fn stands_in(phrase: &str, text: &str) -> bool {
    let phrase = phrase.trim();
    !phrase.is_empty() && text.match_indices(phrase).any(|(at, _)| is_whole(phrase, text, at))
}

fn is_whole(phrase: &str, text: &str, at: usize) -> bool {
    let starts = phrase.starts_with(is_word);
    let ends = phrase.ends_with(is_word);
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + phrase.len()..).unwrap_or_default();
    let after = if ends { after.strip_prefix('s').unwrap_or(after) } else { after };
    let glued = (starts && before.ends_with(is_word)) || (ends && after.starts_with(is_word));
    !glued
}

/// Returns true if a text is long enough to match a part of a name: two Chinese characters or three letters.
pub fn says_something(text: &str) -> bool {
    let chinese = text.chars().filter(|c| is_chinese(*c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic() && !is_chinese(*c)).count();
    chinese >= 2 || letters >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_phrases_are_whole_words_and_chinese_ones_stand_anywhere() {
        for (phrase, text) in
            [("plc", "plc控制"), ("role", "two roles"), ("角色", "改角色名"), ("tool", "a tool.")]
        {
            assert!(stands_in(phrase, text), "{phrase} in {text}");
        }
        for (phrase, text) in
            [("role", "controller"), ("tool", "toolbox"), ("tool", "my_tool"), ("", "x"), ("x", "")]
        {
            assert!(!stands_in(phrase, text), "{phrase} in {text}");
        }
        assert_eq!(folded("ＰＬＣ：Ａ１\u{3000}工具"), "plc:a1 工具");
    }
}
