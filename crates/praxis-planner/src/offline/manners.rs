//! Words of politeness and of grammar: they say nothing of what is to be done.

use super::values::is_tie;
use crate::retrieve::words::{is_ideograph, says_nothing};

/// Words that requests are made of whatever they are about, in order.
const MANNERS: &[&str] = &[
    "after",
    "again",
    "all",
    "already",
    "am",
    "another",
    "back",
    "been",
    "before",
    "being",
    "both",
    "but",
    "called",
    "certain",
    "each",
    "else",
    "every",
    "finally",
    "first",
    "following",
    "go",
    "going",
    "good",
    "hello",
    "help",
    "here",
    "hey",
    "hi",
    "him",
    "his",
    "instead",
    "just",
    "kindly",
    "know",
    "last",
    "lastly",
    "let",
    "look",
    "looking",
    "make",
    "many",
    "much",
    "named",
    "next",
    "no",
    "not",
    "now",
    "off",
    "only",
    "other",
    "out",
    "per",
    "see",
    "she",
    "should",
    "show",
    "so",
    "such",
    "tell",
    "than",
    "thank",
    "thanks",
    "their",
    "them",
    "there",
    "these",
    "they",
    "those",
    "time",
    "too",
    "up",
    "very",
    "well",
    "were",
    "whether",
    "while",
    "whose",
    "why",
    "without",
    "yes",
    "yet",
];

/// Phrases of Chinese that do the same, the longer ones first.
const MANNERS_ZH: &[&str] = &[
    "告诉我",
    "帮我",
    "帮忙",
    "麻烦",
    "请问",
    "一下",
    "看看",
    "给我",
    "是否",
    "有没有",
    "什么",
    "怎么",
    "哪个",
    "哪些",
    "多少",
    "这个",
    "那个",
    "这些",
    "那些",
    "其中",
    "以及",
    "然后",
    "接着",
    "最后",
    "首先",
    "需要",
    "想要",
    "希望",
    "可以",
    "现在",
    "所有",
    "一共",
    "分别",
    "直接",
    "进行",
    "里面",
    "一份",
    "一个",
    "这份",
    "一次",
];
/// Single characters that say as little of what is to be done as those that only tie words together.
const LITTLE: &str = "某里中后前先份次些几条位叫";

/// Whether an English word, in small letters, says nothing of what is to be done.
pub fn is_manner(word: &str) -> bool {
    says_nothing(word) || MANNERS.binary_search(&word).is_ok()
}

/// The characters of a run of Chinese that say something: for each whether it does.
pub fn telling(run: &str) -> Vec<bool> {
    let mut told = Vec::new();
    let mut skip = 0;
    for (at, c) in run.char_indices() {
        let rest = run.get(at..).unwrap_or_default();
        if skip == 0 {
            let manner = MANNERS_ZH.iter().find(|manner| rest.starts_with(**manner));
            skip = manner.map_or(0, |manner| manner.chars().count());
        }
        told.push(skip == 0 && is_ideograph(c) && !is_tie(c) && !LITTLE.contains(c));
        skip = usize::saturating_sub(skip, 1);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_stand_in_order_so_that_they_can_be_found() {
        assert!(MANNERS.is_sorted());
        assert!(is_manner("please") && is_manner("tell") && !is_manner("translate"));
    }

    #[test]
    fn of_a_run_of_chinese_the_ties_and_manners_say_nothing() {
        let told = |run: &str| -> String {
            let said = run.chars().zip(telling(run));
            said.filter(|(_, says)| *says).map(|(c, _)| c).collect()
        };
        assert_eq!(told("帮我把负荷预测一下"), "负荷预测");
        assert_eq!(told("麻烦看看"), "");
    }
}
