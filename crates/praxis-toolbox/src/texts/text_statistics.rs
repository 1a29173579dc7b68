//! `text_statistics`: counts the characters, words, lines and bytes of a text.

use super::bound;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextStatisticsArguments {
    text: String,
}

/// Counts the text. Each Chinese character is one word, as in word processors.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let TextStatisticsArguments { text } = arguments(value)?;
    bound::check("/text", &text)?;
    let signs = text.chars().filter(|c| is_sign(*c)).count();
    let words = text.split(|c: char| c.is_whitespace() || is_sign(c));
    let latin = words.filter(|word| word.contains(char::is_alphanumeric)).count();
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    Ok(json!({
        "characters": text.chars().count(),
        "characters_without_blanks": text.chars().filter(|c| !c.is_whitespace()).count(),
        "chinese_characters": signs,
        "words": latin + signs,
        "lines": text.lines().count(),
        "blank_lines": text.lines().filter(|line| line.trim().is_empty()).count(),
        "longest_line": longest,
        "bytes": text.len(),
    }))
}

/// Returns true for a Chinese character.
fn is_sign(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3134f)
}

#[cfg(test)]
mod tests {
    use crate::testing::ask;
    use serde_json::json;

    #[test]
    fn a_text_is_counted_in_every_way() {
        let output =
            ask("text_statistics", json!({"text": "负荷 load_mw,\n\n峰值：12.5 MW。"})).unwrap();
        let expected = json!({
            "characters": 24, "characters_without_blanks": 20, "chinese_characters": 4, "words": 7,
            "lines": 3, "blank_lines": 1, "longest_line": 11, "bytes": 36,
        });
        assert_eq!(output, expected);
        let nothing = ask("text_statistics", json!({"text": ""})).unwrap();
        assert!(nothing.as_object().unwrap().values().all(|count| *count == 0), "{nothing}");
    }
}
