//! The texts that model calls send, in both languages.

use crate::lang::Lang;
use crate::prompt::holes;
use crate::text::phrase::is_chinese;

macro_rules! text {
    ($name:literal) => {
        PromptText {
            en: include_str!(concat!("../../../../../prompts/en/calls/", $name, ".md")),
            zh: include_str!(concat!("../../../../../prompts/zh/calls/", $name, ".md")),
        }
    };
}

pub(super) const AGENT: PromptText = text!("agent");
pub(super) const AGENT_LAST: PromptText = text!("agent_last");
pub(super) const AGENT_RESULTS: PromptText = text!("agent_results");
pub(super) const AGENT_UNFIT: PromptText = text!("agent_unfit");
pub(super) const FACTS: PromptText = text!("facts");
pub(super) const SLOT: PromptText = text!("slot");
pub(super) const SLOT_GUESS: PromptText = text!("slot_guess");
pub(super) const SUMMARY: PromptText = text!("summary");

/// A prompt text with placeholders, in both languages.
pub(super) struct PromptText {
    en: &'static str,
    zh: &'static str,
}

impl PromptText {
    /// Fills in the text in one language. Placeholders inside the filled-in values stay as they are.
    pub(super) fn filled(&self, lang: Lang, fillings: &[(&str, &str)]) -> String {
        let text = match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        };
        holes::fill(text.trim_end(), fillings)
    }
}

/// Returns the language in which the model is addressed: Chinese if the text has Chinese characters, else English.
pub(super) fn lang_of(words: &str) -> Lang {
    if words.chars().any(is_chinese) { Lang::Zh } else { Lang::En }
}

/// Cuts a text to `most` characters and marks the cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            format!("{}{}", text.get(..end).unwrap_or_default(), crate::ask::trim::MARKER)
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_of_a_text_have_the_same_holes_and_as_many_rules() {
        let rules =
            |text: &str| text.lines().filter(|line| line.starts_with(char::is_numeric)).count();
        for text in
            [AGENT, AGENT_LAST, AGENT_RESULTS, AGENT_UNFIT, FACTS, SLOT, SLOT_GUESS, SUMMARY]
        {
            assert_eq!(holes::names(text.en), holes::names(text.zh), "{}", text.en);
            assert_eq!(rules(text.en), rules(text.zh), "{}", text.en);
            assert!(text.en.is_ascii() && text.zh.chars().any(is_chinese), "{}", text.en);
        }
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("报告周一", 2), format!("报告{}", crate::ask::trim::MARKER));
        assert_eq!(cut("报告", 2), "报告");
    }
}
